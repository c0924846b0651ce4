-- SPDX-License-Identifier: MIT
-- The headers for LuaJIT. Made by examples/ffi/generate from tvgp.json: do not edit.
require("ffi").cdef([[
typedef int32_t tvgp_status;
typedef struct tvgp_ctx tvgp_ctx;
typedef struct tvgp_kernel tvgp_kernel;
typedef struct tvgp_domain tvgp_domain;
typedef struct tvgp_gp tvgp_gp;
typedef struct tvgp_policy tvgp_policy;
typedef void (*tvgp_logger)(void * user, const char * message);
typedef int32_t (*tvgp_interrupt)(void * user);
typedef void (*tvgp_destroy_fn)(void * user);
typedef int32_t (*tvgp_mean_fn)(void * user, size_t n, const double * X, double * mean, double * gradient_or_null);
typedef int32_t (*tvgp_feasible_fn)(void * user, size_t n, const double * X, uint8_t * ok);
typedef struct tvgp_query { int64_t id; int32_t kind; uint32_t flags; int64_t arm; double t; double noise_var; double score;
    double propensity; double risk; } tvgp_query;
typedef struct tvgp_obs { int64_t id; int32_t outcome; uint32_t flags; double y; double noise_var; double t; int64_t output;
    double reserved[2]; } tvgp_obs;
typedef struct tvgp_comm { size_t struct_size; void * user; int32_t rank; int32_t size;
    int32_t (*bcast)(void * user, void * data, size_t bytes, int32_t root);
    int32_t (*max)(void * user, double * values, size_t n); } tvgp_comm;
typedef struct tvgp_allocator { void * user; void * (*allocate)(void * user, size_t size);
    void (*release)(void * user, void * memory); } tvgp_allocator;
typedef struct tvgp_param_info { const char * name; double value; double lower; double upper; int32_t kind; uint32_t flags;
    double reserved[3]; } tvgp_param_info;
typedef struct tvgp_option_info { const char * key; const char * doc; const char *const * choices; const char * default_str;
    double default_num; double lower; double upper; int32_t type; uint32_t flags; } tvgp_option_info;
typedef struct tvgp_kernel_type { size_t struct_size; const char * name;
    int32_t (*block)(void * data, size_t n, const double * X, size_t m, const double * Z, double * K, size_t ldk);
    int32_t (*diagonal)(void * data, size_t n, const double * X, double * d);
    int32_t (*gradient)(void * data, size_t n, const double * Z, size_t m, const double * X, const double * C, double * G);
    void (*reach)(void * data, double * lengthscale); int32_t (*save)(void * data, void * buffer_or_null, size_t * needed);
    int32_t (*load)(void * user, size_t dim, const void * bytes, size_t n, void ** data); void (*release)(void * data);
    int32_t (*params)(void * data, size_t * n, tvgp_param_info * list_or_null);
    int32_t (*clone)(void * data, const double * values, void ** copy);
    int32_t (*contract)(void * data, size_t n, const double * X, size_t m, const double * Z, const double * W, size_t ldw, double * gradient); } tvgp_kernel_type;
typedef struct tvgp_domain_type { size_t struct_size; const char * name;
    int32_t (*points)(void * data, size_t n, size_t dim, double * X); int32_t names;
    int32_t (*save)(void * data, void * buffer_or_null, size_t * needed);
    int32_t (*load)(void * user, size_t n, size_t dim, const void * bytes, size_t n_bytes, void ** data);
    void (*release)(void * data); } tvgp_domain_type;
typedef struct tvgp_policy_view { tvgp_ctx * ctx; const tvgp_domain * domain; const tvgp_kernel * kernel; size_t n; size_t dim;
    const double * X; const double * options; int64_t seed; int64_t asked; const uint8_t * available; const double * mean;
    const int64_t * pending; size_t n_pending; } tvgp_policy_view;
typedef struct tvgp_stat_info { const char * key; const char * doc; } tvgp_stat_info;
typedef struct tvgp_policy_type { size_t struct_size; const char * name;
    int32_t (*start)(void * user, const tvgp_policy_view * view, void ** state);
    int32_t (*ask)(void * state, const tvgp_policy_view * view, double t, tvgp_query * q); const char * doc;
    int32_t (*tell)(void * state, const tvgp_policy_view * view, size_t n, const tvgp_obs * obs, const int64_t * arm);
    void (*release)(void * state);
    int32_t (*predict)(void * state, const tvgp_policy_view * view, double t, size_t n, const int64_t * arm, double * mean, double * var);
    const tvgp_option_info * options; size_t n_options; const tvgp_stat_info * stats; size_t n_stats;
    int32_t (*stat)(void * state, size_t i, double * value);
    int32_t (*save)(void * state, void * buffer_or_null, size_t * needed);
    int32_t (*load)(void * state, const void * bytes, size_t n); } tvgp_policy_type;
tvgp_status tvgp_domain_arms_shared(tvgp_ctx *ctx, const tvgp_comm *comm, size_t n, size_t dim, const double *X,
    tvgp_domain **out);
tvgp_status tvgp_domain_grid_shared(tvgp_ctx *ctx, const tvgp_comm *comm, size_t dim, const double *lower, const double *upper,
    const size_t *points, tvgp_domain **out);
tvgp_status tvgp_domain_share(const tvgp_domain *domain, size_t *first, size_t *n, size_t *n_total);
const char * tvgp_version(void);
const char * tvgp_status_name(tvgp_status status);
tvgp_status tvgp_ctx_create(const tvgp_allocator *allocator, tvgp_ctx **out);
void tvgp_ctx_destroy(tvgp_ctx *ctx);
const char * tvgp_ctx_errmsg(const tvgp_ctx *ctx);
tvgp_status tvgp_ctx_set_logger(tvgp_ctx *ctx, tvgp_logger logger, void *user);
tvgp_status tvgp_ctx_set_interrupt(tvgp_ctx *ctx, tvgp_interrupt interrupt, void *user);
tvgp_status tvgp_ctx_set_quota(tvgp_ctx *ctx, size_t bytes, size_t arms, int64_t work);
tvgp_status tvgp_ctx_memory(const tvgp_ctx *ctx, size_t *bytes);
tvgp_status tvgp_domain_arms(tvgp_ctx *ctx, size_t n, size_t dim, const double *X, tvgp_domain **out);
tvgp_status tvgp_domain_indices(tvgp_ctx *ctx, size_t n, tvgp_domain **out);
tvgp_status tvgp_domain_grid(tvgp_ctx *ctx, size_t dim, const double *lower, const double *upper, const size_t *points,
    tvgp_domain **out);
tvgp_status tvgp_domain_append(const tvgp_domain *domain, size_t n, const double *X, tvgp_domain **out);
tvgp_status tvgp_domain_product(tvgp_ctx *ctx, const tvgp_domain *actions, const tvgp_domain *contexts, tvgp_domain **out);
tvgp_status tvgp_domain_split(const tvgp_domain *domain, int64_t arm, int64_t *action, int64_t *context);
tvgp_status tvgp_domain_seasonal_mean(const tvgp_domain *domain, size_t n, const int64_t *arm, const double *t, const double *y,
    double period, size_t bins, double *mean);
tvgp_status tvgp_domain_box(tvgp_ctx *ctx, size_t dim, const double *lower, const double *upper, tvgp_domain **out);
tvgp_status tvgp_domain_box_integer(tvgp_domain *domain, size_t k);
tvgp_status tvgp_domain_size(const tvgp_domain *domain, size_t *n);
tvgp_status tvgp_domain_dim(const tvgp_domain *domain, size_t *dim);
tvgp_status tvgp_domain_point(const tvgp_domain *domain, int64_t arm, double *x);
tvgp_status tvgp_domain_bounds(const tvgp_domain *domain, double *lower, double *upper);
tvgp_status tvgp_domain_type_name(const tvgp_domain *domain, const char **type);
void tvgp_domain_destroy(tvgp_domain *domain);
tvgp_status tvgp_kernel_se(tvgp_ctx *ctx, size_t dim, double variance, const double *lengthscale, size_t n_lengthscale,
    tvgp_kernel **out);
tvgp_status tvgp_kernel_matern(tvgp_ctx *ctx, size_t dim, double nu, double variance, const double *lengthscale,
    size_t n_lengthscale, tvgp_kernel **out);
tvgp_status tvgp_kernel_rational_quadratic(tvgp_ctx *ctx, size_t dim, double alpha, double variance, const double *lengthscale,
    size_t n_lengthscale, tvgp_kernel **out);
tvgp_status tvgp_kernel_periodic(tvgp_ctx *ctx, size_t dim, double variance, const double *lengthscale, size_t n_lengthscale,
    const double *period, size_t n_period, tvgp_kernel **out);
tvgp_status tvgp_kernel_linear(tvgp_ctx *ctx, size_t dim, double variance, const double *lengthscale, size_t n_lengthscale,
    double bias, tvgp_kernel **out);
tvgp_status tvgp_kernel_table(tvgp_ctx *ctx, size_t n_arms, const double *K, tvgp_kernel **out);
tvgp_status tvgp_kernel_sum(tvgp_ctx *ctx, const tvgp_kernel *a, const tvgp_kernel *b, tvgp_kernel **out);
tvgp_status tvgp_kernel_product(tvgp_ctx *ctx, const tvgp_kernel *a, const tvgp_kernel *b, tvgp_kernel **out);
tvgp_status tvgp_kernel_slice(tvgp_ctx *ctx, size_t dim, size_t first, const tvgp_kernel *inner, tvgp_kernel **out);
tvgp_status tvgp_kernel_categorical(tvgp_ctx *ctx, double variance, double correlation, tvgp_kernel **out);
tvgp_status tvgp_kernel_forgetting(tvgp_ctx *ctx, double epsilon, tvgp_kernel **out);
tvgp_status tvgp_kernel_wiener(tvgp_ctx *ctx, double rate, double origin, tvgp_kernel **out);
tvgp_status tvgp_kernel_gram(const tvgp_kernel *kernel, size_t n, const double *X, size_t m, const double *Z, double *K);
tvgp_status tvgp_kernel_param_count(const tvgp_kernel *kernel, size_t *n);
tvgp_status tvgp_kernel_param_info(const tvgp_kernel *kernel, size_t i, tvgp_param_info *info);
tvgp_status tvgp_kernel_clone(const tvgp_kernel *kernel, const double *values_or_null, tvgp_kernel **out);
tvgp_status tvgp_kernel_contract(const tvgp_kernel *kernel, size_t n, const double *X, size_t m, const double *Z,
    const double *W, double *gradient);
tvgp_status tvgp_kernel_dim(const tvgp_kernel *kernel, size_t *dim);
void tvgp_kernel_destroy(tvgp_kernel *kernel);
tvgp_status tvgp_ctx_register_kernel(tvgp_ctx *ctx, const tvgp_kernel_type *type, void *user, tvgp_destroy_fn destroy_or_null);
tvgp_status tvgp_kernel_of_type(tvgp_ctx *ctx, const char *type, size_t dim, void *data, tvgp_kernel **out);
tvgp_status tvgp_ctx_register_domain(tvgp_ctx *ctx, const tvgp_domain_type *type, void *user, tvgp_destroy_fn destroy_or_null);
tvgp_status tvgp_domain_of_type(tvgp_ctx *ctx, const char *type, size_t n, size_t dim, void *data, tvgp_domain **out);
tvgp_status tvgp_ctx_register_policy(tvgp_ctx *ctx, const tvgp_policy_type *type, void *user, tvgp_destroy_fn destroy_or_null);
tvgp_status tvgp_prior_learn(tvgp_ctx *ctx, const tvgp_domain *domain, size_t n_runs, const size_t *first, size_t n,
    const int64_t *arm, const double *t_or_null, const double *y, const tvgp_kernel *kernel_or_null, double strength,
    double epsilon, int64_t max_iterations, double *mean, tvgp_kernel **kernel, double *noise);
tvgp_status tvgp_gp_create(tvgp_ctx *ctx, const tvgp_kernel *space, const tvgp_kernel *time_or_null, double noise,
    tvgp_gp **out);
tvgp_status tvgp_gp_set_mean(tvgp_gp *gp, double intercept, const double *slope_or_null);
tvgp_status tvgp_gp_add(tvgp_gp *gp, size_t n, const double *X, const double *t_or_null, const double *y,
    const double *noise_var_or_null);
tvgp_status tvgp_gp_drop(tvgp_gp *gp, size_t n_oldest);
tvgp_status tvgp_gp_predict(tvgp_gp *gp, size_t n, const double *X, double t, double *mean, double *var);
tvgp_status tvgp_gp_predict_gradient(tvgp_gp *gp, size_t n, const double *X, double t, double *mean, double *var, double *dmean,
    double *dvar);
tvgp_status tvgp_gp_log_evidence(tvgp_gp *gp, double *value);
tvgp_status tvgp_gp_log_evidence_gradient(tvgp_gp *gp, double *value, double *gradient);
tvgp_status tvgp_gp_fit(tvgp_gp *gp, const double *lower_or_null, const double *upper_or_null, int64_t max_evals,
    double *log_posterior);
tvgp_status tvgp_gp_kernels(const tvgp_gp *gp, tvgp_kernel **space, tvgp_kernel **time_or_null);
tvgp_status tvgp_gp_noise(const tvgp_gp *gp, double *noise, double *intercept);
tvgp_status tvgp_gp_information_gain(tvgp_gp *gp, double *value);
tvgp_status tvgp_gp_size(const tvgp_gp *gp, size_t *n);
tvgp_status tvgp_gp_jitter(const tvgp_gp *gp, size_t *count);
void tvgp_gp_destroy(tvgp_gp *gp);
tvgp_status tvgp_kdpp_sample(tvgp_ctx *ctx, const tvgp_kernel *kernel, size_t n, const double *X, size_t k, int64_t steps,
    uint64_t seed, size_t *index, size_t *n_index);
tvgp_status tvgp_policy_create(tvgp_ctx *ctx, const char *name, const tvgp_domain *domain, const tvgp_kernel *kernel_or_null,
    tvgp_policy **out);
void tvgp_policy_destroy(tvgp_policy *policy);
tvgp_status tvgp_policy_set_f64(tvgp_policy *policy, const char *key, double value);
tvgp_status tvgp_policy_set_i64(tvgp_policy *policy, const char *key, int64_t value);
tvgp_status tvgp_policy_set_str(tvgp_policy *policy, const char *key, const char *value);
tvgp_status tvgp_policy_set(tvgp_policy *policy, const char *text);
tvgp_status tvgp_policy_get_f64(const tvgp_policy *policy, const char *key, double *value);
tvgp_status tvgp_policy_get_i64(const tvgp_policy *policy, const char *key, int64_t *value);
tvgp_status tvgp_policy_get_str(const tvgp_policy *policy, const char *key, const char **value);
tvgp_status tvgp_policy_set_mean(tvgp_policy *policy, const double *mean_or_null, size_t n);
tvgp_status tvgp_policy_learn_log(tvgp_policy *policy, const tvgp_obs *obs, const double *x, size_t n);
tvgp_status tvgp_policy_learn_table(tvgp_policy *policy, size_t rows, const double *t_or_null, const double *value);
tvgp_status tvgp_policy_mean(const tvgp_policy *policy, double t, double *mean, size_t n);
tvgp_status tvgp_policy_fit(tvgp_policy *policy, int64_t max_evals, int64_t *evals);
tvgp_status tvgp_policy_kernel(const tvgp_policy *policy, tvgp_kernel **out);
tvgp_status tvgp_policy_domain(const tvgp_policy *policy, tvgp_domain **out);
tvgp_status tvgp_policy_name(const tvgp_policy *policy, const char **name);
tvgp_status tvgp_policy_set_mean_fn(tvgp_policy *policy, tvgp_mean_fn mean_or_null, void *user);
tvgp_status tvgp_policy_add_prior(tvgp_policy *policy, const tvgp_kernel *kernel, const double *mean_or_null, size_t n_mean,
    double epsilon);
tvgp_status tvgp_policy_add_prior_fn(tvgp_policy *policy, const tvgp_kernel *kernel, tvgp_mean_fn mean_or_null, void *user,
    double epsilon);
tvgp_status tvgp_policy_set_prior_mean(tvgp_policy *policy, size_t i, const double *mean_or_null, size_t n);
tvgp_status tvgp_policy_set_incumbent(tvgp_policy *policy, const double *x_or_null, double budget);
tvgp_status tvgp_policy_add_limit(tvgp_policy *policy, tvgp_policy *model, uint32_t flags, double limit);
tvgp_status tvgp_policy_set_limit(tvgp_policy *policy, size_t k, double limit);
tvgp_status tvgp_policy_set_safe(tvgp_policy *policy, size_t n, const double *X_or_null);
tvgp_status tvgp_policy_risk(tvgp_policy *policy, double t, size_t n, const double *X_or_null, double *risk);
tvgp_status tvgp_policy_tell_values(tvgp_policy *policy, int64_t id, const double *y, size_t n);
tvgp_status tvgp_policy_set_available(tvgp_policy *policy, const uint8_t *mask_or_null, size_t n);
tvgp_status tvgp_policy_extend(tvgp_policy *policy, const tvgp_domain *larger, const double *new_mean_or_null);
tvgp_status tvgp_policy_set_context(tvgp_policy *policy, int64_t context);
tvgp_status tvgp_policy_set_context_x(tvgp_policy *policy, const double *z, size_t n);
tvgp_status tvgp_policy_set_bounds(tvgp_policy *policy, const double *lower_or_null, const double *upper_or_null);
tvgp_status tvgp_policy_set_feasible(tvgp_policy *policy, tvgp_feasible_fn feasible_or_null, void *user);
tvgp_status tvgp_policy_set_candidates(tvgp_policy *policy, size_t n, const double *X_or_null, const double *mean_or_null);
tvgp_status tvgp_policy_ask(tvgp_policy *policy, double t, size_t cap, tvgp_query *q, double *x, size_t *n);
tvgp_status tvgp_policy_tell(tvgp_policy *policy, const tvgp_obs *obs, const double *x_or_null, size_t n);
tvgp_status tvgp_policy_pending(const tvgp_policy *policy, size_t cap, tvgp_query *q_or_null, double *x_or_null, size_t *n);
tvgp_status tvgp_policy_ask_one(tvgp_policy *policy, double t, tvgp_query *q, double *x);
tvgp_status tvgp_policy_tell_value(tvgp_policy *policy, int64_t id, double y);
tvgp_status tvgp_policy_save(const tvgp_policy *policy, void *buffer_or_null, size_t capacity, size_t *needed);
tvgp_status tvgp_policy_load(tvgp_policy *policy, const void *bytes, size_t n);
tvgp_status tvgp_policy_save_whole(const tvgp_policy *policy, void *buffer_or_null, size_t capacity, size_t *needed);
tvgp_status tvgp_policy_create_from(tvgp_ctx *ctx, const void *bytes, size_t n, const tvgp_domain *domain_or_null,
    const tvgp_kernel *kernel_or_null, tvgp_policy **out);
tvgp_status tvgp_policy_clone(const tvgp_policy *policy, tvgp_policy **out);
tvgp_status tvgp_policy_predict(tvgp_policy *policy, double t, size_t n, const double *X_or_null, double *mean, double *var);
tvgp_status tvgp_policy_predict_gradient(tvgp_policy *policy, double t, size_t n, const double *X, double *mean, double *var,
    double *dmean, double *dvar);
tvgp_status tvgp_policy_score(tvgp_policy *policy, double t, size_t n, const double *X_or_null, double *score_or_null,
    double *mean_or_null, double *sd_or_null);
tvgp_status tvgp_policy_best(tvgp_policy *policy, double t, int64_t *arm, double *x);
tvgp_status tvgp_policy_stat(const tvgp_policy *policy, const char *key, double *value);
tvgp_status tvgp_policy_count(const tvgp_ctx *ctx, size_t *n);
tvgp_status tvgp_policy_name_at(const tvgp_ctx *ctx, size_t i, const char **name, const char **doc);
tvgp_status tvgp_policy_option_count(const tvgp_policy *policy, size_t *n);
tvgp_status tvgp_policy_option_info(const tvgp_policy *policy, size_t i, tvgp_option_info *info);
tvgp_status tvgp_policy_stat_count(const tvgp_policy *policy, size_t *n);
tvgp_status tvgp_policy_stat_name_at(const tvgp_policy *policy, size_t i, const char **key, const char **doc);
tvgp_status tvgp_policy_stat_kind_at(const tvgp_policy *policy, size_t i, uint32_t *kind, const char **unit);
tvgp_status tvgp_random_uniform(uint64_t seed, uint32_t purpose, uint64_t step, size_t n, double *out);
tvgp_status tvgp_random_normal(uint64_t seed, uint32_t purpose, uint64_t step, size_t n, double *out);
]])
