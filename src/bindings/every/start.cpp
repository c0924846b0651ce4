/* SPDX-License-Identifier: MIT */
/* What the game of calls.py needs in C++; every.py writes the calls behind it. */
#include <cmath>
#include <cstdio>
#include <cstring>
#include <tvgp.hpp>

namespace c = tvgp::c;

static std::string one(double x) {
    std::uint64_t bits = 0;
    char text[17];
    std::memcpy(&bits, &x, sizeof bits);
    std::snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(bits));
    return text;
}
static std::string one(const std::string &x) { return x; }
template <typename T> std::string one(T x) { return std::to_string(x); }

template <typename T> void show(const std::string &name, const T &x) { std::printf("%s %s\n", name.c_str(), one(x).c_str()); }
static void show(const std::string &name, const char *x) { show(name, std::string(x)); }
template <typename T, void (*destroy)(T *)> void show(const std::string &name, const tvgp::Owner<T, destroy> &x) {
    show(name, std::string(x.get() ? "object" : "none"));
}
static void show(const std::string &name, const tvgp::Context &) { show(name, std::string("object")); }
static void show(const std::string &name, const tvgp::Domain &x) { show(name, std::string(x.get() ? "object" : "none")); }
static void show(const std::string &name, const tvgp::Kernel &x) { show(name, std::string(x.get() ? "object" : "none")); }
static void show(const std::string &name, const tvgp::GP &) { show(name, std::string("object")); }
static void show(const std::string &name, const tvgp::Policy &) { show(name, std::string("object")); }
static void show(const std::string &name, const std::vector<std::uint8_t> &bytes) {
    unsigned long long sum = 0;
    for (const auto byte : bytes)
        sum += byte;
    show(name, std::to_string(bytes.size()) + " bytes, sum " + std::to_string(sum));
}

extern "C" {
static void logger(void *, const char *) {}
static std::int32_t interrupt(void *) { return 0; }
static void destroyed(void *) {}
static std::int32_t mean(void *, std::size_t n, const double *X, double *out, double *gradient) {
    for (std::size_t i = 0; i < n; i++) {
        out[i] = 0.5 * X[i];
        if (gradient)
            gradient[i] = 0.5;
    }
    return 0;
}
static std::int32_t feasible(void *, std::size_t n, const double *X, std::uint8_t *ok) {
    for (std::size_t i = 0; i < n; i++)
        ok[i] = X[i] <= 0.7;
    return 0;
}
static std::int32_t block(void *, std::size_t n, const double *X, std::size_t m, const double *Z, double *K, std::size_t ldk) {
    for (std::size_t i = 0; i < n; i++)
        for (std::size_t j = 0; j < m; j++)
            K[i * ldk + j] = 1 / (1 + (X[i] - Z[j]) * (X[i] - Z[j]));
    return 0;
}
static std::int32_t points(void *, std::size_t n, std::size_t dim, double *X) {
    for (std::size_t i = 0; i < n * dim; i++)
        X[i] = std::sqrt(static_cast<double>(i));
    return 0;
}
static std::int32_t bcast(void *, std::size_t, void *, std::int32_t) { return 0; }
static std::int32_t highest(void *, std::size_t, double *) { return 0; }
static std::int32_t start_policy(void *, const tvgp_policy_view *, void **) { return 0; }
static std::int32_t ask(void *, const tvgp_policy_view *, double, tvgp_query *q) {
    q->arm = 2;
    return 0;
}
}

template <typename T> T table() {
    T made = T();
    made.struct_size = sizeof made;
    return made;
}
static tvgp_comm comm_table() {
    tvgp_comm made = table<tvgp_comm>();
    made.size = 1;
    made.bcast = bcast;
    made.max = highest;
    return made;
}
static tvgp_kernel_type kernel_table() {
    tvgp_kernel_type made = table<tvgp_kernel_type>();
    made.name = "every-kernel";
    made.block = block;
    return made;
}
static tvgp_domain_type domain_table() {
    tvgp_domain_type made = table<tvgp_domain_type>();
    made.name = "every-domain";
    made.points = points;
    return made;
}
static tvgp_policy_type policy_table() {
    tvgp_policy_type made = table<tvgp_policy_type>();
    made.name = "every-policy";
    made.start = start_policy;
    made.ask = ask;
    return made;
}
static const tvgp_comm comm = comm_table();
static const tvgp_kernel_type kernel_type = kernel_table();
static const tvgp_domain_type domain_type = domain_table();
static const tvgp_policy_type policy_type = policy_table();

