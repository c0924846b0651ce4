/* SPDX-License-Identifier: MIT */
/* A game that a string of bytes describes: a policy and its twin get the same calls, but those that fail (bad input, refused
 * memory) reach the policy only. After every call all statistics of both are the same bits and numbers, predictions are
 * finite, and only available arms were asked; in the end both continue identically and give back all memory. Stops with abort() and
 * one line that names the case. Ten kinds of kernel, every registered policy, every option, delayed, missing, repeated and
 * unsolicited outcomes. */
#ifndef FUZZ_PLAY_H
#define FUZZ_PLAY_H

#include <stddef.h>
#include <stdint.h>

/* label: what the line begins with, such as the seed. */
void play(const char *label, const uint8_t *bytes, size_t n);

#endif
