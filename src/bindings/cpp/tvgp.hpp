/* SPDX-License-Identifier: MIT */
/* libtvgp for C++11: owners instead of handles, exceptions instead of statuses. A call that throws has changed nothing.
 *
 *   tvgp::Context ctx;
 *   tvgp::Policy policy(ctx, "auto-gp-ucb", tvgp::Domain::grid(ctx, {5}, {25}, {41}));
 *   tvgp::Query q = policy.ask(t);
 *   policy.tell(q, profit(q.x[0]));
 *
 * A context and what is made from it belong to one thread at a time. Owners may go in any order. What has no method here is a
 * function of tvgp::c, by its name in C (tvgp_functions.hpp). */
#ifndef TVGP_HPP
#define TVGP_HPP

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <stdexcept>
#include <string>
#include <tvgp.h>
#include <utility>
#include <vector>
#if __cplusplus >= 202002L
#include <concepts>
#include <span>
#endif

namespace tvgp {

using Vector = std::vector<double>;

/* Numbers of the caller, for one call and without a copy: a vector, a list in braces, and from C++20 on whatever a std::span can
 * view. */
class Values {
  public:
    Values(const Vector &v) noexcept : data_(v.data()), size_(v.size()) {}
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Winit-list-lifetime" /* the list outlives the call */
#endif
    Values(std::initializer_list<double> v) noexcept : data_(v.begin()), size_(v.size()) {}
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic pop
#endif
#if __cplusplus >= 202002L
    template <class Range>
    requires std::convertible_to<const Range &, std::span<const double>> Values(const Range &v)
    noexcept : Values(std::span<const double>(v), 0) {}
#endif
    const double *data() const noexcept {
        return data_;
    }
    std::size_t size() const noexcept {
        return size_;
    }
    bool empty() const noexcept {
        return size_ == 0;
    }

  private:
#if __cplusplus >= 202002L
    Values(std::span<const double> v, int) noexcept : data_(v.data()), size_(v.size()) {}
#endif
    const double *data_;
    std::size_t size_;
};

/* The status of a failed call and the text that says what to mend. */
class Error : public std::runtime_error {
  public:
    Error(tvgp_status status, const char *text)
        : std::runtime_error(*text ? text : tvgp_status_name(status)), status_(status) {}
    tvgp_status status() const noexcept { return status_; }

  private:
    tvgp_status status_;
};

/* A context that others share: it says why a call on what was made from it failed. */
using Shared = std::shared_ptr<tvgp_ctx>;

/* A status that is no failure; of a failure the text is in the context. */
inline tvgp_status checked(const Shared &ctx, tvgp_status status) {
    if (status < 0)
        throw Error(status, ctx ? tvgp_ctx_errmsg(ctx.get()) : "");
    return status;
}

class Context {
  public:
    Context() {
        tvgp_ctx *out = nullptr;
        checked(nullptr, tvgp_ctx_create(nullptr, &out));
        shared_.reset(out, tvgp_ctx_destroy);
    }
    explicit Context(const Shared &owned) : shared_(owned) {}
    /* Gives it up; what was made from it lives on. */
    void reset() noexcept { shared_.reset(); }
    tvgp_ctx *get() const noexcept { return shared_.get(); }
    const Shared &shared() const noexcept { return shared_; }
    /* Bytes held by the context and all that was made from it. */
    std::size_t memory() const {
        std::size_t bytes = 0;
        checked(shared_, tvgp_ctx_memory(get(), &bytes));
        return bytes;
    }

  private:
    Shared shared_;
};

/* Owns one object of the library; moves, does not copy. */
template <typename T, void (*destroy)(T *)> class Owner {
  public:
    T *get() const noexcept { return handle_.get(); }
    const Shared &shared() const noexcept { return ctx_; }
    void reset() noexcept { handle_.reset(); }

  protected:
    struct Destroy {
        void operator()(T *handle) const noexcept { destroy(handle); }
    };
    Shared ctx_;
    std::unique_ptr<T, Destroy> handle_;

    Owner(const Shared &ctx, T *owned) : ctx_(ctx), handle_(owned) {}
    tvgp_status check(tvgp_status status) const { return checked(ctx_, status); }
};

/* Two lengths that must be the same. */
inline void same(const char *what, std::size_t n, std::size_t wanted) {
    if (n != wanted)
        throw std::invalid_argument(std::string(what) + " has " + std::to_string(n) + " entries, not " +
                                    std::to_string(wanted));
}

/* How many points of dim coordinates these numbers are. */
inline std::size_t points_in(Values X, std::size_t dim) {
    if (dim == 0 || X.size() % dim)
        throw std::invalid_argument(std::to_string(X.size()) + " numbers are not points of " + std::to_string(dim) +
                                    " coordinates");
    return X.size() / dim;
}

/* The text for C, where it would end at a NUL. */
inline const char *c_text(const std::string &text) {
    if (text.find('\0') != std::string::npos)
        throw std::invalid_argument("a text holds a NUL");
    return text.c_str();
}

class Domain : public Owner<tvgp_domain, tvgp_domain_destroy> {
  public:
    Domain(const Shared &ctx, tvgp_domain *owned) : Owner(ctx, owned) {}

    /* Equally spaced values between both bounds, included. */
    static Domain grid(const Context &ctx, Values lower, Values upper, const std::vector<std::size_t> &points) {
        same("upper", upper.size(), lower.size());
        same("points", points.size(), lower.size());
        tvgp_domain *out = nullptr;
        checked(ctx.shared(), tvgp_domain_grid(ctx.get(), lower.size(), lower.data(), upper.data(), points.data(), &out));
        return Domain(ctx.shared(), out);
    }
    static Domain indices(const Context &ctx, std::size_t n) {
        tvgp_domain *out = nullptr;
        checked(ctx.shared(), tvgp_domain_indices(ctx.get(), n, &out));
        return Domain(ctx.shared(), out);
    }
    /* Arms at points of dim coordinates, one after the other. */
    static Domain arms(const Context &ctx, std::size_t dim, Values X) {
        tvgp_domain *out = nullptr;
        checked(ctx.shared(), tvgp_domain_arms(ctx.get(), points_in(X, dim), dim, X.data(), &out));
        return Domain(ctx.shared(), out);
    }
    static Domain box(const Context &ctx, Values lower, Values upper) {
        same("upper", upper.size(), lower.size());
        tvgp_domain *out = nullptr;
        checked(ctx.shared(), tvgp_domain_box(ctx.get(), lower.size(), lower.data(), upper.data(), &out));
        return Domain(ctx.shared(), out);
    }
    /* Every action with every context: arms, or a box of contexts that are measured. */
    static Domain product(const Context &ctx, const Domain &actions, const Domain &contexts) {
        tvgp_domain *out = nullptr;
        checked(ctx.shared(), tvgp_domain_product(ctx.get(), actions.get(), contexts.get(), &out));
        return Domain(ctx.shared(), out);
    }
    /* With further arms behind those there are, for Policy::extend. */
    Domain append(Values X) const {
        tvgp_domain *out = nullptr;
        check(tvgp_domain_append(get(), points_in(X, dim()), X.data(), &out));
        return Domain(ctx_, out);
    }
    /* Action and context of an arm of a product. */
    std::pair<std::int64_t, std::int64_t> split(std::int64_t arm) const {
        std::pair<std::int64_t, std::int64_t> parts;
        check(tvgp_domain_split(get(), arm, &parts.first, &parts.second));
        return parts;
    }
    std::size_t size() const {
        std::size_t n = 0;
        check(tvgp_domain_size(get(), &n));
        return n;
    }
    std::size_t dim() const {
        std::size_t n = 0;
        check(tvgp_domain_dim(get(), &n));
        return n;
    }
    /* Smallest and largest value of each coordinate. */
    std::pair<Vector, Vector> bounds() const {
        std::pair<Vector, Vector> both{Vector(dim()), Vector(dim())};
        check(tvgp_domain_bounds(get(), both.first.data(), both.second.data()));
        return both;
    }
    /* "grid", "box", .. */
    std::string type() const {
        const char *name = "";
        check(tvgp_domain_type_name(get(), &name));
        return name;
    }
};

class Kernel : public Owner<tvgp_kernel, tvgp_kernel_destroy> {
  public:
    Kernel(const Shared &ctx, tvgp_kernel *owned) : Owner(ctx, owned) {}

    static Kernel se(const Context &ctx, std::size_t dim, Values lengthscale, double variance = 1) {
        tvgp_kernel *out = nullptr;
        checked(ctx.shared(), tvgp_kernel_se(ctx.get(), dim, variance, lengthscale.size(), lengthscale.data(), &out));
        return Kernel(ctx.shared(), out);
    }
    static Kernel matern(const Context &ctx, std::size_t dim, Values lengthscale, double nu = 2.5, double variance = 1) {
        tvgp_kernel *out = nullptr;
        checked(ctx.shared(),
                tvgp_kernel_matern(ctx.get(), dim, nu, variance, lengthscale.size(), lengthscale.data(), &out));
        return Kernel(ctx.shared(), out);
    }
    static Kernel table(const Context &ctx, std::size_t arms, Values K) {
        if (points_in(K, arms) != arms)
            throw std::invalid_argument("table: " + std::to_string(K.size()) + " numbers are not " + std::to_string(arms) +
                                        " rows");
        tvgp_kernel *out = nullptr;
        checked(ctx.shared(), tvgp_kernel_table(ctx.get(), arms, K.data(), &out));
        return Kernel(ctx.shared(), out);
    }
    static Kernel categorical(const Context &ctx, double variance, double correlation) {
        tvgp_kernel *out = nullptr;
        checked(ctx.shared(), tvgp_kernel_categorical(ctx.get(), variance, correlation, &out));
        return Kernel(ctx.shared(), out);
    }
};

struct Prediction {
    Vector mean, var;
};

/* Predictions of n points together: covariance is n x n, by rows. */
struct JointPrediction {
    Vector mean, covariance;
};

/* Predictions and their gradients by the point, n x dim each. */
struct GradientPrediction {
    Vector mean, var, dmean, dvar;
};

/* Exact Gaussian-process regression. Points are n x dim numbers, by rows; without a kernel over time leave out times. */
class GP : public Owner<tvgp_gp, tvgp_gp_destroy> {
  public:
    GP(const Context &ctx, const Kernel &space, double noise) : Owner(ctx.shared(), made(ctx, space, nullptr, noise)) {}
    GP(const Context &ctx, const Kernel &space, const Kernel &time, double noise)
        : Owner(ctx.shared(), made(ctx, space, time.get(), noise)) {}
    GP(const Shared &ctx, tvgp_gp *owned) : Owner(ctx, owned) {}

    /* From the bytes of save. */
    static GP restore(const Context &ctx, const std::vector<std::uint8_t> &snapshot) {
        tvgp_gp *out = nullptr;
        checked(ctx.shared(), tvgp_gp_restore(ctx.get(), snapshot.size(), snapshot.data(), &out));
        return GP(ctx.shared(), out);
    }
    std::size_t dim() const {
        tvgp_kernel *space = nullptr;
        std::size_t dim = 0;
        check(tvgp_gp_kernels(get(), &space, nullptr));
        const Kernel held(ctx_, space);
        check(tvgp_kernel_dim(held.get(), &dim));
        return dim;
    }
    std::size_t size() const {
        std::size_t n = 0;
        check(tvgp_gp_size(get(), &n));
        return n;
    }
    void set_prior_mean(double intercept) { check(tvgp_gp_set_prior_mean(get(), intercept, nullptr)); }
    void set_prior_mean(double intercept, Values slope) {
        same("set_prior_mean: slope", slope.size(), dim());
        check(tvgp_gp_set_prior_mean(get(), intercept, slope.data()));
    }
    void add(Values x, Values y, Values t = {}, Values noise_var = {}) {
        const std::size_t n = rows(x);
        same("add: y", y.size(), n);
        if (!t.empty())
            same("add: t", t.size(), n);
        if (!noise_var.empty())
            same("add: noise_var", noise_var.size(), n);
        check(tvgp_gp_add(get(), n, x.data(), t.empty() ? nullptr : t.data(), y.data(),
                          noise_var.empty() ? nullptr : noise_var.data()));
    }
    void drop(std::size_t n_oldest) { check(tvgp_gp_drop(get(), n_oldest)); }
    Prediction predict(Values x, double t = 0) {
        const std::size_t n = rows(x);
        Prediction p = {Vector(n), Vector(n)};
        check(tvgp_gp_predict(get(), n, x.data(), t, p.mean.data(), p.var.data()));
        return p;
    }
    GradientPrediction predict_gradient(Values x, double t = 0) {
        const std::size_t n = rows(x);
        GradientPrediction p = {Vector(n), Vector(n), Vector(x.size()), Vector(x.size())};
        check(tvgp_gp_predict_gradient(get(), n, x.data(), t, p.mean.data(), p.var.data(), p.dmean.data(), p.dvar.data()));
        return p;
    }
    JointPrediction predict_covariance(Values x, double t = 0) {
        const std::size_t n = rows(x);
        JointPrediction p = {Vector(n), Vector(n * n)};
        check(tvgp_gp_predict_covariance(get(), n, x.data(), t, p.mean.data(), p.covariance.data()));
        return p;
    }
    /* draws x n values, by rows. */
    Vector sample(Values x, double t, std::size_t draws, std::uint64_t seed) {
        const std::size_t n = rows(x);
        Vector out(draws * n);
        check(tvgp_gp_sample(get(), n, x.data(), t, draws, seed, out.data()));
        return out;
    }
    double log_marginal_likelihood() {
        double value = 0;
        check(tvgp_gp_log_marginal_likelihood(get(), &value));
        return value;
    }
    /* Hyperparameters from the observations held; their log posterior. */
    double fit(std::size_t max_evals = 200) {
        double value = 0;
        check(tvgp_gp_fit(get(), nullptr, nullptr, max_evals, &value));
        return value;
    }
    std::vector<std::uint8_t> save() const {
        std::size_t size = 0;
        check(tvgp_gp_save(get(), 0, nullptr, &size));
        std::vector<std::uint8_t> bytes(size);
        check(tvgp_gp_save(get(), size, bytes.data(), &size));
        return bytes;
    }

  private:
    static tvgp_gp *made(const Context &ctx, const Kernel &space, const tvgp_kernel *time, double noise) {
        tvgp_gp *out = nullptr;
        checked(ctx.shared(), tvgp_gp_create(ctx.get(), space.get(), time, noise, &out));
        return out;
    }
    std::size_t rows(Values x) const { return points_in(x, dim()); }
};

/* k of n points that are far apart in the metric of the kernel; fewer if the points span less. steps: swaps; 0: the greedy set. */
inline std::vector<std::size_t> kdpp_sample(const Kernel &kernel, Values x, std::size_t k, std::size_t steps, std::uint64_t seed) {
    std::size_t dim = 0, n = 0;
    checked(kernel.shared(), tvgp_kernel_dim(kernel.get(), &dim));
    std::vector<std::size_t> index(k);
    checked(kernel.shared(), tvgp_kdpp_sample(kernel.shared().get(), kernel.get(), points_in(x, dim), x.data(), k, steps, seed,
                                              index.data(), &n));
    index.resize(n);
    return index;
}

struct Query : tvgp_query {
    Vector x; /* the point */
};

class Policy : public Owner<tvgp_policy, tvgp_policy_destroy> {
  public:
    /* Without a kernel it is learned. Options as text: "noise=.01 sense=min". */
    Policy(const Context &ctx, const char *name, const Domain &domain, const std::string &options = "")
        : Policy(ctx, name, domain, nullptr, options) {}
    Policy(const Context &ctx, const char *name, const Domain &domain, const Kernel &kernel, const std::string &options = "")
        : Policy(ctx, name, domain, held(kernel), options) {}
    Policy(const Shared &ctx, tvgp_policy *owned) : Owner(ctx, owned), dim_(0), arms_(0) {
        const Domain held = domain();
        dim_ = held.dim();
        arms_ = held.size();
    }

    /* From a full snapshot (save_full) alone. */
    static Policy restore(const Context &ctx, const std::vector<std::uint8_t> &snapshot) {
        tvgp_policy *out = nullptr;
        checked(ctx.shared(), tvgp_policy_restore(ctx.get(), snapshot.size(), snapshot.data(), nullptr, nullptr, &out));
        return Policy(ctx.shared(), out);
    }
    std::string name() const {
        const char *name = "";
        check(tvgp_policy_name(get(), &name));
        return name;
    }
    Domain domain() const {
        tvgp_domain *out = nullptr;
        check(tvgp_policy_domain(get(), &out));
        return Domain(ctx_, out);
    }

    void set(const std::string &options) { check(tvgp_policy_set(get(), c_text(options))); }

    /* One query for time t. */
    Query ask(double t) {
        Query q;
        q.x.resize(dim_);
        if (check(tvgp_policy_ask_one(get(), t, &q, q.x.data())) != TVGP_OK)
            throw Error(TVGP_AGAIN, "ask: nothing can be asked before outcomes come");
        return q;
    }
    /* Up to cap queries; none when nothing can be asked before outcomes come. */
    std::vector<Query> ask(double t, std::size_t cap) {
        if (cap == 0)
            throw std::invalid_argument("ask: cap = 0 must be at least 1");
        std::vector<tvgp_query> records(cap);
        Vector x(cap * dim_);
        std::size_t n = 0;
        check(tvgp_policy_ask(get(), t, cap, records.data(), x.data(), &n));
        return with_points(records, x, n);
    }
    /* The queries that wait for an answer, oldest first. */
    std::vector<Query> pending() const {
        std::size_t n = 0;
        check(tvgp_policy_pending(get(), 0, nullptr, nullptr, &n));
        std::vector<tvgp_query> records(n + 1); /* never without memory: NULL asks for the number */
        Vector x(n * dim_);
        check(tvgp_policy_pending(get(), n, records.data(), x.data(), &n));
        return with_points(records, x, n);
    }
    void tell(const tvgp_query &q, double y) { check(tvgp_policy_tell_value(get(), q.id, y)); }
    void tell(std::int64_t id, double y) { check(tvgp_policy_tell_value(get(), id, y)); }
    /* With outcome.type=ratio: and the value of the reference for the same job. */
    void tell(const tvgp_query &q, double y, double reference) { tell({tvgp_obs_ratio(q.id, y, reference)}); }
    /* With outcome.type=poisson or binomial: y was counted in this time or number of trials. */
    void tell_count(const tvgp_query &q, double y, double exposure) { tell({tvgp_obs_count(q.id, y, exposure)}); }
    /* Records as in C; x as there for observations nobody asked for. */
    void tell(const std::vector<tvgp_obs> &obs, Values x = Vector()) {
        if (!x.empty())
            same("tell: x", points_in(x, dim_), obs.size());
        check(tvgp_policy_tell(get(), obs.size(), obs.data(), x.empty() ? nullptr : x.data()));
    }
    /* Closes a query that got no answer: TVGP_SKIPPED, TVGP_FAILED, TVGP_CANCELLED. */
    void close(const tvgp_query &q, std::int32_t outcome = TVGP_SKIPPED) {
        const tvgp_obs obs = tvgp_obs_outcome(q.id, outcome);
        check(tvgp_policy_tell(get(), 1, &obs, nullptr));
    }
    /* An observation nobody asked for, made at time t. */
    void observe(Values x, double y, double t) { tell({tvgp_obs_unsolicited(t, y)}, x); }

    /* At n points of the domain's dimension, one after the other. */
    Prediction predict(double t, Values X) const {
        Prediction p;
        p.mean.resize(points_in(X, dim_));
        p.var.resize(p.mean.size());
        check(tvgp_policy_predict(get(), t, p.mean.size(), X.data(), p.mean.data(), p.var.data()));
        return p;
    }
    /* At all arms, in the order of their numbers. */
    Prediction predict(double t) const {
        Prediction p;
        p.mean.resize(arms_);
        p.var.resize(arms_);
        check(tvgp_policy_predict(get(), t, arms_, nullptr, p.mean.data(), p.var.data()));
        return p;
    }
    /* Point and arm of best posterior mean. */
    std::pair<std::int64_t, Vector> best(double t) const {
        std::pair<std::int64_t, Vector> found(-1, Vector(dim_));
        check(tvgp_policy_best(get(), t, &found.first, found.second.data()));
        return found;
    }
    double stat(const char *key) const {
        double value = 0;
        check(tvgp_policy_stat(get(), key, &value));
        return value;
    }
    /* All that the policy knows, and back into a policy of the same name, domain and kernel. */
    std::vector<std::uint8_t> save() const { return saved(tvgp_policy_save); }
    /* The same with domain and kernel, for Policy::from. */
    std::vector<std::uint8_t> save_full() const { return saved(tvgp_policy_save_full); }
    void load(const std::vector<std::uint8_t> &bytes) { check(tvgp_policy_load(get(), bytes.size(), bytes.data())); }

    /* One byte for each arm, 0: it does not exist now. Without a mask all exist. */
    void set_available(const std::vector<std::uint8_t> &mask) {
        same("set_available: mask", mask.size(), arms_);
        check(tvgp_policy_set_available(get(), mask.size(), mask.data()));
    }
    void set_available() { check(tvgp_policy_set_available(get(), 0, nullptr)); }
    /* On a product: asks stay within this context from now on; -1: any. Where contexts are measured, its coordinates. */
    void set_context(std::int64_t context) { check(tvgp_policy_set_context(get(), context)); }
    void set_context_point(Values z) { check(tvgp_policy_set_context_point(get(), z.size(), z.data())); }
    /* Arms that came: what was learned holds for those that `larger` has behind the old ones; their prior means, one each. */
    void extend(const Domain &larger, Values mean) {
        same("extend: arms with mean", arms_ + mean.size(), larger.size());
        extend_by(larger, mean.data());
    }
    void extend(const Domain &larger) { extend_by(larger, nullptr); }
    /* Prior mean: one value, or one for each arm. Without values zero. */
    void set_prior_mean(Values mean) {
        if (mean.empty())
            throw std::invalid_argument("set_prior_mean: mean is empty");
        check(tvgp_policy_set_prior_mean(get(), mean.size(), mean.data()));
    }
    void set_prior_mean() { check(tvgp_policy_set_prior_mean(get(), 0, nullptr)); }

  private:
    std::size_t dim_, arms_;

    std::vector<Query> with_points(const std::vector<tvgp_query> &records, const Vector &x, std::size_t n) const {
        std::vector<Query> queries(n);
        for (std::size_t i = 0; i < n; i++) {
            static_cast<tvgp_query &>(queries[i]) = records[i];
            queries[i].x.assign(&x[i * dim_], &x[i * dim_] + dim_);
        }
        return queries;
    }
    std::vector<std::uint8_t> saved(tvgp_status (*write)(const tvgp_policy *, std::size_t, void *, std::size_t *)) const {
        std::size_t size = 0;
        check(write(get(), 0, nullptr, &size));
        std::vector<std::uint8_t> bytes(size);
        check(write(get(), size, bytes.data(), &size));
        return bytes;
    }
    /* The kernel is there: without one it would be learned. */
    static const tvgp_kernel *held(const Kernel &kernel) {
        if (!kernel.get())
            throw std::invalid_argument("the kernel was moved away");
        return kernel.get();
    }
    void extend_by(const Domain &larger, const double *mean) {
        check(tvgp_policy_extend(get(), larger.get(), mean));
        arms_ = larger.size();
    }
    Policy(const Context &ctx, const char *name, const Domain &domain, const tvgp_kernel *kernel, const std::string &options)
        : Owner(ctx.shared(), nullptr), dim_(domain.dim()), arms_(domain.size()) {
        tvgp_policy *out = nullptr;
        check(tvgp_policy_create(ctx.get(), name, domain.get(), kernel, &out));
        handle_.reset(out);
        set(options);
    }
};

/* n standard normal draws of stream (seed, purpose, step), the same in every language. */
inline Vector random_normal(std::uint64_t seed, std::uint32_t purpose, std::uint64_t step, std::size_t n) {
    Vector draws(n);
    const auto status = tvgp_random_normal(seed, purpose, step, n, draws.data());
    if (status < 0)
        throw Error(status, "");
    return draws;
}

} // namespace tvgp

#if !defined(__has_include)
#include "tvgp_functions.hpp"
#elif __has_include("tvgp_functions.hpp") /* made by Python when the library is built: without it there is no tvgp::c */
#include "tvgp_functions.hpp"
#endif

#endif
