/* SPDX-License-Identifier: MIT */
/* What every public function does first: remember its name for messages, clear the last error, check handles and pointers.
 */
#ifndef TVGP__API_ENTER_H
#define TVGP__API_ENTER_H

#include "base/error.h"

/* Inside a public function of context `c` (never NULL here). */
#define TVGP__ENTER(c) ((c)->function = __func__, (c)->errmsg[0] = '\0')

/* NULL arguments give ARG with the argument's name. */
#define TVGP__REQUIRE(c, pointer)                                                                                           \
    do {                                                                                                                    \
        if (!(pointer))                                                                                                     \
            return tvgp__error_set((c), TVGP_ERR_ARG, #pointer " is NULL");                                                 \
    } while (0)

#endif
