/* SPDX-License-Identifier: MIT */
/* TVGP__SIMD_CLONES before a static function compiles it for several vector widths; the widest that the machine supports
 * is selected when the library is loaded. Static only: GCC gives the selector of a global function default visibility.
 * Not with sanitizers, which instrument the selector before they are ready, and only with glibc, whose loader runs
 * selectors: musl refuses a library that has them. */
#ifndef TVGP__BASE_SIMD_CLONES_H
#define TVGP__BASE_SIMD_CLONES_H

#include <stdlib.h> /* __GLIBC__ */

#if defined(__x86_64__) && defined(__GLIBC__) && defined(__GNUC__) && !defined(__clang__) &&                                \
    !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define TVGP__SIMD_CLONES __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define TVGP__SIMD_CLONES
#endif

#endif
