// SPDX-License-Identifier: MIT
// decisions.c in C++11, where a record is zeroed by default.
#include <cstdio>
#include <cstdlib>
#include <tvgp.h>
#include <vector>

namespace {

enum { ARMS = 12, STEPS = 60 };

tvgp_ctx *ctx;

void check(tvgp_status status) {
    if (status == TVGP_OK)
        return;
    std::fprintf(stderr, "%s\n", tvgp_ctx_errmsg(ctx));
    std::exit(1);
}

double reward(int64_t arm, int step) {
    return static_cast<double>((7 * arm + 3 * step) % 11) / 11;
}

void tell(tvgp_policy *policy, const tvgp_query &q, int step, bool spelt) {
    const double x = step % ARMS;
    tvgp_obs answer{}, found{};
    answer.id = q.id;
    answer.y = reward(q.arm, step);
    found.y = reward(step % ARMS, step);
    if (step % 5 == 4)
        answer = tvgp_obs_outcome(q.id, TVGP_SKIPPED);
    if (spelt) {
        answer.flags = found.flags = TVGP_OBS_HAS_NOISE | TVGP_OBS_HAS_TIME;
        answer.noise_var = found.noise_var = 0.02;
        answer.t = q.t;
        found.t = step + 1;
    }
    check(tvgp_policy_tell(policy, 1, &answer, nullptr));
    if (step % 7 == 6)
        check(tvgp_policy_tell(policy, 1, &found, &x));
}

std::vector<int64_t> play(bool spelt) {
    const double lengthscale = 2;
    std::vector<int64_t> arm;
    tvgp_domain *domain = nullptr;
    tvgp_kernel *kernel = nullptr;
    tvgp_policy *policy = nullptr;
    tvgp_query q{}, next{};
    check(tvgp_ctx_create(nullptr, &ctx));
    check(tvgp_domain_indices(ctx, ARMS, &domain));
    check(tvgp_kernel_se(ctx, 1, 1.0, 1, &lengthscale, &kernel));
    check(tvgp_policy_create(ctx, "tv-gp-ucb", domain, kernel, &policy));
    check(tvgp_policy_set(policy, "noise=0.02 half_life=20"));
    check(tvgp_policy_ask_one(policy, 0, &q, nullptr));
    for (int step = 0; step < STEPS; step++, q = next) {
        check(tvgp_policy_ask_one(policy, step + 1, &next, nullptr));
        tell(policy, q, step, spelt);
        arm.push_back(q.arm);
    }
    tvgp_policy_destroy(policy);
    tvgp_kernel_destroy(kernel);
    tvgp_domain_destroy(domain);
    tvgp_ctx_destroy(ctx);
    return arm;
}

} // namespace

int main() {
    const std::vector<int64_t> zeroed = play(false);
    if (zeroed != play(true))
        return 1;
    for (int step = 0; step < STEPS; step++)
        std::printf("%d%c", static_cast<int>(zeroed[static_cast<std::size_t>(step)]), step + 1 < STEPS ? ' ' : '\n');
}
