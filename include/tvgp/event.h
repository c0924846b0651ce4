/* SPDX-License-Identifier: MIT */
/* Events: one record for each call that changed a policy, and the replay of records. A store that keeps a description
 * (tvgp_policy_create_described), numbered events and now and then a snapshot can restore the policy bit for bit, on any worker
 * (docs/event-log.md). Also the conversion between an event and one line of JSON, in which tvgp(1) writes its log. */
#ifndef TVGP_EVENT_H
#define TVGP_EVENT_H

#include "types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* tvgp_event.kind, the call that it records. The values never change and are never reused. */
enum {
    TVGP_EVENT_ASK = 1,  /* tvgp_policy_ask_one: t; its result in id, arm, propensity and x (id 0: AGAIN or DONE) */
    TVGP_EVENT_TELL = 2, /* tvgp_policy_tell of one query, or of an unsolicited observation (id 0) at x; outputs behind it */
    TVGP_EVENT_AVAILABLE = 3,     /* tvgp_policy_set_available: x is the mask; empty: all arms */
    TVGP_EVENT_CONTEXT = 4,       /* tvgp_policy_set_context: arm is the context */
    TVGP_EVENT_CONTEXT_POINT = 5, /* tvgp_policy_set_context_point: x */
    TVGP_EVENT_CANDIDATES = 6,    /* tvgp_policy_set_candidates: arm points in x, then their means with TVGP_EVENT_MEANS */
    TVGP_EVENT_BOUNDS = 7,        /* tvgp_policy_set_bounds: lower, then upper bounds; empty: those of the domain */
    TVGP_EVENT_PRIOR_MEAN = 8,    /* tvgp_policy_set_mean: x; empty: zero */
    TVGP_EVENT_CONSTRAINT = 9,    /* tvgp_policy_set_constraint: output and y */
    TVGP_EVENT_SAFE = 10,         /* tvgp_policy_set_safe: points */
    TVGP_EVENT_INCUMBENT = 11,    /* tvgp_policy_set_incumbent: its point and y; empty: none */
    TVGP_EVENT_FIT = 12           /* tvgp_policy_fit: arm is max_evals */
};

/* tvgp_event.flags of TVGP_EVENT_CANDIDATES; those of TVGP_EVENT_TELL are TVGP_OBS_*. */
enum { TVGP_EVENT_MEANS = 1 };

/* One call, and `size` numbers that go with it. 128 bytes, frozen. Members that a kind does not use are 0. */
typedef struct tvgp_event {
    int64_t n;         /* number of the event in its log: 1, 2, .. without gaps */
    int32_t kind;      /* TVGP_EVENT_* */
    uint32_t flags;    /* TVGP_OBS_* of a tell, TVGP_EVENT_MEANS */
    int64_t id;        /* of the query; 0: an unsolicited observation, or an ask without a result */
    int64_t epoch;     /* of the server that served the ask: a random number, 0: none. Not read by the library */
    int64_t arm;       /* of the query, -1 on a box; a context; a number of points */
    double t;          /* of the ask; of the outcome, with TVGP_OBS_TIME */
    int32_t outcome;   /* TVGP_VALUE, TVGP_SKIPPED, TVGP_FAILED, TVGP_CANCELLED */
    int32_t output;    /* 0: the reward; k: output k */
    double y;          /* the outcome; a constraint; the largest share of loss */
    double noise_var;  /* with TVGP_OBS_NOISE */
    double propensity; /* of the choice; 0: not known */
    double exposure;   /* of a count; 0: none */
    double reference;  /* outcome of the reference for the same job; 0: none */
    double charge;     /* cost charged to the query; 0: none */
    int32_t slate;     /* position in a slate, from 1; 0: none */
    int32_t outputs;   /* of constraints 1, 2, .. that a tell of output 0 reports too: the last so many numbers */
    int64_t size;      /* numbers that go with the event */
    double reserved;   /* 0 */
} tvgp_event;

/* Replays n events in their order: makes the calls that they record. The state is that of the policy that made the calls, byte for
 * byte (same library, same machine).
 * @param policy in the state after event events[0].n - 1
 * @param events n records, numbered without gaps
 * @param x_or_null the numbers of all events, one event after the other: n_x is the sum of their sizes; NULL if n_x is 0
 * Errors: FORMAT (a gap in the numbers; an unknown kind; a size that does not fit the kind; an ask whose query has another id, arm or
 * point than recorded), DIM (n_x), ARG, and those of the calls. The message names the event. On error the policy has the state after
 * some event before: restore it from its snapshot. The cost is that of the calls. */
TVGP_API tvgp_status tvgp_policy_apply(tvgp_policy *policy, const tvgp_event *events, size_t n, const double *x_or_null,
                                       size_t n_x);

/* Writes an event as one line of JSON without line end, {"n":1,"call":"ask",..}, and a NUL. Numbers have the digits that restore
 * them exactly.
 * @param x_or_null its n_x = event->size numbers
 * @param buffer_or_null capacity bytes; NULL: only *needed, which counts the NUL
 * Errors: ARG (an unknown kind), DIM (n_x), BUFFER (too small; *needed is set). */
TVGP_API tvgp_status tvgp_event_format(tvgp_ctx *ctx, const tvgp_event *event, const double *x_or_null, size_t n_x,
                                       void *buffer_or_null, size_t capacity, size_t *needed);

/* Reads such a line. Members that it does not know are ignored, so a program may add its own.
 * @param x_or_null receives at most `capacity` numbers; *n_x is how many there are; NULL: only *n_x
 * Errors: FORMAT (no such line; the message names the byte), BUFFER (more than `capacity` numbers; *n_x is set). *event is unchanged
 * then. */
TVGP_API tvgp_status tvgp_event_parse(tvgp_ctx *ctx, const char *line, size_t capacity, tvgp_event *event, double *x_or_null,
                                      size_t *n_x);

#ifdef __cplusplus
}
#endif
#endif
