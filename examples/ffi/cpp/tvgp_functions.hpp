/* SPDX-License-Identifier: MIT */
/* Every function of the library by its name in C without tvgp_: tvgp::c::policy_predict_gradient(policy, t, X). What the C function
 * is given is given here in the same order, but for the lengths of arrays, which are known; what it writes is returned, several
 * things in a struct. Failures are thrown. Included by tvgp.hpp. Made by examples/ffi/generate from tvgp.json: do not edit. */
#ifndef TVGP_FUNCTIONS_HPP
#define TVGP_FUNCTIONS_HPP

#include "tvgp.hpp"

namespace tvgp {
namespace c {

template <typename T> auto address(const T &object) -> decltype(object.get()) { return object.get(); }
template <typename T> auto address(const T *object) -> decltype(object->get()) { return object ? object->get() : nullptr; }
/* Of an array without entries too: NULL would say that there is none. */
template <typename T> const T *data(const std::vector<T> &values) {
    static const T none = T();
    return values.empty() ? &none : values.data();
}
template <typename T> const T *data(const std::vector<T> *values) { return values ? data(*values) : nullptr; }
template <typename T> T *room(std::vector<T> &values) {
    if (values.capacity() == 0)
        values.reserve(1);
    return values.data();
}
inline std::string text_of(const char *text) { return text ? text : ""; }
inline std::size_t quotient(const char *what, std::size_t n, std::size_t by) {
    if (by == 0 || n % by)
        throw std::invalid_argument(std::string(what) + " has " + std::to_string(n) + " entries, no multiple of " +
                                    std::to_string(by));
    return n / by;
}

inline std::size_t dim_of(const Domain &domain) { return domain.dim(); }
inline std::size_t dim_of(const Policy &policy) { return policy.domain().dim(); }
inline std::size_t dim_of(const Kernel &kernel) {
    std::size_t dim = 0;
    checked(kernel.shared(), tvgp_kernel_dim(kernel.get(), &dim));
    return dim;
}
inline std::size_t dim_of(const GP &gp) {
    tvgp_kernel *space = nullptr;
    checked(gp.shared(), tvgp_gp_kernels(gp.get(), &space, nullptr));
    return dim_of(Kernel(gp.shared(), space));
}
inline std::size_t arms_of(const Domain &domain) { return domain.size(); }
inline std::size_t arms_of(const Policy &policy) { return policy.domain().size(); }
inline std::size_t parameters_of(const Kernel &kernel) {
    std::size_t n = 0;
    checked(kernel.shared(), tvgp_kernel_param_count(kernel.get(), &n));
    return n;
}
inline std::size_t parameters_of(const GP &gp) {
    tvgp_kernel *space = nullptr, *time = nullptr;
    checked(gp.shared(), tvgp_gp_kernels(gp.get(), &space, &time));
    const Kernel first(gp.shared(), space), second(gp.shared(), time);
    return parameters_of(first) + (time ? parameters_of(second) : 0) + 1;
}

/* This rank's n >= 1 arms, after those of the lower ranks: arm numbers everywhere are among all of them. */
inline Domain domain_arms_shared(const Context &ctx, const tvgp_comm &comm, std::size_t dim, const std::vector<double> &X) {
    const std::size_t n = quotient("domain_arms_shared: X", X.size(), dim);
    tvgp_domain *out_ = nullptr;
    checked(ctx.shared(), tvgp_domain_arms_shared(address(ctx), &comm, n, dim, data(X), &out_));
    return Domain(ctx.shared(), out_);
}

/* The grid of tvgp_domain_grid, the same arguments on all ranks; each rank holds a part of the first coordinate's points, of
 * which there must be as many as ranks at least (ARG). */
inline Domain domain_grid_shared(const Context &ctx, const tvgp_comm &comm, const std::vector<double> &lower,
    const std::vector<double> &upper, const std::vector<std::size_t> &points) {
    const std::size_t dim = lower.size();
    same("domain_grid_shared: upper", upper.size(), dim);
    same("domain_grid_shared: points", points.size(), dim);
    tvgp_domain *out_ = nullptr;
    checked(ctx.shared(), tvgp_domain_grid_shared(address(ctx), &comm, dim, data(lower), data(upper), data(points), &out_));
    return Domain(ctx.shared(), out_);
}

struct domain_share_result {
    std::size_t first;
    std::size_t n;
    std::size_t n_total;
};
/* The arms this rank holds are first .. first + n - 1 of n_total; each may be NULL. */
inline domain_share_result domain_share(const Domain &domain) {
    domain_share_result found = domain_share_result();
    checked(domain.shared(), tvgp_domain_share(address(domain), &found.first, &found.n, &found.n_total));
    return found;
}

/* "major.minor.patch" of the library in use (static string). */
inline std::string version() {
    return text_of(tvgp_version());
}

/* Name of a status code, e.g. "TVGP_ERR_ARG"; "TVGP_ERR_CALLBACK" for -1000..-1999, "unknown status" otherwise. */
inline std::string status_name(tvgp_status status) {
    return text_of(tvgp_status_name(status));
}

/* Creates a context. allocator NULL: malloc and free. */
inline Context ctx_create(const tvgp_allocator *allocator) {
    tvgp_ctx *out_ = nullptr;
    checked(nullptr, tvgp_ctx_create(allocator, &out_));
    return Context(Shared(out_, tvgp_ctx_destroy));
}

/* Gives up the ctx. */
inline void ctx_destroy(Context &ctx) { ctx.reset(); }

/* Text of the last failure in this context ("" after a success), at most 255 bytes. */
inline std::string ctx_errmsg(const Context &ctx) {
    return text_of(tvgp_ctx_errmsg(address(ctx)));
}

/* Installs a logger (NULL: none). */
inline void ctx_set_logger(const Context &ctx, tvgp_logger logger, void *user) {
    checked(ctx.shared(), tvgp_ctx_set_logger(address(ctx), logger, user));
}

/* Installs a function that may end long work (NULL: none): the factorisation of a large kernel at the first ask or tell, k-DPP
 * chains, fits of parameters; about once a millisecond. */
inline void ctx_set_interrupt(const Context &ctx, tvgp_interrupt interrupt, void *user) {
    checked(ctx.shared(), tvgp_ctx_set_interrupt(address(ctx), interrupt, user));
}

/* Limits for what is done in this context, as for snapshots that somebody else wrote (docs/restarts.md); 0: none, as at first.
 * bytes: what the context may hold, as tvgp_ctx_memory counts it. arms: of a domain that is made, on this rank where they are
 * shared. work: values that one call may compute, counted from 0 in every call: of kernels (each pair of points, a variance, their
 * gradients; of a kernel made of kernels its own and those of its parts), of arms in joint draws (choice=thompson), and pairs of
 * points that a search on a box compares. */
inline void ctx_set_quota(const Context &ctx, std::size_t bytes, std::size_t arms, std::int64_t work) {
    checked(ctx.shared(), tvgp_ctx_set_quota(address(ctx), bytes, arms, work));
}

/* Bytes now held by the context and all that was made from it. */
inline std::size_t ctx_memory(const Context &ctx) {
    std::size_t found = std::size_t();
    checked(ctx.shared(), tvgp_ctx_memory(address(ctx), &found));
    return found;
}

/* n explicit arms, X row-major n x dim (copied). */
inline Domain domain_arms(const Context &ctx, std::size_t dim, const std::vector<double> &X) {
    const std::size_t n = quotient("domain_arms: X", X.size(), dim);
    tvgp_domain *out_ = nullptr;
    checked(ctx.shared(), tvgp_domain_arms(address(ctx), n, dim, data(X), &out_));
    return Domain(ctx.shared(), out_);
}

/* n arms whose only coordinate is their index: 0, 1, .., n-1. */
inline Domain domain_indices(const Context &ctx, std::size_t n) {
    tvgp_domain *out_ = nullptr;
    checked(ctx.shared(), tvgp_domain_indices(address(ctx), n, &out_));
    return Domain(ctx.shared(), out_);
}

/* Product grid: points[d] equally spaced values from lower[d] to upper[d], both included (points[d] = 1: lower[d] only). */
inline Domain domain_grid(const Context &ctx, const std::vector<double> &lower, const std::vector<double> &upper,
    const std::vector<std::size_t> &points) {
    const std::size_t dim = lower.size();
    same("domain_grid: upper", upper.size(), dim);
    same("domain_grid: points", points.size(), dim);
    tvgp_domain *out_ = nullptr;
    checked(ctx.shared(), tvgp_domain_grid(address(ctx), dim, data(lower), data(upper), data(points), &out_));
    return Domain(ctx.shared(), out_);
}

/* A larger domain: the arms of this one, with their numbers, and behind them n more, X row-major n x dim (copied). */
inline Domain domain_append(const Domain &domain, const std::vector<double> &X) {
    const std::size_t n = quotient("domain_append: X", X.size(), dim_of(domain));
    tvgp_domain *out_ = nullptr;
    checked(domain.shared(), tvgp_domain_append(address(domain), n, data(X), &out_));
    return Domain(domain.shared(), out_);
}

/* Every pair of an action and a context: arm = action * contexts + context, its point the action's coordinates followed by the
 * context's. */
inline Domain domain_product(const Context &ctx, const Domain &actions, const Domain &contexts) {
    tvgp_domain *out_ = nullptr;
    checked(ctx.shared(), tvgp_domain_product(address(ctx), address(actions), address(contexts), &out_));
    return Domain(ctx.shared(), out_);
}

struct domain_split_result {
    std::int64_t action;
    std::int64_t context;
};
/* The action and the context of an arm of a product; each may be NULL. */
inline domain_split_result domain_split(const Domain &domain, std::int64_t arm) {
    domain_split_result found = domain_split_result();
    checked(domain.shared(), tvgp_domain_split(address(domain), arm, &found.action, &found.context));
    return found;
}

/* Means of the arms by phase of a period, from n observations y of arms at times t (for tvgp_policy_set_mean, or to see a
 * season): mean is bins x arms, bin b holds the times with frac(t / period) in [b, b + 1) / bins. */
inline std::vector<double> domain_seasonal_mean(const Domain &domain, const std::vector<std::int64_t> &arm,
    const std::vector<double> &t, const std::vector<double> &y, double period, std::size_t bins) {
    const std::size_t n = arm.size();
    same("domain_seasonal_mean: t", t.size(), n);
    same("domain_seasonal_mean: y", y.size(), n);
    std::vector<double> found(bins * arms_of(domain));
    checked(domain.shared(), tvgp_domain_seasonal_mean(address(domain), n, data(arm), data(t), data(y), period, bins, room(found)));
    return found;
}

/* A box: every point with lower[k] <= x[k] <= upper[k], for 1 <= dim <= 64. */
inline Domain domain_box(const Context &ctx, const std::vector<double> &lower, const std::vector<double> &upper) {
    const std::size_t dim = lower.size();
    same("domain_box: upper", upper.size(), dim);
    tvgp_domain *out_ = nullptr;
    checked(ctx.shared(), tvgp_domain_box(address(ctx), dim, data(lower), data(upper), &out_));
    return Domain(ctx.shared(), out_);
}

/* Coordinate k of a box takes whole numbers only; its bounds move inwards to whole numbers. */
inline void domain_box_integer(Domain &domain, std::size_t k) {
    checked(domain.shared(), tvgp_domain_box_integer(address(domain), k));
}

/* Number of arms (0 for a box); dimension of the points; coordinates of one arm (x has dim entries; ARG when arm is not in
 * 0..n-1). */
inline std::size_t domain_size(const Domain &domain) {
    std::size_t found = std::size_t();
    checked(domain.shared(), tvgp_domain_size(address(domain), &found));
    return found;
}

/* Number of arms (0 for a box); dimension of the points; coordinates of one arm (x has dim entries; ARG when arm is not in
 * 0..n-1). */
inline std::size_t domain_dim(const Domain &domain) {
    std::size_t found = std::size_t();
    checked(domain.shared(), tvgp_domain_dim(address(domain), &found));
    return found;
}

/* Number of arms (0 for a box); dimension of the points; coordinates of one arm (x has dim entries; ARG when arm is not in
 * 0..n-1). */
inline std::vector<double> domain_point(const Domain &domain, std::int64_t arm) {
    std::vector<double> found(dim_of(domain));
    checked(domain.shared(), tvgp_domain_point(address(domain), arm, room(found)));
    return found;
}

struct domain_bounds_result {
    std::vector<double> lower;
    std::vector<double> upper;
};
/* The smallest and the largest value of each coordinate (dim entries each): the bounds of a box; of arms those of their points,
 * of shared arms of the points this rank holds; of arms with measured contexts those of the actions, then of the box. */
inline domain_bounds_result domain_bounds(const Domain &domain) {
    domain_bounds_result found = domain_bounds_result();
    found.lower.resize(dim_of(domain));
    found.upper.resize(dim_of(domain));
    checked(domain.shared(), tvgp_domain_bounds(address(domain), room(found.lower), room(found.upper)));
    return found;
}

/* What the domain is: "arms", "indices", "grid", "box", "product", or the name of a registered type (tvgp/extend.h). */
inline std::string domain_type_name(const Domain &domain) {
    const char *type_ = nullptr;
    checked(domain.shared(), tvgp_domain_type_name(address(domain), &type_));
    return text_of(type_);
}

/* Gives up the domain. */
inline void domain_destroy(Domain &domain) { domain.reset(); }

/* Squared exponential: variance exp(-r^2 / 2). */
inline Kernel kernel_se(const Context &ctx, std::size_t dim, double variance, const std::vector<double> &lengthscale) {
    const std::size_t n_lengthscale = lengthscale.size();
    tvgp_kernel *out_ = nullptr;
    checked(ctx.shared(), tvgp_kernel_se(address(ctx), dim, variance, data(lengthscale), n_lengthscale, &out_));
    return Kernel(ctx.shared(), out_);
}

/* Matern with nu = 0.5, 1.5 or 2.5 (anything else: ARG): with a = sqrt(2 nu) r, variance e^-a, variance (1 + a) e^-a, variance
 * (1 + a + a^2/3) e^-a (Rasmussen and Williams 2006, eq. 4.17). */
inline Kernel kernel_matern(const Context &ctx, std::size_t dim, double nu, double variance,
    const std::vector<double> &lengthscale) {
    const std::size_t n_lengthscale = lengthscale.size();
    tvgp_kernel *out_ = nullptr;
    checked(ctx.shared(), tvgp_kernel_matern(address(ctx), dim, nu, variance, data(lengthscale), n_lengthscale, &out_));
    return Kernel(ctx.shared(), out_);
}

/* Rational quadratic: variance (1 + r^2 / (2 alpha))^-alpha (Rasmussen and Williams 2006, eq. 4.19). */
inline Kernel kernel_rational_quadratic(const Context &ctx, std::size_t dim, double alpha, double variance,
    const std::vector<double> &lengthscale) {
    const std::size_t n_lengthscale = lengthscale.size();
    tvgp_kernel *out_ = nullptr;
    checked(ctx.shared(), tvgp_kernel_rational_quadratic(address(ctx), dim, alpha, variance, data(lengthscale), n_lengthscale, &out_));
    return Kernel(ctx.shared(), out_);
}

/* Periodic: variance exp(-2 sum_d sin^2(pi (x_d - x'_d) / period_d) / l_d^2) (Rasmussen and Williams 2006, eq. 4.31). */
inline Kernel kernel_periodic(const Context &ctx, std::size_t dim, double variance, const std::vector<double> &lengthscale,
    const std::vector<double> &period) {
    const std::size_t n_lengthscale = lengthscale.size();
    const std::size_t n_period = period.size();
    tvgp_kernel *out_ = nullptr;
    checked(ctx.shared(), tvgp_kernel_periodic(address(ctx), dim, variance, data(lengthscale), n_lengthscale, data(period), n_period, &out_));
    return Kernel(ctx.shared(), out_);
}

/* Linear: bias + variance sum_d x_d x'_d / l_d^2, bias >= 0. */
inline Kernel kernel_linear(const Context &ctx, std::size_t dim, double variance, const std::vector<double> &lengthscale,
    double bias) {
    const std::size_t n_lengthscale = lengthscale.size();
    tvgp_kernel *out_ = nullptr;
    checked(ctx.shared(), tvgp_kernel_linear(address(ctx), dim, variance, data(lengthscale), n_lengthscale, bias, &out_));
    return Kernel(ctx.shared(), out_);
}

/* A given covariance between n_arms arms, row-major n_arms x n_arms. */
inline Kernel kernel_table(const Context &ctx, std::size_t n_arms, const std::vector<double> &K) {
    same("kernel_table: K", K.size(), n_arms * n_arms);
    tvgp_kernel *out_ = nullptr;
    checked(ctx.shared(), tvgp_kernel_table(address(ctx), n_arms, data(K), &out_));
    return Kernel(ctx.shared(), out_);
}

/* a + b and a * b. */
inline Kernel kernel_sum(const Context &ctx, const Kernel &a, const Kernel &b) {
    tvgp_kernel *out_ = nullptr;
    checked(ctx.shared(), tvgp_kernel_sum(address(ctx), address(a), address(b), &out_));
    return Kernel(ctx.shared(), out_);
}

/* a + b and a * b. */
inline Kernel kernel_product(const Context &ctx, const Kernel &a, const Kernel &b) {
    tvgp_kernel *out_ = nullptr;
    checked(ctx.shared(), tvgp_kernel_product(address(ctx), address(a), address(b), &out_));
    return Kernel(ctx.shared(), out_);
}

/* inner on coordinates first .. first + its dimension - 1 of points with `dim` coordinates; sums and products of slices say
 * "this kernel over the arm times that one over the hour". */
inline Kernel kernel_slice(const Context &ctx, std::size_t dim, std::size_t first, const Kernel &inner) {
    tvgp_kernel *out_ = nullptr;
    checked(ctx.shared(), tvgp_kernel_slice(address(ctx), dim, first, address(inner), &out_));
    return Kernel(ctx.shared(), out_);
}

/* One coordinate, equal or not (dim 1): `variance` where two values are equal, variance times correlation where they differ,
 * correlation in [0, 1] (else ARG). 0: independent arms; above: groups that have something in common. */
inline Kernel kernel_categorical(const Context &ctx, double variance, double correlation) {
    tvgp_kernel *out_ = nullptr;
    checked(ctx.shared(), tvgp_kernel_categorical(address(ctx), variance, correlation, &out_));
    return Kernel(ctx.shared(), out_);
}

/* Kernels over time (dim 1). */
inline Kernel kernel_forgetting(const Context &ctx, double epsilon) {
    tvgp_kernel *out_ = nullptr;
    checked(ctx.shared(), tvgp_kernel_forgetting(address(ctx), epsilon, &out_));
    return Kernel(ctx.shared(), out_);
}

/* Kernels over time (dim 1). */
inline Kernel kernel_wiener(const Context &ctx, double rate, double origin) {
    tvgp_kernel *out_ = nullptr;
    checked(ctx.shared(), tvgp_kernel_wiener(address(ctx), rate, origin, &out_));
    return Kernel(ctx.shared(), out_);
}

/* K[i, j] = k(X_i, Z_j): X is n x dim, Z is m x dim, K is n x m, all row-major. */
inline std::vector<double> kernel_gram(const Kernel &kernel, const std::vector<double> &X, const std::vector<double> &Z) {
    const std::size_t n = quotient("kernel_gram: X", X.size(), dim_of(kernel));
    const std::size_t m = quotient("kernel_gram: Z", Z.size(), dim_of(kernel));
    std::vector<double> found(n * m);
    checked(kernel.shared(), tvgp_kernel_gram(address(kernel), n, data(X), m, data(Z), room(found)));
    return found;
}

/* How many parameters there are; 0: nothing can be learned (a table). */
inline std::size_t kernel_param_count(const Kernel &kernel) {
    std::size_t found = std::size_t();
    checked(kernel.shared(), tvgp_kernel_param_count(address(kernel), &found));
    return found;
}

/* Parameter i. */
inline tvgp_param_info kernel_param_info(const Kernel &kernel, std::size_t i) {
    tvgp_param_info found = tvgp_param_info();
    checked(kernel.shared(), tvgp_kernel_param_info(address(kernel), i, &found));
    return found;
}

/* The same family with other values, one for each parameter; NULL: its own values. */
inline Kernel kernel_clone(const Kernel &kernel, const std::vector<double> *values_or_null) {
    if (values_or_null)
        same("kernel_clone: values_or_null", values_or_null->size(), parameters_of(kernel));
    tvgp_kernel *out_ = nullptr;
    checked(kernel.shared(), tvgp_kernel_clone(address(kernel), data(values_or_null), &out_));
    return Kernel(kernel.shared(), out_);
}

/* gradient[p] = sum_ij W[i, j] dk(X_i, Z_j)/du_p for every parameter: the derivative of sum_ij W[i, j] k(X_i, Z_j). */
inline std::vector<double> kernel_contract(const Kernel &kernel, const std::vector<double> &X, const std::vector<double> &Z,
    const std::vector<double> &W) {
    const std::size_t n = quotient("kernel_contract: X", X.size(), dim_of(kernel));
    const std::size_t m = quotient("kernel_contract: Z", Z.size(), dim_of(kernel));
    same("kernel_contract: W", W.size(), n * m);
    std::vector<double> found(parameters_of(kernel));
    checked(kernel.shared(), tvgp_kernel_contract(address(kernel), n, data(X), m, data(Z), data(W), room(found)));
    return found;
}

/* Dimension of the kernel's points. */
inline std::size_t kernel_dim(const Kernel &kernel) {
    std::size_t found = std::size_t();
    checked(kernel.shared(), tvgp_kernel_dim(address(kernel), &found));
    return found;
}

/* Gives up the kernel. */
inline void kernel_destroy(Kernel &kernel) { kernel.reset(); }

/* Registers a type of kernel in this context, for good; the table and its name are copied. user is what `load` is given;
 * destroy is called with it when the context is gone. */
inline void ctx_register_kernel(const Context &ctx, const tvgp_kernel_type &type, void *user, tvgp_destroy_fn destroy_or_null) {
    checked(ctx.shared(), tvgp_ctx_register_kernel(address(ctx), &type, user, destroy_or_null));
}

/* A kernel of a registered type over dim coordinates; takes over data. */
inline Kernel kernel_of_type(const Context &ctx, const std::string &type, std::size_t dim, void *data) {
    tvgp_kernel *out_ = nullptr;
    checked(ctx.shared(), tvgp_kernel_of_type(address(ctx), c_text(type), dim, data, &out_));
    return Kernel(ctx.shared(), out_);
}

/* As tvgp_ctx_register_kernel. */
inline void ctx_register_domain(const Context &ctx, const tvgp_domain_type &type, void *user, tvgp_destroy_fn destroy_or_null) {
    checked(ctx.shared(), tvgp_ctx_register_domain(address(ctx), &type, user, destroy_or_null));
}

/* A domain of a registered type with n arms in dim coordinates; takes over data. tvgp_domain_append makes a list of arms of it. */
inline Domain domain_of_type(const Context &ctx, const std::string &type, std::size_t n, std::size_t dim, void *data) {
    tvgp_domain *out_ = nullptr;
    checked(ctx.shared(), tvgp_domain_of_type(address(ctx), c_text(type), n, dim, data, &out_));
    return Domain(ctx.shared(), out_);
}

/* Registers a policy, for good: tvgp_policy_create and tvgp_policy_create_from know its name then. */
inline void ctx_register_policy(const Context &ctx, const tvgp_policy_type &type, void *user, tvgp_destroy_fn destroy_or_null) {
    checked(ctx.shared(), tvgp_ctx_register_policy(address(ctx), &type, user, destroy_or_null));
}

struct prior_learn_result {
    std::vector<double> mean;
    Kernel kernel;
    double noise;
};
/* Learns the mean and the covariance over the arms of a domain, and the noise, that explain n_runs runs best: what a new
 * device, cell or user may believe after the logs of others. */
inline prior_learn_result prior_learn(const Context &ctx, const Domain &domain, const std::vector<std::size_t> &first,
    const std::vector<std::int64_t> &arm, const std::vector<double> *t_or_null, const std::vector<double> &y,
    const Kernel *kernel_or_null, double strength, double epsilon, std::int64_t max_iterations) {
    const std::size_t n_runs = first.size();
    const std::size_t n = arm.size();
    if (t_or_null)
        same("prior_learn: t_or_null", t_or_null->size(), n);
    same("prior_learn: y", y.size(), n);
    std::vector<double> mean_(arms_of(domain));
    tvgp_kernel *kernel_ = nullptr;
    double noise_ = double();
    checked(ctx.shared(), tvgp_prior_learn(address(ctx), address(domain), n_runs, data(first), n, data(arm), data(t_or_null), data(y),
            address(kernel_or_null), strength, epsilon, max_iterations, room(mean_), &kernel_, &noise_));
    return prior_learn_result{mean_, Kernel(ctx.shared(), kernel_), noise_};
}

/* An empty posterior. time NULL: the function does not change. noise >= 0 is the default noise variance. */
inline GP gp_create(const Context &ctx, const Kernel &space, const Kernel *time_or_null, double noise) {
    tvgp_gp *out_ = nullptr;
    checked(ctx.shared(), tvgp_gp_create(address(ctx), address(space), address(time_or_null), noise, &out_));
    return GP(ctx.shared(), out_);
}

/* Affine prior mean m(x) = intercept + slope' x; slope has dim entries, NULL for a constant mean. */
inline void gp_set_mean(GP &gp, double intercept, const std::vector<double> *slope_or_null) {
    if (slope_or_null)
        same("gp_set_mean: slope_or_null", slope_or_null->size(), dim_of(gp));
    checked(gp.shared(), tvgp_gp_set_mean(address(gp), intercept, data(slope_or_null)));
}

/* Adds n observations in order, all or none. */
inline void gp_add(GP &gp, const std::vector<double> &X, const std::vector<double> *t_or_null, const std::vector<double> &y,
    const std::vector<double> *noise_var_or_null) {
    const std::size_t n = quotient("gp_add: X", X.size(), dim_of(gp));
    if (t_or_null)
        same("gp_add: t_or_null", t_or_null->size(), n);
    same("gp_add: y", y.size(), n);
    if (noise_var_or_null)
        same("gp_add: noise_var_or_null", noise_var_or_null->size(), n);
    checked(gp.shared(), tvgp_gp_add(address(gp), n, data(X), data(t_or_null), data(y), data(noise_var_or_null)));
}

/* Forgets the n oldest observations (in order of adding): O(N^2) each, by Givens rotations. */
inline void gp_drop(GP &gp, std::size_t n_oldest) {
    checked(gp.shared(), tvgp_gp_drop(address(gp), n_oldest));
}

struct gp_predict_result {
    std::vector<double> mean;
    std::vector<double> var;
};
/* Mean and latent variance at n points (n x dim) at time t (ignored without a time kernel). mean or var may be NULL. */
inline gp_predict_result gp_predict(GP &gp, const std::vector<double> &X, double t) {
    const std::size_t n = quotient("gp_predict: X", X.size(), dim_of(gp));
    gp_predict_result found = gp_predict_result();
    found.mean.resize(n);
    found.var.resize(n);
    checked(gp.shared(), tvgp_gp_predict(address(gp), n, data(X), t, room(found.mean), room(found.var)));
    return found;
}

struct gp_predict_gradient_result {
    std::vector<double> mean;
    std::vector<double> var;
    std::vector<double> dmean;
    std::vector<double> dvar;
};
/* The same with gradients by the point: dmean and dvar are n x dim, row-major. */
inline gp_predict_gradient_result gp_predict_gradient(GP &gp, const std::vector<double> &X, double t) {
    const std::size_t n = quotient("gp_predict_gradient: X", X.size(), dim_of(gp));
    gp_predict_gradient_result found = gp_predict_gradient_result();
    found.mean.resize(n);
    found.var.resize(n);
    found.dmean.resize(n * dim_of(gp));
    found.dvar.resize(n * dim_of(gp));
    checked(gp.shared(), tvgp_gp_predict_gradient(address(gp), n, data(X), t, room(found.mean), room(found.var), room(found.dmean), room(found.dvar)));
    return found;
}

/* log p(y | X, t): -1/2 r'(K+Sigma)^-1 r - 1/2 log det(K+Sigma) - N/2 log 2 pi; 0 without data. */
inline double gp_log_evidence(GP &gp) {
    double found = double();
    checked(gp.shared(), tvgp_gp_log_evidence(address(gp), &found));
    return found;
}

struct gp_log_evidence_gradient_result {
    double value;
    std::vector<double> gradient;
};
/* Log evidence as above and its gradient by the coordinates of the parameters (tvgp/kernel.h): those of the kernel over space,
 * those of the time kernel, last log noise, which is of the observations whose noise variance is the default. gradient has as many
 * entries. n^3 flops for n observations, and n^2 + O(n) doubles while it runs. */
inline gp_log_evidence_gradient_result gp_log_evidence_gradient(GP &gp) {
    gp_log_evidence_gradient_result found = gp_log_evidence_gradient_result();
    found.gradient.resize(parameters_of(gp));
    checked(gp.shared(), tvgp_gp_log_evidence_gradient(address(gp), &found.value, room(found.gradient)));
    return found;
}

struct gp_fit_result {
    double log_posterior;
    tvgp_status status;
};
/* Hyper-parameters from the observations held. */
inline gp_fit_result gp_fit(GP &gp, const std::vector<double> *lower_or_null, const std::vector<double> *upper_or_null,
    std::int64_t max_evals) {
    if (lower_or_null)
        same("gp_fit: lower_or_null", lower_or_null->size(), parameters_of(gp));
    if (upper_or_null)
        same("gp_fit: upper_or_null", upper_or_null->size(), parameters_of(gp));
    gp_fit_result found = gp_fit_result();
    found.status = checked(gp.shared(), tvgp_gp_fit(address(gp), data(lower_or_null), data(upper_or_null), max_evals, &found.log_posterior));
    return found;
}

struct gp_kernels_result {
    Kernel space;
    Kernel time;
};
/* The kernels in use, owned handles; time_or_null may be NULL, and *time is NULL without a time kernel. */
inline gp_kernels_result gp_kernels(const GP &gp) {
    tvgp_kernel *space_ = nullptr;
    tvgp_kernel *time_or_null_ = nullptr;
    checked(gp.shared(), tvgp_gp_kernels(address(gp), &space_, &time_or_null_));
    return gp_kernels_result{Kernel(gp.shared(), space_), Kernel(gp.shared(), time_or_null_)};
}

struct gp_noise_result {
    double noise;
    double intercept;
};
/* The default noise variance and the intercept of the mean. */
inline gp_noise_result gp_noise(const GP &gp) {
    gp_noise_result found = gp_noise_result();
    checked(gp.shared(), tvgp_gp_noise(address(gp), &found.noise, &found.intercept));
    return found;
}

/* Information gain 1/2 log det(I + Sigma^-1 K) of the observations held; 0 without data. */
inline double gp_information_gain(GP &gp) {
    double found = double();
    checked(gp.shared(), tvgp_gp_information_gain(address(gp), &found));
    return found;
}

/* Observations held; how often jitter was added since creation. */
inline std::size_t gp_size(const GP &gp) {
    std::size_t found = std::size_t();
    checked(gp.shared(), tvgp_gp_size(address(gp), &found));
    return found;
}

/* Observations held; how often jitter was added since creation. */
inline std::size_t gp_jitter(const GP &gp) {
    std::size_t found = std::size_t();
    checked(gp.shared(), tvgp_gp_jitter(address(gp), &found));
    return found;
}

/* Gives up the gp. */
inline void gp_destroy(GP &gp) { gp.reset(); }

/* Draws a set Z of k of the n points X (n x dim) with probability proportional to det K_Z: greedy start, then `steps` swaps of
 * a Markov chain whose law tends to this; 0 is the greedy set itself. */
inline std::vector<std::size_t> kdpp_sample(const Context &ctx, const Kernel &kernel, const std::vector<double> &X,
    std::size_t k, std::int64_t steps, std::uint64_t seed) {
    const std::size_t n = quotient("kdpp_sample: X", X.size(), dim_of(kernel));
    std::size_t n_index = 0;
    std::vector<std::size_t> found(k);
    checked(ctx.shared(), tvgp_kdpp_sample(address(ctx), address(kernel), n, data(X), k, steps, seed, room(found), &n_index));
    found.resize(n_index);
    return found;
}

/* Creates the policy registered under `name` (docs/algorithms.md lists them). */
inline Policy policy_create(const Context &ctx, const std::string &name, const Domain &domain, const Kernel *kernel_or_null) {
    tvgp_policy *out_ = nullptr;
    checked(ctx.shared(), tvgp_policy_create(address(ctx), c_text(name), address(domain), address(kernel_or_null), &out_));
    return Policy(ctx.shared(), out_);
}

/* Gives up the policy. */
inline void policy_destroy(Policy &policy) { policy.reset(); }

/* One option. */
inline void policy_set_f64(Policy &policy, const std::string &key, double value) {
    checked(policy.shared(), tvgp_policy_set_f64(address(policy), c_text(key), value));
}

/* One option. */
inline void policy_set_i64(Policy &policy, const std::string &key, std::int64_t value) {
    checked(policy.shared(), tvgp_policy_set_i64(address(policy), c_text(key), value));
}

/* One option. */
inline void policy_set_str(Policy &policy, const std::string &key, const std::string &value) {
    checked(policy.shared(), tvgp_policy_set_str(address(policy), c_text(key), c_text(value)));
}

/* Several as text, for configuration files, command lines and bindings: key=value pairs between blanks, such as "noise=.01
 * epsilon=.03 width.schedule=igp". */
inline void policy_set(Policy &policy, const std::string &text) {
    checked(policy.shared(), tvgp_policy_set(address(policy), c_text(text)));
}

/* Several as text, for configuration files, command lines and bindings: key=value pairs between blanks, such as "noise=.01
 * epsilon=.03 width.schedule=igp". */
inline double policy_get_f64(const Policy &policy, const std::string &key) {
    double found = double();
    checked(policy.shared(), tvgp_policy_get_f64(address(policy), c_text(key), &found));
    return found;
}

/* Several as text, for configuration files, command lines and bindings: key=value pairs between blanks, such as "noise=.01
 * epsilon=.03 width.schedule=igp". */
inline std::int64_t policy_get_i64(const Policy &policy, const std::string &key) {
    std::int64_t found = std::int64_t();
    checked(policy.shared(), tvgp_policy_get_i64(address(policy), c_text(key), &found));
    return found;
}

/* Several as text, for configuration files, command lines and bindings: key=value pairs between blanks, such as "noise=.01
 * epsilon=.03 width.schedule=igp". */
inline std::string policy_get_str(const Policy &policy, const std::string &key) {
    const char *value_ = nullptr;
    checked(policy.shared(), tvgp_policy_get_str(address(policy), c_text(key), &value_));
    return text_of(value_);
}

/* Prior mean (copied): n is 1, one value for all points, or the number of arms; NULL with n 0: zero, the default. */
inline void policy_set_mean(Policy &policy, const std::vector<double> *mean_or_null) {
    const std::size_t n = mean_or_null ? mean_or_null->size() : 0;
    checked(policy.shared(), tvgp_policy_set_mean(address(policy), data(mean_or_null), n));
}

/* Learns what usually happens from a log, n records in any order: obs as in tvgp_policy_tell with id 0 and a time (outcomes
 * other than a value are left out, noise variances not looked at), x (n x dim) the arms. */
inline void policy_learn_log(Policy &policy, const std::vector<tvgp_obs> &obs, const std::vector<double> &x) {
    const std::size_t n = obs.size();
    same("policy_learn_log: x", x.size(), n * dim_of(policy));
    checked(policy.shared(), tvgp_policy_learn_log(address(policy), data(obs), data(x), n));
}

/* The same of a table: value is rows x arms, row-major, NaN where nothing was recorded; t the times of the rows, NULL: -rows ..
 * -1, so that a run begins at 0. */
inline void policy_learn_table(Policy &policy, const std::vector<double> *t_or_null, const std::vector<double> &value) {
    const std::size_t rows = quotient("policy_learn_table: value", value.size(), arms_of(policy));
    if (t_or_null)
        same("policy_learn_table: t_or_null", t_or_null->size(), rows);
    checked(policy.shared(), tvgp_policy_learn_table(address(policy), rows, data(t_or_null), data(value)));
}

/* The prior mean of every arm, n of them, at any time t: what is set, or what was learned from a log and is foreseen. */
inline std::vector<double> policy_mean(const Policy &policy, double t, std::size_t n) {
    std::vector<double> found(n);
    checked(policy.shared(), tvgp_policy_mean(address(policy), t, room(found), n));
    return found;
}

struct policy_fit_result {
    std::int64_t evals;
    tvgp_status status;
};
/* With fit = map: goes on learning now, when the caller has time, with at most max_evals >= 1 evaluations of the evidence
 * (about n^3 flops for n observations, at most fit.window); *evals is how many were made. */
inline policy_fit_result policy_fit(Policy &policy, std::int64_t max_evals) {
    policy_fit_result found = policy_fit_result();
    found.status = checked(policy.shared(), tvgp_policy_fit(address(policy), max_evals, &found.evals));
    return found;
}

/* The kernel in use, an owned handle: the one given, or as learned so far (before any fit the centre of the prior, with a scale
 * of 1). */
inline Kernel policy_kernel(const Policy &policy) {
    tvgp_kernel *out_ = nullptr;
    checked(policy.shared(), tvgp_policy_kernel(address(policy), &out_));
    return Kernel(policy.shared(), out_);
}

/* The domain it plays on now, an owned handle (tvgp_domain_destroy): the one given, the one in the snapshot it was made from
 * (tvgp_policy_create_from), or the larger one it was moved to. */
inline Domain policy_domain(const Policy &policy) {
    tvgp_domain *out_ = nullptr;
    checked(policy.shared(), tvgp_policy_domain(address(policy), &out_));
    return Domain(policy.shared(), out_);
}

/* The name it is registered under. */
inline std::string policy_name(const Policy &policy) {
    const char *name_ = nullptr;
    checked(policy.shared(), tvgp_policy_name(address(policy), &name_));
    return text_of(name_);
}

/* On a box: the prior mean as a function, at any time; NULL: zero. */
inline void policy_set_mean_fn(Policy &policy, tvgp_mean_fn mean_or_null, void *user) {
    checked(policy.shared(), tvgp_policy_set_mean_fn(address(policy), mean_or_null, user));
}

/* Adds a prior to a policy that weighs several against each other (others: UNSUPPORTED): a kernel over the domain's points, a
 * mean (copied; n_mean is 1 or the number of arms, on a box 1; NULL with n_mean 0: the policy's own, see tvgp_policy_set_mean, and
 * it follows that) and a rate of change epsilon in [0, 1), correlation (1 - epsilon)^(dt/2). */
inline void policy_add_prior(Policy &policy, const Kernel &kernel, const std::vector<double> *mean_or_null, double epsilon) {
    const std::size_t n_mean = mean_or_null ? mean_or_null->size() : 0;
    checked(policy.shared(), tvgp_policy_add_prior(address(policy), address(kernel), data(mean_or_null), n_mean, epsilon));
}

/* The same on a box with the mean as a function; NULL: the policy's own. */
inline void policy_add_prior_fn(Policy &policy, const Kernel &kernel, tvgp_mean_fn mean_or_null, void *user, double epsilon) {
    checked(policy.shared(), tvgp_policy_add_prior_fn(address(policy), address(kernel), mean_or_null, user, epsilon));
}

/* Sets the mean of prior i anew (copied), at any time, as tvgp_policy_set_mean that of the policy: n is 1 or the number of
 * arms, on a box 1; NULL with n 0: from now on the policy's own, which it follows. */
inline void policy_set_prior_mean(Policy &policy, std::size_t i, const std::vector<double> *mean_or_null) {
    const std::size_t n = mean_or_null ? mean_or_null->size() : 0;
    checked(policy.shared(), tvgp_policy_set_prior_mean(address(policy), i, data(mean_or_null), n));
}

/* Starts where the user is, and never falls far below it (docs/guide/minimising-a-cost.md): x, an arm's point or on a box any
 * point (dim doubles, copied), is what would be done without a policy; of arms with numbered contexts it stands for its action,
 * whatever the context. */
inline void policy_set_incumbent(Policy &policy, const std::vector<double> *x_or_null, double budget) {
    if (x_or_null)
        same("policy_set_incumbent: x_or_null", x_or_null->size(), dim_of(policy));
    checked(policy.shared(), tvgp_policy_set_incumbent(address(policy), data(x_or_null), budget));
}

/* An action has one reward and any number of other outputs. */
inline void policy_add_limit(Policy &policy, Policy &model, std::uint32_t flags, double limit) {
    checked(policy.shared(), tvgp_policy_add_limit(address(policy), address(model), flags, limit));
}

/* Moves limit k, from 1, at any time: counts from the next ask, and for values told from now on. */
inline void policy_set_limit(Policy &policy, std::size_t k, double limit) {
    checked(policy.shared(), tvgp_policy_set_limit(address(policy), k, limit));
}

/* Declares n actions safe (X is n x dim, copied), in place of those declared before, at any time; 0: none. */
inline void policy_set_safe(Policy &policy, const std::vector<double> *X_or_null) {
    const std::size_t n = X_or_null ? quotient("policy_set_safe: X_or_null", X_or_null->size(), dim_of(policy)) : 0;
    checked(policy.shared(), tvgp_policy_set_safe(address(policy), n, data(X_or_null)));
}

/* The risk at n points (n x dim) at time t >= the newest time seen, as tvgp_query.risk has it for what is asked: 0 without
 * limits; changes nothing. */
inline std::vector<double> policy_risk(Policy &policy, double t, const std::vector<double> *X_or_null) {
    const std::size_t n = X_or_null ? quotient("policy_risk: X_or_null", X_or_null->size(), dim_of(policy)) : arms_of(policy);
    std::vector<double> found(n);
    checked(policy.shared(), tvgp_policy_risk(address(policy), t, n, data(X_or_null), room(found)));
    return found;
}

/* The reward and all outputs of a query, n = 1 + number of limits: tvgp_policy_tell of n records. */
inline void policy_tell_values(Policy &policy, std::int64_t id, const std::vector<double> &y) {
    const std::size_t n = y.size();
    checked(policy.shared(), tvgp_policy_tell_values(address(policy), id, data(y), n));
}

/* The arms that exist now: mask has one byte per arm, 0 = unavailable. */
inline void policy_set_available(Policy &policy, const std::vector<std::uint8_t> *mask_or_null) {
    const std::size_t n = mask_or_null ? mask_or_null->size() : 0;
    checked(policy.shared(), tvgp_policy_set_available(address(policy), data(mask_or_null), n));
}

/* Arms that came: moves a live policy to a larger domain, between two asks or tells. */
inline void policy_extend(Policy &policy, const Domain &larger, const std::vector<double> *new_mean_or_null) {
    if (new_mean_or_null)
        same("policy_extend: new_mean_or_null", new_mean_or_null->size(), arms_of(larger) - arms_of(policy));
    checked(policy.shared(), tvgp_policy_extend(address(policy), address(larger), data(new_mean_or_null)));
}

/* On a domain of actions and contexts (tvgp_domain_product): from now on asks, and tvgp_policy_best, stay within this context,
 * 0 .. contexts - 1; -1: any. */
inline void policy_set_context(Policy &policy, std::int64_t context) {
    checked(policy.shared(), tvgp_policy_set_context(address(policy), context));
}

/* On a domain of actions and a box of contexts (tvgp_domain_product): from now on asks, and tvgp_policy_best, choose among the
 * points (x_i, z) of the actions in the context z, n coordinates in the units of the box (copied). */
inline void policy_set_context_x(Policy &policy, const std::vector<double> &z) {
    const std::size_t n = z.size();
    checked(policy.shared(), tvgp_policy_set_context_x(address(policy), data(z), n));
}

/* On a box: from now on asks, and tvgp_policy_best, stay within these bounds (dim each; NULL: the domain's). lower = upper
 * fixes a coordinate: a context. */
inline void policy_set_bounds(Policy &policy, const std::vector<double> *lower_or_null,
    const std::vector<double> *upper_or_null) {
    if (lower_or_null)
        same("policy_set_bounds: lower_or_null", lower_or_null->size(), dim_of(policy));
    if (upper_or_null)
        same("policy_set_bounds: upper_or_null", upper_or_null->size(), dim_of(policy));
    checked(policy.shared(), tvgp_policy_set_bounds(address(policy), data(lower_or_null), data(upper_or_null)));
}

/* On a box: the set of points that may be asked, as a function; NULL: all. */
inline void policy_set_feasible(Policy &policy, tvgp_feasible_fn feasible_or_null, void *user) {
    checked(policy.shared(), tvgp_policy_set_feasible(address(policy), feasible_or_null, user));
}

/* On a box: from now on asks, and tvgp_policy_best, choose among these n points (n x dim, copied), and q.arm is the row, 0 .. n
 * - 1: the offers, drivers or models of one request, of which the features are known only now. */
inline void policy_set_candidates(Policy &policy, const std::vector<double> *X_or_null,
    const std::vector<double> *mean_or_null) {
    const std::size_t n = X_or_null ? quotient("policy_set_candidates: X_or_null", X_or_null->size(), dim_of(policy)) : 0;
    if (mean_or_null)
        same("policy_set_candidates: mean_or_null", mean_or_null->size(), n);
    checked(policy.shared(), tvgp_policy_set_candidates(address(policy), n, data(X_or_null), data(mean_or_null)));
}

struct policy_ask_result {
    std::vector<tvgp_query> q;
    std::vector<double> x;
    tvgp_status status;
};
/* Emits up to cap queries for time t: q has cap records, x (may be NULL) cap x dim coordinates, *n the number emitted. */
inline policy_ask_result policy_ask(Policy &policy, double t, std::size_t cap) {
    std::size_t n = 0;
    policy_ask_result found = policy_ask_result();
    found.q.resize(cap);
    found.x.resize(cap * dim_of(policy));
    found.status = checked(policy.shared(), tvgp_policy_ask(address(policy), t, cap, room(found.q), room(found.x), &n));
    found.q.resize(n);
    found.x.resize(n * dim_of(policy));
    return found;
}

/* Takes n outcomes, all or none, for any subset of the pending queries in any order, late or never. id 0 is an observation
 * nobody asked for: x (n x dim, rows of other records ignored) says where, and must be a point of the domain. */
inline void policy_tell(Policy &policy, const std::vector<tvgp_obs> &obs, const std::vector<double> *x_or_null) {
    const std::size_t n = obs.size();
    if (x_or_null)
        same("policy_tell: x_or_null", x_or_null->size(), n * dim_of(policy));
    checked(policy.shared(), tvgp_policy_tell(address(policy), data(obs), data(x_or_null), n));
}

struct policy_pending_result {
    std::vector<tvgp_query> q;
    std::vector<double> x;
};
/* The queries that wait for an answer, oldest first, as they were asked: at most cap records to q, cap x dim coordinates to x
 * (may be NULL, on a box too), *n is how many were written. q NULL: *n is how many there are, and nothing is written. */
inline policy_pending_result policy_pending(const Policy &policy, std::size_t cap) {
    std::size_t n = 0;
    policy_pending_result found = policy_pending_result();
    found.q.resize(cap);
    found.x.resize(cap * dim_of(policy));
    checked(policy.shared(), tvgp_policy_pending(address(policy), cap, room(found.q), room(found.x), &n));
    found.q.resize(n);
    found.x.resize(n * dim_of(policy));
    return found;
}

struct policy_ask_one_result {
    tvgp_query q;
    std::vector<double> x;
    tvgp_status status;
};
/* The one-at-a-time forms: one query (x may be NULL), one value. */
inline policy_ask_one_result policy_ask_one(Policy &policy, double t) {
    policy_ask_one_result found = policy_ask_one_result();
    found.x.resize(dim_of(policy));
    found.status = checked(policy.shared(), tvgp_policy_ask_one(address(policy), t, &found.q, room(found.x)));
    return found;
}

/* The one-at-a-time forms: one query (x may be NULL), one value. */
inline void policy_tell_value(Policy &policy, std::int64_t id, double y) {
    checked(policy.shared(), tvgp_policy_tell_value(address(policy), id, y));
}

/* Writes all that the policy knows into buffer (capacity bytes), *needed bytes; buffer NULL: only *needed. */
inline std::vector<std::uint8_t> policy_save(const Policy &policy) {
    std::size_t needed = 0;
    checked(policy.shared(), tvgp_policy_save(address(policy), nullptr, 0, &needed));
    std::vector<std::uint8_t> found(needed);
    checked(policy.shared(), tvgp_policy_save(address(policy), room(found), needed, &needed));
    return found;
}

/* Makes the policy what it was when the n bytes were saved, at any moment of its own life: from here on it does the same, bit
 * for bit (same library, same machine). */
inline void policy_load(Policy &policy, const std::vector<std::uint8_t> &bytes) {
    const std::size_t n = bytes.size();
    checked(policy.shared(), tvgp_policy_load(address(policy), data(bytes), n));
}

/* As tvgp_policy_save, with domain and kernel. */
inline std::vector<std::uint8_t> policy_save_whole(const Policy &policy) {
    std::size_t needed = 0;
    checked(policy.shared(), tvgp_policy_save_whole(address(policy), nullptr, 0, &needed));
    std::vector<std::uint8_t> found(needed);
    checked(policy.shared(), tvgp_policy_save_whole(address(policy), room(found), needed, &needed));
    return found;
}

/* A new policy in the state of a snapshot: of a whole one alone, of others with domain and kernel given. */
inline Policy policy_create_from(const Context &ctx, const std::vector<std::uint8_t> &bytes, const Domain *domain_or_null,
    const Kernel *kernel_or_null) {
    const std::size_t n = bytes.size();
    tvgp_policy *out_ = nullptr;
    checked(ctx.shared(), tvgp_policy_create_from(address(ctx), data(bytes), n, address(domain_or_null), address(kernel_or_null), &out_));
    return Policy(ctx.shared(), out_);
}

/* A policy of its own in the same state, which shares domain, kernel and functions. */
inline Policy policy_clone(const Policy &policy) {
    tvgp_policy *out_ = nullptr;
    checked(policy.shared(), tvgp_policy_clone(address(policy), &out_));
    return Policy(policy.shared(), out_);
}

struct policy_predict_result {
    std::vector<double> mean;
    std::vector<double> var;
};
/* Posterior mean and latent variance at n points (n x dim) at time t >= the newest time seen; changes no choice. mean or var
 * may be NULL. */
inline policy_predict_result policy_predict(Policy &policy, double t, const std::vector<double> *X_or_null) {
    const std::size_t n = X_or_null ? quotient("policy_predict: X_or_null", X_or_null->size(), dim_of(policy)) : arms_of(policy);
    policy_predict_result found = policy_predict_result();
    found.mean.resize(n);
    found.var.resize(n);
    checked(policy.shared(), tvgp_policy_predict(address(policy), t, n, data(X_or_null), room(found.mean), room(found.var)));
    return found;
}

struct policy_predict_gradient_result {
    std::vector<double> mean;
    std::vector<double> var;
    std::vector<double> dmean;
    std::vector<double> dvar;
};
/* The same with gradients by the point: dmean and dvar are n x dim, row-major; any output may be NULL. */
inline policy_predict_gradient_result policy_predict_gradient(Policy &policy, double t, const std::vector<double> &X) {
    const std::size_t n = quotient("policy_predict_gradient: X", X.size(), dim_of(policy));
    policy_predict_gradient_result found = policy_predict_gradient_result();
    found.mean.resize(n);
    found.var.resize(n);
    found.dmean.resize(n * dim_of(policy));
    found.dvar.resize(n * dim_of(policy));
    checked(policy.shared(), tvgp_policy_predict_gradient(address(policy), t, n, data(X), room(found.mean), room(found.var), room(found.dmean),
            room(found.dvar)));
    return found;
}

struct policy_score_result {
    std::vector<double> score;
    std::vector<double> mean;
    std::vector<double> sd;
    tvgp_status status;
};
/* The score by which an ask at time t would choose, at n points (n x dim; NULL: all arms, as in tvgp_policy_predict), with mean
 * and standard deviation as predicted; each may be NULL. */
inline policy_score_result policy_score(Policy &policy, double t, const std::vector<double> *X_or_null) {
    const std::size_t n = X_or_null ? quotient("policy_score: X_or_null", X_or_null->size(), dim_of(policy)) : arms_of(policy);
    policy_score_result found = policy_score_result();
    found.score.resize(n);
    found.mean.resize(n);
    found.sd.resize(n);
    found.status = checked(policy.shared(), tvgp_policy_score(address(policy), t, n, data(X_or_null), room(found.score), room(found.mean), room(found.sd)));
    return found;
}

struct policy_best_result {
    std::int64_t arm;
    std::vector<double> x;
};
/* The available arm of highest posterior mean (with sense=min: lowest) at time t (ties: lowest index), and its coordinates (x
 * may be NULL). */
inline policy_best_result policy_best(Policy &policy, double t) {
    policy_best_result found = policy_best_result();
    found.x.resize(dim_of(policy));
    checked(policy.shared(), tvgp_policy_best(address(policy), t, &found.arm, room(found.x)));
    return found;
}

/* One statistic by name (docs/options.md lists them). */
inline double policy_stat(const Policy &policy, const std::string &key) {
    double found = double();
    checked(policy.shared(), tvgp_policy_stat(address(policy), c_text(key), &found));
    return found;
}

/* Registered policies: how many; name and one line about the i-th (ARG when i is too large). */
inline std::size_t policy_count(const Context &ctx) {
    std::size_t found = std::size_t();
    checked(ctx.shared(), tvgp_policy_count(address(ctx), &found));
    return found;
}

struct policy_name_at_result {
    std::string name;
    std::string doc;
};
/* Registered policies: how many; name and one line about the i-th (ARG when i is too large). */
inline policy_name_at_result policy_name_at(const Context &ctx, std::size_t i) {
    const char *name_ = nullptr;
    const char *doc_ = nullptr;
    policy_name_at_result found = policy_name_at_result();
    checked(ctx.shared(), tvgp_policy_name_at(address(ctx), i, &name_, &doc_));
    found.name = text_of(name_);
    found.doc = text_of(doc_);
    return found;
}

/* Options and statistics of this policy. */
inline std::size_t policy_option_count(const Policy &policy) {
    std::size_t found = std::size_t();
    checked(policy.shared(), tvgp_policy_option_count(address(policy), &found));
    return found;
}

/* Options and statistics of this policy. */
inline tvgp_option_info policy_option_info(const Policy &policy, std::size_t i) {
    tvgp_option_info found = tvgp_option_info();
    checked(policy.shared(), tvgp_policy_option_info(address(policy), i, &found));
    return found;
}

/* Options and statistics of this policy. */
inline std::size_t policy_stat_count(const Policy &policy) {
    std::size_t found = std::size_t();
    checked(policy.shared(), tvgp_policy_stat_count(address(policy), &found));
    return found;
}

struct policy_stat_name_at_result {
    std::string key;
    std::string doc;
};
/* Options and statistics of this policy. */
inline policy_stat_name_at_result policy_stat_name_at(const Policy &policy, std::size_t i) {
    const char *key_ = nullptr;
    const char *doc_ = nullptr;
    policy_stat_name_at_result found = policy_stat_name_at_result();
    checked(policy.shared(), tvgp_policy_stat_name_at(address(policy), i, &key_, &doc_));
    found.key = text_of(key_);
    found.doc = text_of(doc_);
    return found;
}

struct policy_stat_kind_at_result {
    std::uint32_t kind;
    std::string unit;
};
/* What the i-th statistic is for, TVGP_STAT_* (or'ed), and its unit: time as in t, reward, coordinates, nats, .. or their
 * powers, "" where it is a number. unit may be NULL. */
inline policy_stat_kind_at_result policy_stat_kind_at(const Policy &policy, std::size_t i) {
    const char *unit_ = nullptr;
    policy_stat_kind_at_result found = policy_stat_kind_at_result();
    checked(policy.shared(), tvgp_policy_stat_kind_at(address(policy), i, &found.kind, &unit_));
    found.unit = text_of(unit_);
    return found;
}

/* n draws of stream (seed, purpose, step): uniform on [0, 1) with 53 bits; standard normal. purpose >= 1000 is left to
 * applications, smaller values are the policies' own. */
inline std::vector<double> random_uniform(std::uint64_t seed, std::uint32_t purpose, std::uint64_t step, std::size_t n) {
    std::vector<double> found(n);
    checked(nullptr, tvgp_random_uniform(seed, purpose, step, n, room(found)));
    return found;
}

/* n draws of stream (seed, purpose, step): uniform on [0, 1) with 53 bits; standard normal. purpose >= 1000 is left to
 * applications, smaller values are the policies' own. */
inline std::vector<double> random_normal(std::uint64_t seed, std::uint32_t purpose, std::uint64_t step, std::size_t n) {
    std::vector<double> found(n);
    checked(nullptr, tvgp_random_normal(seed, purpose, step, n, room(found)));
    return found;
}

} // namespace c
} // namespace tvgp

#endif
