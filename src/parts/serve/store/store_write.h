/* SPDX-License-Identifier: MIT */
/* Calls of a store that change a policy. Each makes its steps on the copy s->copy and appends their events; the caller writes them, or
 * discards the copy if a step fails. */
#ifndef TVGP__PARTS_SERVE_STORE_WRITE_H
#define TVGP__PARTS_SERVE_STORE_WRITE_H

#include "parts/serve/store/store_common.h"

tvgp_status tvgp__store_write_ask(tvgp_store *);
tvgp_status tvgp__store_write_tell(tvgp_store *);
tvgp_status tvgp__store_write_skip(tvgp_store *);
tvgp_status tvgp__store_write_fail(tvgp_store *);
tvgp_status tvgp__store_write_observe(tvgp_store *);
tvgp_status tvgp__store_write_available(tvgp_store *);
tvgp_status tvgp__store_write_budget(tvgp_store *);
tvgp_status tvgp__store_write_costs(tvgp_store *);
tvgp_status tvgp__store_write_cost_weight(tvgp_store *);
tvgp_status tvgp__store_write_fit(tvgp_store *);
tvgp_status tvgp__store_write_payoffs(tvgp_store *);
tvgp_status tvgp__store_write_charge(tvgp_store *);

#endif
