/* SPDX-License-Identifier: MIT */
/* What tvgp.hpp adds to the C interface: owners that move, exceptions that carry text, lengths that are checked. */
#include "tvgp.hpp"
#include <cstdio>
#if __cplusplus >= 202002L
#include <array>
#endif

namespace {

int failed = 0;

void expect(bool holds, const char *what) {
    if (!holds && ++failed)
        std::fprintf(stderr, "not so: %s\n", what);
}

template <typename Call> std::string text_of(Call call, tvgp_status status) {
    try {
        call();
    } catch (const tvgp::Error &error) {
        expect(error.status() == status, error.what());
        return error.what();
    }
    return "";
}

tvgp::Policy made_elsewhere() {
    tvgp::Context ctx; /* its hold ends here; the policy goes on */
    return tvgp::Policy(ctx, "tv-gp-ucb", tvgp::Domain::grid(ctx, {0}, {1}, {11}), tvgp::Kernel::se(ctx, 1, {0.3}),
                        "noise=.02");
}

/* The call is refused before the library is asked, with a text in which `wanted` occurs. */
template <typename Call> void refused(Call call, const char *wanted) {
    try {
        call();
    } catch (const std::invalid_argument &error) {
        expect(std::string(error.what()).find(wanted) != std::string::npos, error.what());
        return;
    }
    expect(false, wanted);
}

/* Arrays whose length is not what the call says. */
void ragged_and_short_arrays() {
    tvgp::Context ctx;
    const tvgp::Domain plane = tvgp::Domain::arms(ctx, 2, {0, 1, 2, 3});
    tvgp::Policy policy(ctx, "gp-ucb", plane, tvgp::Kernel::se(ctx, 2, {0.5}));
    refused([&] { tvgp::Domain::arms(ctx, 2, {0, 1, 2}); }, "3 numbers are not points of 2 coordinates");
    refused([&] { tvgp::Domain::arms(ctx, 0, {0, 1, 2}); }, "3 numbers are not points of 0 coordinates");
    refused([&] { plane.append({1, 2, 3}); }, "3 numbers");
    refused([&] { policy.predict(0, {1, 2, 3}); }, "3 numbers");
    refused([&] { policy.observe({1, 2, 3, 4}, 1, 0); }, "tell: x has 2 entries, not 1");
    refused([&] { tvgp::Kernel::table(ctx, 2, {1, 0, 0}); }, "3 numbers");
    refused([&] { tvgp::Kernel::table(ctx, 2, {1, 0, 0, 1, 1, 1}); }, "6 numbers are not 2 rows");
    refused([&] { tvgp::Domain::grid(ctx, {0, 0}, {1}, {11}); }, "upper has 1 entries, not 2");
    refused([&] { tvgp::Domain::box(ctx, {0}, {1, 1}); }, "upper has 2 entries, not 1");
    refused([&] { policy.extend(plane.append({4, 5}), {1, 2}); }, "has 4 entries, not 3");
    refused([&] { policy.extend(plane.append({4, 5}), tvgp::Vector()); }, "has 2 entries, not 3");
    refused([&] { policy.set_available(std::vector<std::uint8_t>()); }, "mask has 0 entries, not 2");
    refused([&] { policy.set_available({1}); }, "mask has 1 entries, not 2");
    refused([&] { policy.set_prior_mean(tvgp::Vector()); }, "mean is empty");
    policy.set_available({0, 1});
    expect(policy.ask(0).arm == 1, "a mask of all arms");
    policy.set_available();
    policy.set_prior_mean();
}

/* Texts that would end early, and a kernel that is there no more. */
void names_and_moved_parts() {
    tvgp::Context ctx;
    const tvgp::Domain line = tvgp::Domain::grid(ctx, {0}, {1}, {11});
    tvgp::Kernel kernel = tvgp::Kernel::se(ctx, 1, {0.3});
    const tvgp::Kernel moved = std::move(kernel);
    refused([&] { tvgp::Policy(ctx, "gp-ucb", line, kernel); }, "the kernel was moved away");
    refused([&] { tvgp::Policy(ctx, "gp-ucb", line, moved, std::string("noise=.1\0sense=min", 18)); }, "holds a NUL");
}

#if __cplusplus >= 202002L
/* Arrays and spans are read where they are. */
void spans() {
    tvgp::Context ctx;
    const std::array<double, 1> lower{0}, upper{1};
    const double mean[5] = {0, 0, 0, 0, 1};
    tvgp::Policy policy(ctx, "gp-ucb", tvgp::Domain::grid(ctx, lower, std::span<const double>(upper), {5}));
    policy.set_prior_mean(mean);
    expect(policy.ask(1).arm == 4, "the arm of the highest prior mean");
}
#endif

/* Regression against numbers of NumPy (the third case of python/tests/gp.json), and diverse subsets. */
void gaussian_process() {
    const auto near = [](const tvgp::Vector &found, const tvgp::Vector &wanted) {
        expect(found.size() == wanted.size(), "lengths");
        for (std::size_t i = 0; i < found.size(); i++)
            expect(found[i] - wanted[i] < 1e-9 && wanted[i] - found[i] < 1e-9, "a golden number");
    };
    tvgp::Context ctx;
    const tvgp::Kernel kernel = tvgp::Kernel::se(ctx, 1, {0.3});
    tvgp::GP gp(ctx, kernel, 0.01);
    gp.add({0.1, 0.5, 0.8}, {0.2, 0.9, 0.4});
    const tvgp::Vector at = {0.2, 0.6};
    const tvgp::Prediction alone = gp.predict(at);
    const tvgp::JointPrediction joint = gp.predict_covariance(at);
    near(alone.mean, {0.42530931740700206, 0.8106208571719197});
    near(joint.mean, alone.mean);
    near(joint.covariance, {0.04562032909478475, -0.01802570908566764, -0.01802570908566764, 0.023929432820190444});
    near(alone.var, {joint.covariance[0], joint.covariance[3]});
    near({gp.log_marginal_likelihood()}, {-2.869429965463431});
    expect(gp.predict_gradient(at).dmean.size() == 2, "gradients");
    const tvgp::Vector draws = gp.sample(at, 0, 3, 7);
    expect(draws.size() == 6 && gp.sample(at, 0, 1, 7)[1] == draws[1], "draws");
    tvgp::GP again = tvgp::GP::restore(ctx, gp.save());
    expect(again.size() == 3 && again.predict(at).mean == alone.mean, "restored");
    gp.drop(1);
    gp.set_prior_mean(1);
    expect(gp.fit(20) < 1e9 && gp.size() == 2, "fit");
    refused([&] { gp.add({0.1}, {1, 2}); }, "add: y has 2 entries, not 1");
    std::vector<std::size_t> far = tvgp::kdpp_sample(kernel, {0, 0.1, 1}, 2, 0, 0);
    expect(far.size() == 2 && far[0] + far[1] == 2 && far[0] != 1, "the greedy subset");
}

} // namespace

int main() {
#if __cplusplus >= 202002L
    spans();
#endif
    ragged_and_short_arrays();
    gaussian_process();
    names_and_moved_parts();
    tvgp::Policy policy = made_elsewhere();
    const tvgp::Query first = policy.ask(1);
    policy.tell(first, 0.5);
    policy.observe({0.5}, 0.7, 1.5);
    const auto several = policy.ask(2, 1);
    expect(several.size() == 1 && several[0].x.size() == 1, "one query");
    policy.close(several[0]);
    expect(policy.stat("values") == 1 && policy.stat("unsolicited") == 1, "one answer, one observation");
    const tvgp::Prediction p = policy.predict(2, {0.5, 1.0});
    expect(p.mean.size() == 2 && p.var[0] < p.var[1], "known where observed");
    const tvgp::Prediction arms = policy.predict(2);
    expect(arms.mean.size() == 11 && arms.mean[5] == p.mean[0] && arms.var[10] == p.var[1], "all arms at once");
    const auto best = policy.best(2);
    expect(best.second[0] == static_cast<double>(best.first) / 10, "arm and point of the best");

    expect(text_of([&] { policy.tell(first, 1); }, TVGP_ERR_TICKET).find("tell") != std::string::npos, "a ticket twice");
    expect(text_of([&] { policy.set("noise=1"); }, TVGP_ERR_STATE) != "", "options after the first ask");
    tvgp::Context ctx;
    const std::string text =
        text_of([&] { tvgp::Policy(ctx, "tv-gp-ucp", tvgp::Domain::indices(ctx, 2)); }, TVGP_ERR_NOTFOUND);
    expect(text.find("tv-gp-ucb") != std::string::npos, "the nearest name");
    tvgp::Policy loads(ctx, "gp-ucb",
                       tvgp::Domain::product(ctx, tvgp::Domain::grid(ctx, {0}, {1}, {3}), tvgp::Domain::box(ctx, {0}, {10})),
                       tvgp::Kernel::se(ctx, 2, {0.3, 3}));
    expect(text_of([&] { loads.ask(0); }, TVGP_ERR_STATE).find("set_context_point") != std::string::npos, "a context first");
    loads.set_context_point({2.5});
    const tvgp::Query in_context = loads.ask(0);
    expect(in_context.x == tvgp::Vector{0.5 * static_cast<double>(in_context.arm), 2.5}, "an action in its context");
    expect(text_of([&] { loads.set_context(0); }, TVGP_ERR_UNSUPPORTED) != "", "contexts that have no number");
    const tvgp::Domain levels = tvgp::Domain::grid(ctx, {0}, {1}, {3}), hours = tvgp::Domain::grid(ctx, {0}, {10}, {2});
    const tvgp::Domain joint = tvgp::Domain::product(ctx, levels, hours);
    tvgp::Policy busy(ctx, "gp-ucb", joint, tvgp::Kernel::se(ctx, 2, {0.3, 3}), "noise=.1");
    busy.set_prior_mean({0, 0, 0, 0, 0, 9});
    busy.set_context(1);
    const tvgp::Query last = busy.ask(0);
    expect(last.arm == 5 && joint.split(5) == std::make_pair(std::int64_t{2}, std::int64_t{1}), "the best in its context");
    busy.tell(last, 1);
    busy.extend(tvgp::Domain::product(ctx, levels.append({2}), hours), {20, 20});
    expect(busy.ask(1).x == tvgp::Vector{2, 10}, "an action that came");
    expect(text_of([&] { busy.extend(joint); }, TVGP_ERR_ARG).find("does not begin") != std::string::npos, "too few arms");
    tvgp::Policy twin = made_elsewhere();
    twin.load(policy.save());
    expect(twin.ask(3).arm == policy.ask(3).arm && twin.stat("values") == 1, "a loaded policy goes on alike");

    tvgp::Policy box(ctx, "gp-ucb", tvgp::Domain::box(ctx, {0, 1}, {2, 4}), tvgp::Kernel::se(ctx, 2, {0.5, 0.5}));
    const tvgp::Query open = box.ask(0);
    tvgp::Context elsewhere;
    tvgp::Policy alone = tvgp::Policy::restore(elsewhere, box.save_full());
    const auto found = alone.pending();
    expect(alone.name() == "gp-ucb" && alone.domain().type() == "box", "what a whole snapshot is of");
    expect(alone.domain().bounds() == std::make_pair(tvgp::Vector{0, 1}, tvgp::Vector{2, 4}), "bounds of its box");
    expect(found.size() == 1 && found[0].id == open.id && found[0].x == open.x && found[0].score == open.score,
           "what is open");
    alone.tell(found[0], 1);
    box.tell(open, 1);
    expect(alone.pending().empty() && alone.ask(1).x == box.ask(1).x, "it goes on alike");
    tvgp::Policy chance(ctx, "random", tvgp::Domain::indices(ctx, 3));
    expect(chance.ask(0).propensity == 1.0 / 3, "chance needs no kernel");
    const std::vector<double> at = {0.5, 2};
    const tvgp::c::policy_evaluate_result slope = tvgp::c::policy_evaluate(box, 1, &at, "mean dmean dvar");
    expect(slope.mean == box.predict(1, {0.5, 2}).mean && slope.dmean.size() == 2, "functions by their names in C");
    bool refused = false;
    try {
        tvgp::c::kernel_param_gradient(tvgp::Kernel::se(ctx, 1, {1}), {1, 2}, {1}, {1});
    } catch (const std::invalid_argument &) {
        refused = true;
    }
    expect(refused, "arrays that do not belong together");
    const tvgp::Policy moved = std::move(policy);
    expect(moved.stat("values") == 1, "owners move");
    return failed != 0;
}
