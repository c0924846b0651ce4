/* SPDX-License-Identifier: MIT */
/* A budget on cumulative cost: bandits with knapsacks (Badanidiyuru, Kleinberg, Slivkins 2013), paced by a price as in
 * Balseiro, Gur 2019 (parts/features/budget.h). */
#include "parts/features/budget.h"

#include "base/error.h"
#include "base/integer_format.h"
#include "base/memory.h"
#include "base/valid_range.h"
#include "parts/features/costs.h"
#include "protocol/policy_ops.h"

#include <math.h>
#include <string.h>

/* A query whose actual cost is not known yet. */
typedef struct charge {
    int64_t id;
    double cost, start; /* reserved; start of the period that pays */
} charge;

typedef struct budget {
    tvgp__guard base;
    double all, period, asks; /* B, T, N */
    double start, last;       /* of the period; time of the newest ask; -infinity before the first */
    double left, spent;       /* of this period; in all, since the budget was set */
    double price, scale;      /* s of the newest ask */
    int64_t refused;          /* asks without an affordable action */
    charge *open;             /* in order of id; the oldest is given up where there are too many */
    size_t n_open, open_slots;
    uint8_t *mask;
    size_t mask_slots;
    struct {
        double start, left, price;
    } now; /* of the ask under way */
} budget;

static budget *budget_of(const tvgp_policy *p) {
    return (budget *)tvgp__guard_find(p, &tvgp__budget_ops);
}

/* ---- setting ------------------------------------------------------------------------------------------------------ */

static tvgp_status check_positive(const tvgp_policy *p, const char *argument, double value) {
    return tvgp__valid_range_positive(p->ctx, argument, value, 0);
}

tvgp_status tvgp__budget_set(tvgp_policy *p, double all, double period, double asks) {
    budget *b;
    if (isinf(all) && all > 0) {
        tvgp__guard_drop(p, &tvgp__budget_ops);
        return TVGP_OK;
    }
    TVGP__TRY(tvgp__guard_refuse(p, &tvgp__budget_ops));
    if (tvgp__costs_weight(p) > 0)
        return tvgp__error_set(p->ctx, TVGP_ERR_STATE,
                               "a budget sets the price of cost itself: the cost weight = %g must be 0",
                               tvgp__costs_weight(p));
    TVGP__TRY(check_positive(p, "budget", all));
    TVGP__TRY(check_positive(p, "period", period));
    TVGP__TRY(check_positive(p, "asks", asks));
    TVGP__TRY(tvgp__guard_make(p, &tvgp__budget_ops, &b));
    b->all = b->left = all;
    b->period = period;
    b->asks = asks;
    b->start = b->last = -INFINITY;
    b->spent = 0;
    b->n_open = 0;
    return TVGP_OK;
}

/* ---- the price ---------------------------------------------------------------------------------------------------- */

static double step_of(const budget *b, double cost) {
    const double allowance = b->all / b->asks;
    return tvgp__valid_range_cap(b->scale / sqrt(b->asks) / allowance * (cost / allowance));
}

/* Takes a cost of the period that began at start, or gives one back. Another period's left is not changed. */
static void spend(budget *b, double start, double cost) {
    b->price = fmax(0, tvgp__valid_range_cap(b->price + step_of(b, cost)));
    b->left = start == b->start ? tvgp__valid_range_cap(b->left - cost) : b->left;
    b->spent = tvgp__valid_range_cap(b->spent + cost);
}

/* What an ask at time t begins with. */
static void advance(budget *b, double t) {
    const double periods = t > b->start ? floor((t - b->start) / b->period) : 0, dt = t - b->last;
    b->now.start = isfinite(b->start) ? b->start + periods * b->period : t;
    b->now.left = b->now.start > b->start ? b->all : b->left;
    b->now.price = isfinite(b->last) ? fmax(0, b->price - step_of(b, b->all * (dt / b->period))) : b->price;
}

/* ---- a choice ----------------------------------------------------------------------------------------------------- */

static tvgp_status check(const tvgp__guard *g, const tvgp_policy *p) {
    (void)g;
    return tvgp__costs_check(p, "a budget");
}

/* The least cost of an action that may be asked. */
static double cheapest(const tvgp_policy *p, const uint8_t *mask, size_t n) {
    double least = INFINITY;
    for (size_t i = 0; i < n; i++)
        least = !mask || mask[i] ? fmin(least, tvgp__costs_of(p, i)) : least;
    return least;
}

/* Marks what costs at most so much; how many. */
static size_t mark(const tvgp_policy *p, budget *b, const uint8_t *mask, size_t n, double most) {
    size_t count = 0;
    for (size_t i = 0; i < n; i++) {
        b->mask[i] = (!mask || mask[i]) && tvgp__costs_of(p, i) <= most;
        count += b->mask[i];
    }
    return count;
}

static tvgp_status make_room(tvgp_policy *p, budget *b, size_t n) {
    const size_t most = (size_t)((const tvgp__policy_config *)p->config)->pending_limit;
    TVGP__TRY(tvgp__memory_reserve(p->ctx, n, 1, &b->mask, &b->mask_slots));
    return b->n_open < most ? tvgp__memory_reserve(p->ctx, b->n_open + 1, sizeof *b->open, &b->open, &b->open_slots)
                            : TVGP_OK;
}

static tvgp_status open_ask(tvgp__guard *g, tvgp_policy *p, double t, int asks) {
    const tvgp__policy_config *c = p->config;
    budget *b = (budget *)g;
    const size_t n = tvgp__policy_choices(p);
    const uint8_t *mask = p->available.mask;
    double *offset;
    if (!asks)
        return TVGP_OK;
    TVGP__TRY(make_room(p, b, n));
    TVGP__TRY(tvgp__guard_offset(p, &offset));
    advance(b, t);
    size_t count = mark(p, b, mask, n, b->now.left);
    if (!count && c->budget_fallback == TVGP__UNPAID_AGAIN) {
        b->refused++;
        return TVGP_AGAIN;
    }
    if (!count)
        count = mark(p, b, mask, n, cheapest(p, mask, n));
    tvgp__costs_take(p, b->now.price, offset);
    tvgp__guard_narrow(p, b->mask, count);
    return TVGP_OK;
}

static void note(budget *b, size_t most, int64_t id, double cost) {
    if (b->n_open >= most) {
        memmove(b->open, b->open + 1, (b->n_open - 1) * sizeof *b->open);
        b->n_open--;
    }
    b->open[b->n_open++] = (charge){.id = id, .cost = cost, .start = b->start};
}

static void asked(tvgp__guard *g, tvgp_policy *p, tvgp__ticket *ticket) {
    const tvgp__policy_config *c = p->config;
    budget *b = (budget *)g;
    if (ticket->kind == TVGP_SIDE)
        return;
    const double cost = tvgp__costs_of(p, ticket->arm);
    b->start = b->now.start;
    b->left = b->now.left;
    b->price = b->now.price;
    b->last = ticket->t;
    b->scale = p->work.scale;
    spend(b, b->start, cost);
    note(b, (size_t)c->pending_limit, ticket->id, cost);
}

/* ---- actual costs ------------------------------------------------------------------------------------------------- */

/* The index of a query in the list; n_open: it is not in the list. */
static size_t find(const budget *b, int64_t id) {
    size_t low = 0, high = b->n_open;
    while (low < high) {
        const size_t mid = low + (high - low) / 2;
        if (b->open[mid].id < id)
            low = mid + 1;
        else
            high = mid;
    }
    return low < b->n_open && b->open[low].id == id ? low : b->n_open;
}

static void record_cost(budget *b, size_t at, double cost) {
    spend(b, b->open[at].start, cost - b->open[at].cost);
    memmove(b->open + at, b->open + at + 1, (b->n_open - at - 1) * sizeof *b->open);
    b->n_open--;
}

tvgp_status tvgp__budget_charge(tvgp_policy *p, int64_t id, double cost) {
    budget *b = budget_of(p);
    const size_t at = b ? find(b, id) : 0;
    if (!b)
        return tvgp__error_set(p->ctx, TVGP_ERR_STATE, "there is no budget (tvgp_policy_set_budget)");
    TVGP__TRY(tvgp__valid_range_value(p->ctx, "cost", cost));
    if (cost < 0)
        return tvgp__error_set(p->ctx, TVGP_ERR_ARG, "cost = %g must be >= 0", cost);
    if (at == b->n_open)
        return tvgp__error_set(p->ctx, TVGP_ERR_TICKET, "id = %" PRId64 " was not asked, or is charged already", id);
    record_cost(b, at, cost);
    return TVGP_OK;
}

/* An action that was never attempted costs nothing. */
static void observed(tvgp__guard *g, tvgp_policy *p, size_t output, const tvgp__answer *a) {
    budget *b = (budget *)g;
    (void)p;
    if (output || !a->ticket || a->outcome != TVGP_CANCELLED)
        return;
    const size_t at = find(b, a->ticket->id);
    if (at < b->n_open)
        record_cost(b, at, 0);
}

/* ---- statistics: 0 without a budget ------------------------------------------------------------------------------- */

TVGP__POLICY_STAT_OF(left, budget, b, budget_of(p), b->left, 0)
TVGP__POLICY_STAT_OF(spent, budget, b, budget_of(p), b->spent, 0)
TVGP__POLICY_STAT_OF(price, budget, b, budget_of(p), b->price, 0)
TVGP__POLICY_STAT_OF(refused, budget, b, budget_of(p), b->refused, 0)

static const tvgp__stat stats[] = {
    {"budget.left", TVGP__TEXT("Budget left in this period, less what is reserved for queries without an actual cost."),
     left, TVGP_STAT_DIAGNOSTIC, "cost"},
    {"budget.spent", TVGP__TEXT("Cost of all queries since the budget was set; actual where it is known."), spent,
     TVGP_STAT_DIAGNOSTIC, "cost"},
    {"budget.price", TVGP__TEXT("Price of a unit of cost after the newest ask, which choices pay in their score."), price,
     TVGP_STAT_DIAGNOSTIC, "reward/cost"},
    {"budget.refused", TVGP__TEXT("Number of asks without an affordable action."), refused, TVGP_STAT_COUNTER, ""},
};

/* ---- snapshots ---------------------------------------------------------------------------------------------------- */

static void visit_open(budget *b, tvgp__visit *v) {
    tvgp__visit_count(v, &b->n_open, (size_t)1 << 31, sizeof *b->open);
    if (tvgp__visit_loads(v))
        tvgp__visit_try(v, tvgp__memory_reserve(v->ctx, b->n_open, sizeof *b->open, &b->open, &b->open_slots));
    for (size_t i = 0; tvgp__visit_fine(v) && i < b->n_open; i++) {
        tvgp__visit_int(v, &b->open[i].id, i ? b->open[i - 1].id + 1 : 1, TVGP__VISIT_TALLY);
        tvgp__visit_real(v, &b->open[i].cost, 0, TVGP__VALID_RANGE_MOST);
        tvgp__visit_real(v, &b->open[i].start, -TVGP__VISIT_MOST, TVGP__VISIT_MOST);
    }
    if (!tvgp__visit_fine(v))
        b->n_open = 0;
}

static void visit(tvgp__guard *g, tvgp_policy *p, tvgp__visit *v) {
    const double most = TVGP__VISIT_MOST;
    budget *b = (budget *)g;
    int begun = isfinite(b->last) != 0;
    (void)p;
    tvgp__visit_real(v, &b->all, TVGP__VALID_RANGE_LEAST, TVGP__VALID_RANGE_MOST);
    tvgp__visit_real(v, &b->period, TVGP__VALID_RANGE_LEAST, TVGP__VALID_RANGE_MOST);
    tvgp__visit_real(v, &b->asks, TVGP__VALID_RANGE_LEAST, TVGP__VALID_RANGE_MOST);
    tvgp__visit_flag(v, &begun);
    if (tvgp__visit_loads(v))
        b->start = b->last = -INFINITY;
    if (begun)
        tvgp__visit_real(v, &b->start, -most, most);
    if (begun)
        tvgp__visit_real(v, &b->last, -TVGP__VALID_RANGE_MOST, TVGP__VALID_RANGE_MOST);
    tvgp__visit_real(v, &b->left, -most, most);
    tvgp__visit_real(v, &b->spent, -most, most);
    tvgp__visit_real(v, &b->price, 0, most);
    tvgp__visit_real(v, &b->scale, 0, most);
    tvgp__visit_tally(v, &b->refused);
    visit_open(b, v);
}

static void release(tvgp__guard *g, tvgp_policy *p) {
    budget *b = (budget *)g;
    tvgp__memory_free(p->ctx, b->open);
    tvgp__memory_free(p->ctx, b->mask);
    tvgp__memory_free(p->ctx, b);
}

const tvgp__guard_ops tvgp__budget_ops = {.name = "BUDG",
                                          .size = sizeof(budget),
                                          .stats = stats,
                                          .n_stats = sizeof stats / sizeof *stats,
                                          .doc = "budget",
                                          .refuses = TVGP__GUARD_SHARED | TVGP__GUARD_MODEL | TVGP__GUARD_NO_SCORE,
                                          .check = check,
                                          .open = open_ask,
                                          .asked = asked,
                                          .observed = observed,
                                          .visit = visit,
                                          .release = release};
