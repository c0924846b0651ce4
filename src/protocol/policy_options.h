/* SPDX-License-Identifier: MIT */
/* The options of a policy: set until it starts, read at any time. */
#ifndef TVGP__PROTOCOL_POLICY_OPTIONS_H
#define TVGP__PROTOCOL_POLICY_OPTIONS_H

#include "protocol/policy_ops.h"

/* The configuration a policy starts with. */
void tvgp__policy_options_defaults(const tvgp__policy_ops *, void *config);

/* NOTFOUND (names the policies that know the key, or the nearest key), OPTION, NONFINITE, STATE; nothing is changed. */
tvgp_status tvgp__policy_options_f64(tvgp_policy *, const char *key, double value);
tvgp_status tvgp__policy_options_i64(tvgp_policy *, const char *key, int64_t value);
tvgp_status tvgp__policy_options_str(tvgp_policy *, const char *key, const char *value);
/* key=value pairs between blanks; the same, and NOMEM. */
tvgp_status tvgp__policy_options_text(tvgp_policy *, const char *text);

/* NOTFOUND if other policies have the option and this one has not; an unknown key is left to base/options.h. */
tvgp_status tvgp__policy_options_here(const tvgp_policy *, const char *key);
int tvgp__policy_options_was_set(const tvgp_policy *, const char *key);
/* Whether one of n options whose keys begin so was. */
int tvgp__policy_options_any_set(const tvgp_policy *, const char *prefix, size_t n, const tvgp__option *options);

/* ARG when i is too large, NOMEM. */
tvgp_status tvgp__policy_options_describe(const tvgp_policy *, size_t i, tvgp_option_info *info);

#endif
