/* SPDX-License-Identifier: MIT */
/* The conversions of <inttypes.h>. PRId64 is missing with cross-compilers whose stdint.h does not declare its types to newlib. */
#ifndef TVGP__BASE_INTEGER_FORMAT_H
#define TVGP__BASE_INTEGER_FORMAT_H

#include <inttypes.h>

#ifndef PRId64
#define PRId64 "lld"
#endif

#endif
