/* SPDX-License-Identifier: MIT */
#ifndef TVGP__PARTS_SERVE_STORE_LOG_H
#define TVGP__PARTS_SERVE_STORE_LOG_H

#include "parts/serve/store/store_common.h"

tvgp_status tvgp__store_log_create(tvgp_store *);
tvgp_status tvgp__store_log_apply(tvgp_store *);
tvgp_status tvgp__store_log_trim(tvgp_store *);
tvgp_status tvgp__store_log_drop(tvgp_store *);

#endif
