/* SPDX-License-Identifier: MIT */
/* values TABLE: tries the rows of values.txt that C++ can express. */
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <map>
#include <string>
#include <tvgp.hpp>

namespace {

using Call = std::function<void()>;

std::map<std::string, Call> calls_of(const tvgp::Context &ctx, tvgp::Policy &p, const tvgp::Query &q) {
    const double nan = std::nan("");
    auto tell = [&p, &q](double y) { return [&p, &q, y] { p.tell(q, y); }; };
    auto noise = [&p](double v) {
        return [&p, v] {
            tvgp_obs obs = tvgp_obs_unsolicited(2e9, 1);
            obs.flags |= TVGP_OBS_HAS_NOISE;
            obs.noise_var = v;
            p.tell({obs}, {0.5});
        };
    };
    auto observe = [&p](double x) { return [&p, x] { p.observe({x}, 1, 2e9); }; };
    auto fresh = [&ctx](const char *name, const char *options) {
        return [&ctx, name, options] {
            tvgp::Policy(ctx, name, tvgp::Domain::grid(ctx, {0}, {1}, {3}), tvgp::Kernel::se(ctx, 1, {1}), options);
        };
    };
    auto append = [&ctx](const tvgp::Vector &x) {
        return [&ctx, x] { tvgp::Domain::arms(ctx, 2, {0, 1, 2, 3}).append(x); };
    };
    return {
        {"y nan", tell(nan)},
        {"y infinity", tell(INFINITY)},
        {"noise_var nan", noise(nan)},
        {"noise_var minus one", noise(-1)},
        {"t nan", [&p, nan] { p.ask(nan); }},
        {"x rounded", observe(static_cast<double>(0.3f))},
        {"x between two points", observe(0.33)},
        {"x nan", observe(nan)},
        {"x two coordinates", [&p] { p.observe({0.1, 0.2}, 1, 2e9); }},
        {"plane ragged", append({1, 2, 3})},
        {"cap zero", [&p] { p.ask(2e9, 0); }},
        {"option noise text abc", fresh("gp-ucb", "noise=abc")},
        {"option noise nan", fresh("gp-ucb", "noise=nan")},
        {"option noise minus one", fresh("gp-ucb", "noise=-1")},
        {"option nosie number", fresh("gp-ucb", "nosie=1")},
        {"policy tv-gp-ucp number", fresh("tv-gp-ucp", "")},
        {"statistic valeus number", [&p] { p.stat("valeus"); }},
        {"mask short", [&p] { p.set_available({1, 0}); }},
        {"mean nan", [&p, nan] { p.set_prior_mean(tvgp::Vector(11, nan)); }},
        {"mean short", [&p] { p.set_prior_mean({1, 2}); }},
        {"grid points zero", [&ctx] { tvgp::Domain::grid(ctx, {0}, {1}, {0}); }},
        {"y whole number", tell(3)},
    };
}

std::string said_by(const Call &call) {
    try {
        call();
    } catch (const std::exception &error) {
        return error.what();
    }
    return "taken";
}

bool fits(const std::string &said, const std::string &result) {
    for (std::size_t at = 0; at <= result.size();) {
        const std::size_t end = std::min(result.find('|', at), result.size());
        if (said.find(result.substr(at, end - at)) != std::string::npos)
            return true;
        at = end + 1;
    }
    return false;
}

} // namespace

int main(int argc, char **argv) {
    const tvgp::Context ctx;
    tvgp::Policy p(ctx, "tv-gp-ucb", tvgp::Domain::grid(ctx, {0}, {1}, {11}), tvgp::Kernel::se(ctx, 1, {0.3}), "noise=.01");
    const tvgp::Query q = p.ask(1);
    auto calls = calls_of(ctx, p, q);
    std::ifstream table(argc > 1 ? argv[1] : "");
    int rows = 0, tried = 0;
    for (std::string line; std::getline(table, line);) {
        const std::size_t one = line.find('\t'), two = line.find('\t', one + 1);
        if (line[0] == '#' || two == std::string::npos)
            continue;
        rows++;
        const auto found = calls.find(line.substr(0, one) + " " + line.substr(one + 1, two - one - 1));
        if (found == calls.end())
            continue;
        const double values = p.stat("values"), unsolicited = p.stat("unsolicited");
        const std::string said = said_by(found->second), result = line.substr(two + 1);
        if (!fits(said, result) || (said != "taken" && (p.stat("values") != values || p.stat("unsolicited") != unsolicited))) {
            std::printf("%s: %s\n", found->first.c_str(), said.c_str());
            return 1;
        }
        calls.erase(found);
        tried++;
    }
    std::printf("cpp: %d of %d rows\n", tried, rows);
    return calls.empty() ? 0 : 1;
}
