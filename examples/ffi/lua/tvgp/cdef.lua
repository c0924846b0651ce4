-- SPDX-License-Identifier: MIT
-- What init.lua calls, as the headers declare it; examples/ffi/declarations.py compares each line with tvgp.json.
require("ffi").cdef([[
typedef int32_t tvgp_status;
typedef struct tvgp_ctx tvgp_ctx;
typedef struct tvgp_kernel tvgp_kernel;
typedef struct tvgp_domain tvgp_domain;
typedef struct tvgp_policy tvgp_policy;
typedef struct tvgp_allocator tvgp_allocator;
typedef struct { int64_t id; int32_t kind; uint32_t flags; int64_t arm; double t, noise_var, score, propensity, reserved[1]; } tvgp_query;
typedef struct { int64_t id; int32_t outcome; uint32_t flags; double y, noise_var, t, reserved[3]; } tvgp_obs;

const char *tvgp_version(void);
const char *tvgp_status_name(tvgp_status status);
tvgp_status tvgp_ctx_create(const tvgp_allocator *allocator, tvgp_ctx **out);
void tvgp_ctx_destroy(tvgp_ctx *ctx);
const char *tvgp_ctx_errmsg(const tvgp_ctx *ctx);
tvgp_status tvgp_domain_arms(tvgp_ctx *ctx, size_t n, size_t dim, const double *X, tvgp_domain **out);
tvgp_status tvgp_domain_indices(tvgp_ctx *ctx, size_t n, tvgp_domain **out);
tvgp_status tvgp_domain_grid(tvgp_ctx *ctx, size_t dim, const double *lower, const double *upper, const size_t *points, tvgp_domain **out);
tvgp_status tvgp_domain_box(tvgp_ctx *ctx, size_t dim, const double *lower, const double *upper, tvgp_domain **out);
tvgp_status tvgp_domain_append(const tvgp_domain *domain, size_t n, const double *X, tvgp_domain **out);
tvgp_status tvgp_domain_product(tvgp_ctx *ctx, const tvgp_domain *actions, const tvgp_domain *contexts, tvgp_domain **out);
tvgp_status tvgp_domain_split(const tvgp_domain *domain, int64_t arm, int64_t *action, int64_t *context);
tvgp_status tvgp_domain_size(const tvgp_domain *domain, size_t *n);
tvgp_status tvgp_domain_dim(const tvgp_domain *domain, size_t *dim);
tvgp_status tvgp_domain_bounds(const tvgp_domain *domain, double *lower, double *upper);
tvgp_status tvgp_domain_type_name(const tvgp_domain *domain, const char **type);
void tvgp_domain_destroy(tvgp_domain *domain);
tvgp_status tvgp_kernel_se(tvgp_ctx *ctx, size_t dim, double variance, const double *lengthscale, size_t n_lengthscale, tvgp_kernel **out);
tvgp_status tvgp_kernel_matern(tvgp_ctx *ctx, size_t dim, double nu, double variance, const double *lengthscale, size_t n_lengthscale, tvgp_kernel **out);
tvgp_status tvgp_kernel_table(tvgp_ctx *ctx, size_t n_arms, const double *K, tvgp_kernel **out);
void tvgp_kernel_destroy(tvgp_kernel *kernel);
tvgp_status tvgp_policy_create(tvgp_ctx *ctx, const char *name, const tvgp_domain *domain, const tvgp_kernel *kernel_or_null, tvgp_policy **out);
tvgp_status tvgp_policy_create_from(tvgp_ctx *ctx, const void *bytes, size_t n, const tvgp_domain *domain_or_null, const tvgp_kernel *kernel_or_null, tvgp_policy **out);
void tvgp_policy_destroy(tvgp_policy *policy);
tvgp_status tvgp_policy_name(const tvgp_policy *policy, const char **name);
tvgp_status tvgp_policy_domain(const tvgp_policy *policy, tvgp_domain **out);
tvgp_status tvgp_policy_set_f64(tvgp_policy *policy, const char *key, double value);
tvgp_status tvgp_policy_set_str(tvgp_policy *policy, const char *key, const char *value);
tvgp_status tvgp_policy_set_available(tvgp_policy *policy, const uint8_t *mask_or_null, size_t n);
tvgp_status tvgp_policy_set_mean(tvgp_policy *policy, const double *mean_or_null, size_t n);
tvgp_status tvgp_policy_set_context(tvgp_policy *policy, int64_t context);
tvgp_status tvgp_policy_set_context_x(tvgp_policy *policy, const double *z, size_t n);
tvgp_status tvgp_policy_extend(tvgp_policy *policy, const tvgp_domain *larger, const double *new_mean_or_null);
tvgp_status tvgp_policy_ask(tvgp_policy *policy, double t, size_t cap, tvgp_query *q, double *x, size_t *n);
tvgp_status tvgp_policy_tell(tvgp_policy *policy, const tvgp_obs *obs, const double *x_or_null, size_t n);
tvgp_status tvgp_policy_pending(const tvgp_policy *policy, size_t cap, tvgp_query *q_or_null, double *x_or_null, size_t *n);
tvgp_status tvgp_policy_predict(tvgp_policy *policy, double t, size_t n, const double *X_or_null, double *mean, double *var);
tvgp_status tvgp_policy_best(tvgp_policy *policy, double t, int64_t *arm, double *x);
tvgp_status tvgp_policy_stat(const tvgp_policy *policy, const char *key, double *value);
tvgp_status tvgp_policy_save(const tvgp_policy *policy, void *buffer_or_null, size_t capacity, size_t *needed);
tvgp_status tvgp_policy_save_whole(const tvgp_policy *policy, void *buffer_or_null, size_t capacity, size_t *needed);
tvgp_status tvgp_policy_load(tvgp_policy *policy, const void *bytes, size_t n);
tvgp_status tvgp_random_normal(uint64_t seed, uint32_t purpose, uint64_t step, size_t n, double *out);
]])
