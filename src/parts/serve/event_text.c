/* SPDX-License-Identifier: MIT */
/* Events as lines of JSON. Writing knows which members a kind has; reading takes every member that it knows and ignores all others,
 * nested ones included. Numbers are written with the fewest of 15 to 17 digits that restore them, with a decimal point in every
 * locale. Lines may come from untrusted users: reading looks at each byte once and allocates nothing. */
#include "api/enter.h"
#include "base/integer_format.h"
#include "parts/serve/event_names.h"
#include "parts/serve/json_text.h"
#include "parts/serve/text_out.h"
#include "tvgp.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { LONGEST_NUMBER = 40, LONGEST_KEY = 31 };

static const char *const calls[] = {
    [TVGP_EVENT_ASK] = "ask",
    [TVGP_EVENT_TELL] = "tell",
    [TVGP_EVENT_AVAILABLE] = "available",
    [TVGP_EVENT_CONTEXT] = "context",
    [TVGP_EVENT_CONTEXT_POINT] = "context_point",
    [TVGP_EVENT_CANDIDATES] = "candidates",
    [TVGP_EVENT_BOUNDS] = "bounds",
    [TVGP_EVENT_PRIOR_MEAN] = "prior_mean",
    [TVGP_EVENT_CONSTRAINT] = "constraint",
    [TVGP_EVENT_SAFE] = "safe",
    [TVGP_EVENT_INCUMBENT] = "incumbent",
    [TVGP_EVENT_FIT] = "fit",
    [TVGP_EVENT_BUDGET] = "budget",
    [TVGP_EVENT_COSTS] = "costs",
    [TVGP_EVENT_CHARGE] = "charge",
    [TVGP_EVENT_EXTEND] = "extend",
    [TVGP_EVENT_PAYOFFS] = "payoffs",
    [TVGP_EVENT_COST_WEIGHT] = "cost_weight",
};
enum { KINDS = sizeof calls / sizeof *calls };
static const char *const outcomes[] = {"value", "skipped", "failed", "cancelled"};
enum { OUTCOMES = sizeof outcomes / sizeof *outcomes };
static const struct {
    uint32_t flag;
    const char *word, *text;
} censored[2] = {{TVGP_OBS_RIGHT_CENSORED, "right", ",\"censored\":\"right\""},
                 {TVGP_OBS_LEFT_CENSORED, "left", ",\"censored\":\"left\""}};

/* ---- members ---------------------------------------------------------------------------------------------------- */

/* A member of the record. Written if it is not 0, or for the kinds of the mask `always`; TELL members only with their flag. */
typedef struct member {
    const char *key;
    size_t at;
    char type;       /* i: int64, w: int32, d: double */
    uint32_t always; /* bits of kinds */
    uint32_t flag;   /* of a tell; 0: none */
} member;

#define OF(kind) (UINT32_C(1) << TVGP_EVENT_##kind)
static const member members[] = {
    {"id", offsetof(tvgp_event, id), 'i', OF(ASK) | OF(TELL), 0},
    {"epoch", offsetof(tvgp_event, epoch), 'i', 0, 0},
    {"arm", offsetof(tvgp_event, arm), 'i', OF(ASK) | OF(CONTEXT) | OF(CANDIDATES) | OF(FIT) | OF(EXTEND), 0},
    {"t", offsetof(tvgp_event, t), 'd', OF(ASK), TVGP_OBS_HAS_TIME},
    {"output", offsetof(tvgp_event, output), 'w', OF(CONSTRAINT), 0},
    {"y", offsetof(tvgp_event, y), 'd', OF(CONSTRAINT) | OF(INCUMBENT) | OF(COST_WEIGHT), 0},
    {"noise", offsetof(tvgp_event, noise_var), 'd', 0, TVGP_OBS_HAS_NOISE},
    {"propensity", offsetof(tvgp_event, propensity), 'd', 0, 0},
    {"exposure", offsetof(tvgp_event, exposure), 'd', 0, TVGP_OBS_HAS_EXPOSURE},
    {"reference", offsetof(tvgp_event, reference), 'd', 0, TVGP_OBS_HAS_REFERENCE},
    {"charge", offsetof(tvgp_event, charge), 'd', 0, 0},
    {"slate", offsetof(tvgp_event, slate), 'w', 0, 0},
    {"outputs", offsetof(tvgp_event, outputs), 'w', 0, 0},
};
enum { MEMBERS = sizeof members / sizeof *members };

/* ---- writing ---------------------------------------------------------------------------------------------------- */

static void add(tvgp__text_out *out, const char *bytes) {
    tvgp__text_out_add(out, bytes);
}

/* Infinite values are texts, because JSON has no number for them. */
static void add_number(tvgp__text_out *out, double value) {
    if (isfinite(value))
        tvgp__text_out_add_number(out, value);
    else
        add(out, value > 0 ? "\"inf\"" : value < 0 ? "\"-inf\"" : "null");
}

static void add_integer(tvgp__text_out *out, int64_t value) {
    char digits[LONGEST_NUMBER];
    snprintf(digits, sizeof digits, "%" PRId64, value);
    add(out, digits);
}

static double value_at(const tvgp_event *e, const member *m, int64_t *integer) {
    const char *at = (const char *)e + m->at;
    int32_t word = 0;
    double number = 0;
    *integer = 0;
    if (m->type == 'd')
        memcpy(&number, at, sizeof number);
    else if (m->type == 'i')
        memcpy(integer, at, sizeof *integer);
    else
        memcpy(&word, at, sizeof word);
    *integer = m->type == 'w' ? word : *integer;
    return number;
}

static void add_member(tvgp__text_out *out, const tvgp_event *e, const member *m) {
    int64_t integer;
    const double number = value_at(e, m, &integer);
    const int tell = e->kind == TVGP_EVENT_TELL;
    int wanted = (m->always >> e->kind & 1) || (m->type == 'd' ? number != 0 : integer != 0);
    if (tell && m->flag)
        wanted = (e->flags & m->flag) != 0;
    if (tell && m->at == offsetof(tvgp_event, y))
        wanted = e->outcome == TVGP_VALUE;
    if (e->kind == TVGP_EVENT_EXTEND && m->at == offsetof(tvgp_event, outputs)) /* the length of the names */
        wanted = 0;
    if (!wanted)
        return;
    add(out, ",\"");
    add(out, m->key);
    add(out, "\":");
    if (m->type == 'd')
        add_number(out, number);
    else
        add_integer(out, integer);
}

/* The bytes of the names as a string. */
static void add_names(tvgp__text_out *out, size_t n, const double *byte) {
    add(out, ",\"names\":\"");
    for (size_t i = 0; i < n; i++) {
        const char c[] = {(char)(int)byte[i], '\0'};
        if (*c == '"' || *c == '\\')
            add(out, "\\");
        add(out, c);
    }
    add(out, "\"");
}

static int has_means(int32_t kind) {
    return kind == TVGP_EVENT_CANDIDATES || kind == TVGP_EVENT_EXTEND;
}

static void write_event(tvgp__text_out *out, const tvgp_event *e, const double *x) {
    add(out, "{\"n\":");
    add_integer(out, e->n);
    add(out, ",\"call\":\"");
    add(out, calls[e->kind]);
    add(out, "\"");
    for (size_t i = 0; i < MEMBERS; i++)
        add_member(out, e, &members[i]);
    if (e->kind == TVGP_EVENT_TELL && e->outcome != TVGP_VALUE) {
        add(out, ",\"outcome\":\"");
        add(out, outcomes[e->outcome]);
        add(out, "\"");
    }
    if (has_means(e->kind) && (e->flags & TVGP_EVENT_MEANS))
        add(out, ",\"means\":1");
    if (e->kind == TVGP_EVENT_TELL && (e->flags & TVGP_OBS_PARTIAL))
        add(out, ",\"partial\":true");
    for (size_t i = 0; e->kind == TVGP_EVENT_TELL && i < 2; i++)
        if (e->flags & censored[i].flag)
            add(out, censored[i].text);
    const size_t names = tvgp__event_names_bytes(e), n = (size_t)e->size - names;
    for (size_t i = 0; i < n; i++) {
        add(out, i ? "," : ",\"x\":[");
        add_number(out, x[i]);
    }
    add(out, n ? "]" : "");
    if (names)
        add_names(out, names, x + n);
    add(out, "}");
}

/* What would not be written: a member of a tell without its flag, and what is reserved. */
static tvgp_status check_members(tvgp_ctx *ctx, const tvgp_event *e) {
    for (size_t i = 0; i < MEMBERS; i++) {
        int64_t integer;
        const double value = value_at(e, &members[i], &integer);
        if (e->kind == TVGP_EVENT_TELL && members[i].flag & ~e->flags && value != 0)
            return tvgp__error_set(ctx, TVGP_ERR_ARG, "event->%s = %g must be 0 without the flag %" PRIu32, members[i].key,
                                   value, members[i].flag);
    }
    if (e->reserved != 0)
        return tvgp__error_set(ctx, TVGP_ERR_ARG, "event->reserved = %g must be 0", e->reserved);
    return TVGP_OK;
}

tvgp_status tvgp_event_format(tvgp_ctx *ctx, const tvgp_event *event, size_t n_x, const double *x_or_null, size_t capacity,
                              void *buffer_or_null, size_t *needed) {
    TVGP__ENTER(ctx);
    TVGP__REQUIRE(ctx, event);
    TVGP__REQUIRE(ctx, needed);
    if (event->kind < 1 || event->kind >= KINDS)
        return tvgp__error_set(ctx, TVGP_ERR_ARG, "event->kind = %" PRId32 " must be in 1..%d", event->kind, KINDS - 1);
    if (event->outcome < 0 || event->outcome >= OUTCOMES)
        return tvgp__error_set(ctx, TVGP_ERR_ARG, "event->outcome = %" PRId32 " must be in 0..3", event->outcome);
    if (event->size < 0 || (size_t)event->size != n_x)
        return tvgp__error_set(ctx, TVGP_ERR_DIM, "x has %zu numbers, the event has %" PRId64, n_x, event->size);
    if (n_x)
        TVGP__REQUIRE(ctx, x_or_null);
    TVGP__TRY(check_members(ctx, event));
    const size_t names = tvgp__event_names_bytes(event);
    if (names > n_x || (names && !tvgp__event_names_valid(x_or_null + n_x - names, names, (size_t)event->arm)))
        return tvgp__error_set(ctx, TVGP_ERR_ARG, "the last %zu numbers must be the names of %" PRId64 " actions", names,
                               event->arm);
    tvgp__text_out out = {.at = buffer_or_null, .capacity = buffer_or_null ? capacity : 0};
    write_event(&out, event, x_or_null);
    return tvgp__text_out_end(ctx, &out, needed);
}

/* ---- reading ---------------------------------------------------------------------------------------------------- */

/* Where reading is, and the numbers that were found. */
typedef struct cursor {
    tvgp__json_text j;
    double *x;
    size_t capacity, n_x;
} cursor;

static int take(cursor *c, char wanted) {
    return tvgp__json_text_take(&c->j, wanted);
}

static int take_string(cursor *c, char *out, size_t size) {
    size_t n;
    return tvgp__json_text_string(&c->j, out, size, &n);
}

/* null is NaN. */
static int take_number(cursor *c, double *value) {
    char word[TVGP__JSON_TEXT_WORD];
    if (!tvgp__json_text_is(&c->j, 'n'))
        return tvgp__json_text_number(&c->j, value);
    *value = NAN;
    return tvgp__json_text_word(&c->j, word) && strcmp(word, "null") == 0;
}

static void take_x(cursor *c, double value) {
    if (c->x && c->n_x < c->capacity)
        c->x[c->n_x] = value;
    c->n_x++;
}

static int take_list(cursor *c) {
    if (!take(c, '['))
        return 0;
    if (take(c, ']'))
        return 1;
    do {
        double value;
        if (!take_number(c, &value))
            return 0;
        take_x(c, value);
    } while (take(c, ','));
    return take(c, ']');
}

/* The index of a text in a list; n: not found. */
static size_t find(const char *word, const char *const *list, size_t first, size_t n) {
    size_t i = first;
    while (i < n && strcmp(word, list[i]) != 0)
        i++;
    return i;
}

static int take_member(cursor *c, const member *m, tvgp_event *e) {
    char *at = (char *)e + m->at;
    int64_t integer;
    double number;
    if (m->type == 'd') {
        if (!take_number(c, &number))
            return 0;
        memcpy(at, &number, sizeof number);
        e->flags |= e->kind == TVGP_EVENT_TELL ? m->flag : 0;
        return 1;
    }
    if (!tvgp__json_text_integer(&c->j, &integer) || (m->type == 'w' && integer != (int32_t)integer))
        return 0;
    const int32_t word = (int32_t)integer;
    memcpy(at, m->type == 'w' ? (const void *)&word : &integer, m->type == 'w' ? sizeof word : sizeof integer);
    return 1;
}

/* A string whose bytes follow the numbers. */
static int take_names(cursor *c, tvgp_event *e) {
    if (!take(c, '"'))
        return 0;
    for (; *c->j.at && *c->j.at != '"'; c->j.at++) {
        if (e->outputs == INT32_MAX || (*c->j.at == '\\' && !*++c->j.at))
            return 0;
        take_x(c, (unsigned char)*c->j.at);
        e->outputs++;
    }
    return take(c, '"');
}

static int take_partial(cursor *c, tvgp_event *e) {
    char word[TVGP__JSON_TEXT_WORD];
    if (!tvgp__json_text_word(&c->j, word) || (strcmp(word, "true") != 0 && strcmp(word, "false") != 0))
        return 0;
    e->flags |= *word == 't' ? TVGP_OBS_PARTIAL : 0;
    return 1;
}

static int take_censored(cursor *c, tvgp_event *e) {
    char word[TVGP__JSON_TEXT_WORD];
    size_t i = 0;
    if (!take_string(c, word, sizeof word))
        return 0;
    while (i < 2 && strcmp(word, censored[i].word) != 0)
        i++;
    e->flags |= i < 2 ? censored[i].flag : 0;
    return i < 2;
}

static int take_value(cursor *c, const char *key, tvgp_event *e) {
    char word[TVGP__JSON_TEXT_WORD];
    int64_t means;
    if (strcmp(key, "x") == 0)
        return !c->n_x && take_list(c);
    if (strcmp(key, "outcome") == 0) {
        const size_t found = take_string(c, word, sizeof word) ? find(word, outcomes, 0, OUTCOMES) : OUTCOMES;
        e->outcome = (int32_t)found;
        return found < OUTCOMES;
    }
    if (strcmp(key, "names") == 0 && e->kind == TVGP_EVENT_EXTEND)
        return !e->outputs && take_names(c, e);
    if (strcmp(key, "partial") == 0 && e->kind == TVGP_EVENT_TELL)
        return take_partial(c, e);
    if (strcmp(key, "censored") == 0 && e->kind == TVGP_EVENT_TELL)
        return take_censored(c, e);
    if (strcmp(key, "means") == 0 && has_means(e->kind)) {
        if (!tvgp__json_text_integer(&c->j, &means))
            return 0;
        e->flags |= means ? TVGP_EVENT_MEANS : 0;
        return 1;
    }
    for (size_t i = 0; i < MEMBERS; i++)
        if (strcmp(key, members[i].key) == 0)
            return take_member(c, &members[i], e);
    return tvgp__json_text_skip(&c->j);
}

/* {"n":N,"call":"CALL", which every line begins with. */
static int take_head(cursor *c, tvgp_event *e) {
    char key[LONGEST_KEY + 1], word[LONGEST_NUMBER];
    if (!take(c, '{') || !take_string(c, key, sizeof key) || strcmp(key, "n") != 0 || !take(c, ':') ||
        !tvgp__json_text_integer(&c->j, &e->n))
        return 0;
    if (!take(c, ',') || !take_string(c, key, sizeof key) || strcmp(key, "call") != 0 || !take(c, ':') ||
        !take_string(c, word, sizeof word))
        return 0;
    const size_t kind = find(word, calls, 1, KINDS);
    e->kind = (int32_t)kind;
    return kind < KINDS;
}

static int take_event(cursor *c, tvgp_event *e) {
    char key[LONGEST_KEY + 1];
    if (!take_head(c, e))
        return 0;
    while (take(c, ','))
        if (!take_string(c, key, sizeof key) || !take(c, ':') || !take_value(c, key, e))
            return 0;
    if (!take(c, '}'))
        return 0;
    return tvgp__json_text_at_end(&c->j);
}

tvgp_status tvgp_event_parse(tvgp_ctx *ctx, const char *line, size_t capacity, tvgp_event *event, double *x_or_null,
                             size_t *n_x) {
    TVGP__ENTER(ctx);
    TVGP__REQUIRE(ctx, line);
    TVGP__REQUIRE(ctx, event);
    TVGP__REQUIRE(ctx, n_x);
    cursor c = {.j = {line, line}, .x = x_or_null, .capacity = capacity};
    tvgp_event found = {0};
    if (!take_event(&c, &found))
        return tvgp__error_set(ctx, TVGP_ERR_FORMAT, "byte %zu of the line does not belong to an event",
                               (size_t)(c.j.at - c.j.begin));
    *n_x = c.n_x;
    if (x_or_null && c.n_x > capacity)
        return tvgp__error_set(ctx, TVGP_ERR_BUFFER, "capacity = %zu, the event has %zu numbers", capacity, c.n_x);
    found.size = (int64_t)c.n_x;
    *event = found;
    return TVGP_OK;
}
