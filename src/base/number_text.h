/* SPDX-License-Identifier: MIT */
/* Numbers in text. */
#ifndef TVGP__BASE_NUMBER_TEXT_H
#define TVGP__BASE_NUMBER_TEXT_H

#include <stdarg.h>
#include <stddef.h>

/* Reads a whole text as a decimal number with a point, or `inf`, whatever the locale of the program. 0 when it is none. */
int tvgp__number_text_read(const char *text, double *value);

/* The same for an integer without point and exponent; one too large becomes the largest. */
int tvgp__number_text_read_integer(const char *text, long long *value);

/* Up to `most` numbers with commas between; how many there are, most + 1: too many, 0: the text is no such list. */
size_t tvgp__number_text_list(const char *text, size_t most, double *values);

/* vsnprintf with a decimal point in every locale. Conversions: d i u x c s g f e, with l, ll, z and t;
 * the printf of a small C library lacks z and t. */
int tvgp__number_text_format(char *out, size_t size, const char *format, va_list args);
int tvgp__number_text_print(char *out, size_t size, const char *format, ...);

/* A number that printf wrote, with its decimal point, of one byte or more, as a point. */
void tvgp__number_text_delocalise(char *digits);

#endif
