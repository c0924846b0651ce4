/* SPDX-License-Identifier: MIT */
/* The program of docs/start/tutorial.md in C++: tutorial PRICES_CSV */
#include "tvgp.hpp"
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <exception>
#include <fstream>

namespace {

const int PRICES = 41, LAST = 120, END = 240;

double profit(double price, int day) {
    const double phase = day % 160 / 80.0, best = 10 + 8 * (phase < 1 ? phase : 2 - phase), away = price - best;
    return 200 - 80 * away * away / (away * away + 16);
}

void read_log(tvgp::Policy &policy, const char *path) {
    std::ifstream file(path);
    std::string head;
    double day, price, value;
    char comma;
    if (!std::getline(file, head))
        throw std::runtime_error(std::string("cannot read ") + path);
    while (file >> day >> comma >> price >> comma >> value)
        policy.observe({price}, value, day);
}

void run(const char *log) {
    tvgp::Context ctx;
    tvgp::Policy policy(ctx, "auto-gp-ucb", tvgp::Domain::grid(ctx, {5}, {25}, {PRICES}));
    read_log(policy, log);
    const tvgp::Vector noise = tvgp::random_normal(1, 1000, 0, END + 1);
    double earned = 0, possible = 0;
    for (int day = LAST + 1; day <= END; day++) {
        const tvgp::Query q = policy.ask(day);
        const double price = q.x[0];
        double highest = 0;
        policy.tell(q, profit(price, day) + 5 * noise[static_cast<std::size_t>(day)]);
        for (int i = 0; i < PRICES; i++)
            highest = std::max(highest, profit(5 + i * 0.5, day));
        earned += profit(price, day);
        possible += highest;
        std::printf("%.1f%c", price, day % 20 ? ' ' : '\n');
    }
    const auto best = policy.best(END);
    const tvgp::Prediction p = policy.predict(END, best.second);
    std::printf("tomorrow %.1f, for %.0f +- %.0f; surprise %.1f; earned %.0f of %.0f\n", best.second[0], p.mean[0],
                std::sqrt(p.var[0]), policy.stat("surprise"), earned, possible);
}

} // namespace

int main(int argc, char **argv) {
    try {
        run(argc > 1 ? argv[1] : "prices.csv");
    } catch (const std::exception &error) {
        std::fprintf(stderr, "tutorial: %s\n", error.what());
        return 1;
    }
}
