/* SPDX-License-Identifier: MIT */
/* Policies in snapshots (docs/reference/snapshot-format.md) (protocol/copies/snapshot.h). */
#include "protocol/copies/snapshot.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/numbers/crc32c.h"
#include "base/quota.h"
#include "protocol/copies/shard_snapshot.h"
#include "protocol/copies/snapshot_signature.h"
#include "protocol/policy_options.h"
#include "protocol/prior.h"
#include "protocol/query_points.h"
#include "space/domain/domain_visit.h"
#include "space/kernel/kernel_visit.h"

#include <math.h>
#include <string.h>

#define TMPL TVGP__SECTION_TAG('T', 'M', 'P', 'L')
#define OPTS TVGP__SECTION_TAG('O', 'P', 'T', 'S')
#define PRIO TVGP__SECTION_TAG('P', 'R', 'I', 'O')
#define FRAM TVGP__SECTION_TAG('F', 'R', 'A', 'M')
#define DOMN TVGP__SECTION_TAG('D', 'O', 'M', 'N')
#define KERN TVGP__SECTION_TAG('K', 'E', 'R', 'N')
#define STAT TVGP__SECTION_TAG('S', 'T', 'A', 'T')
#define CAND TVGP__SECTION_TAG('C', 'A', 'N', 'D')

static const uint32_t tags[] = {
    TMPL, OPTS, PRIO, FRAM, STAT, DOMN, KERN, CAND, TVGP__SHARD_SNAPSHOT_PART, TVGP__SHARD_SNAPSHOT_MANI};
enum { N_TAGS = sizeof tags / sizeof *tags, MOST_TAGS = N_TAGS + TVGP__GUARD_MOST };

/* All tags that a snapshot may have; how many. */
static size_t find_known(const tvgp_ctx *ctx, uint32_t known[MOST_TAGS]) {
    memcpy(known, tags, sizeof tags);
    return N_TAGS + tvgp__guard_tags(ctx, known + N_TAGS);
}

/* ---- template ----------------------------------------------------------------------------------------------------- */

/* Hashes are taken once: neither domain nor kernel ever changes. */
static tvgp_status remember_own(tvgp_policy *p) {
    tvgp__snapshot_memory *m = NULL;
    if (p->snapshots)
        return TVGP_OK;
    TVGP__TRY(tvgp__memory_alloc(p->ctx, 1, sizeof *m, &m));
    tvgp_status status = tvgp__memory_alloc(p->ctx, 1, p->ops->config_size, &m->defaults);
    const tvgp_kernel *kernel = p->created;
    if (status == TVGP_OK && kernel)
        status = tvgp__kernel_visit_hash(kernel, &m->kernel);
    if (status < 0) {
        tvgp__memory_free(p->ctx, m->defaults);
        tvgp__memory_free(p->ctx, m);
        return status;
    }
    tvgp__policy_options_defaults(p->ops, m->defaults);
    m->domain = p->domain->shard ? p->domain->shard->hash : tvgp__domain_visit_hash(p->domain);
    p->snapshots = m;
    return TVGP_OK;
}

/* And of the models of its outputs. */
static tvgp_status remember(tvgp_policy *p) {
    TVGP__TRY(remember_own(p));
    for (size_t k = 0; k < tvgp__policy_outputs(p); k++)
        TVGP__TRY(remember_own(p->outputs->model[k]));
    return TVGP_OK;
}

/* ---- the framework's part ----------------------------------------------------------------------------------------- */

static void visit_frame(tvgp_policy *p, tvgp__visit *v) {
    const tvgp__policy_config *config = p->config;
    const size_t arms = tvgp__domain_entries(p->domain);
    tvgp__action_set *w = p->within;
    tvgp__visit_real(v, &p->clock, -INFINITY, TVGP__VALID_RANGE_MOST);
    tvgp__visit_tally(v, &p->counts.asked);
    tvgp__visit_tally(v, &p->counts.side_asked);
    for (size_t i = 0; i < 4; i++)
        tvgp__visit_tally(v, &p->counts.outcomes[i]);
    tvgp__visit_tally(v, &p->counts.timed_out);
    tvgp__visit_tally(v, &p->counts.parts);
    tvgp__visit_tally(v, &p->counts.clamped);
    tvgp__visit_tally(v, &p->counts.unsolicited);
    tvgp__mean_function_visit(&p->mean, arms, v);
    if (w) {
        tvgp__action_set_visit(w, p->domain, v);
        tvgp__mean_function_visit_function(&p->mean, v);
    }
    if (arms)
        tvgp__available_visit(&p->available, p->domain, v);
    tvgp__tickets_visit(&p->tickets, tvgp__shard_total(p->domain->shard, arms), p->priors.n ? p->priors.n : 1,
                        (size_t)config->pending_limit, tvgp__query_points_pending(p), p->domain->dim, v);
    tvgp__last_action_visit(p, v);
    for (size_t i = 0; tvgp__visit_loads(v) && i < p->tickets.count; i++)
        if (p->tickets.list[i].step > p->counts.asked)
            tvgp__visit_refuse(v, "a query is of an action not asked yet");
}

/* ---- saving ------------------------------------------------------------------------------------------------------- */

/* Domain and kernel, for who has neither; one that the policy made itself it makes again. */
static uint32_t write_parts(tvgp_policy *p, tvgp__visit *v) {
    size_t start = tvgp__section_begin(v);
    tvgp__domain_visit(v, &p->domain);
    tvgp__section_end(v, start, DOMN, 0);
    if (!p->given.kernel)
        return 1;
    start = tvgp__section_begin(v);
    tvgp_kernel *kernel = p->created;
    tvgp__kernel_visit(v, &kernel);
    tvgp__section_end(v, start, KERN, 0);
    return 2;
}

/* A policy that chooses from the whole box has none. */
static uint32_t write_candidates(tvgp_policy *p, tvgp__visit *v) {
    tvgp__action_set *w = p->within;
    if (!tvgp__action_set_candidates(w))
        return 0;
    const size_t start = tvgp__section_begin(v);
    tvgp__candidates_visit(&w->among, p->domain, v);
    tvgp__section_end(v, start, CAND, TVGP__SECTION_REQUIRED);
    return 1;
}

static void write_sections(tvgp_policy *p, const double *length, const double *crc, tvgp__visit *v) {
    tvgp__snapshot_signature own = tvgp__snapshot_signature_of(p);
    uint32_t sections = p->started ? 5 : 4;
    const tvgp__shard *shard = p->domain->shard;
    v->shared = shard != NULL;
    tvgp__section_open(v);
    size_t start = tvgp__section_begin(v);
    tvgp__snapshot_signature_visit(&own, v);
    tvgp__section_end(v, start, TMPL, TVGP__SECTION_REQUIRED);
    if (v->whole)
        sections += write_parts(p, v);
    if (shard) {
        tvgp__shard_snapshot_write_part(p, v);
        sections++;
    }
    if (shard && shard->comm.rank == 0) {
        tvgp__shard_snapshot_write_manifest(p, length, crc, v);
        sections++;
    }
    start = tvgp__section_begin(v);
    tvgp__option_visit(p->ops->groups, p->ops->n_groups, p->snapshots->defaults, p->config, &p->given.options, v);
    tvgp__section_end(v, start, OPTS, TVGP__SECTION_REQUIRED);
    start = tvgp__section_begin(v);
    tvgp__prior_visit(p, p, v);
    tvgp__section_end(v, start, PRIO, TVGP__SECTION_REQUIRED);
    sections += tvgp__guard_write(p, 1, v);
    start = tvgp__section_begin(v);
    visit_frame(p, v);
    tvgp__section_end(v, start, FRAM, TVGP__SECTION_REQUIRED);
    sections += write_candidates(p, v);
    sections += tvgp__guard_write(p, 0, v);
    if (p->started) {
        start = tvgp__section_begin(v);
        TVGP__POLICY_OP(p->ops, visit)(p, v);
        tvgp__section_end(v, start, STAT, TVGP__SECTION_REQUIRED);
    }
    tvgp__section_close(v, tvgp__snapshot_signature_hash(&own), sections, v->whole ? TVGP__SECTION_WHOLE : 0);
}

/* A snapshot of its own, and before it its length. */
static void write_model(tvgp_policy *model, tvgp__visit *v) {
    tvgp__visit inner = {.ctx = v->ctx, .purpose = TVGP__VISIT_SIZE, .whole = v->whole};
    write_sections(model, NULL, NULL, &inner);
    const size_t size = inner.at;
    uint64_t length = size;
    tvgp__visit_u64(v, &length);
    if (v->purpose == TVGP__VISIT_SAVE && tvgp__visit_fine(&inner) && v->at <= v->end && size <= v->end - v->at) {
        inner =
            (tvgp__visit){.ctx = v->ctx, .purpose = TVGP__VISIT_SAVE, .whole = v->whole, .out = v->out + v->at, .end = size};
        write_sections(model, NULL, NULL, &inner);
    }
    if (tvgp__visit_try(v, inner.status))
        tvgp__visit_skip(v, size);
}

tvgp_status tvgp__snapshot_save(tvgp_policy *p, int whole, void *buffer, size_t capacity, size_t *needed) {
    tvgp__visit v = {.ctx = p->ctx, .purpose = TVGP__VISIT_SIZE, .whole = whole};
    if (buffer)
        v = (tvgp__visit){.ctx = p->ctx, .purpose = TVGP__VISIT_SAVE, .whole = whole, .out = buffer, .end = capacity};
    TVGP__TRY(remember(p));
    write_sections(p, NULL, NULL, &v);
    TVGP__TRY(v.status);
    *needed = v.at;
    if (buffer && capacity < v.at)
        return tvgp__error_set(p->ctx, TVGP_ERR_BUFFER, "the snapshot has %zu bytes, capacity = %zu", v.at, capacity);
    return TVGP_OK;
}

/* Rank 0's part is written again with the manifest, once it is known what the others wrote. */
tvgp_status tvgp__snapshot_save_part(tvgp_policy *p, void *buffer, size_t capacity, size_t *needed) {
    tvgp__shard *shard = p->domain->shard;
    double *both = NULL;
    const size_t ranks = (size_t)shard->comm.size;
    tvgp_status status = tvgp__snapshot_save(p, 0, buffer, capacity, needed);
    if (!buffer)
        return status;
    if (status == TVGP_OK)
        status = tvgp__memory_alloc(p->ctx, ranks, 2 * sizeof *both, &both);
    status = tvgp__shard_agree(shard, status);
    if (status == TVGP_OK) {
        memcpy(both, tvgp__shard_each(shard, (double)*needed), ranks * sizeof *both);
        memcpy(both + ranks, tvgp__shard_each(shard, tvgp__crc32c_add(0, buffer, *needed)), ranks * sizeof *both);
        for (size_t i = 0; i < 2 * ranks; i++)
            (void)tvgp__shard_index(shard, both[i], 0x1p53);
        status = tvgp__shard_heard(shard);
    }
    if (status == TVGP_OK && shard->comm.rank == 0) {
        tvgp__visit v = {.ctx = p->ctx, .purpose = TVGP__VISIT_SAVE, .out = buffer, .end = capacity};
        write_sections(p, both, both + ranks, &v);
    }
    tvgp__memory_free(p->ctx, both);
    return status;
}

/* ---- loading ------------------------------------------------------------------------------------------------------ */

static void tell_state(tvgp_policy *p) {
    if (p->state && p->ops->model)
        p->ops->model->rebind(p);
}

/* All but what belongs to the handle. */
void tvgp__snapshot_exchange(tvgp_policy *p, tvgp_policy *aside) {
    const tvgp_policy kept = *p;
    tvgp__snapshot_memory *its = aside->snapshots;
    *p = *aside;
    *aside = kept;
    p->snapshots = kept.snapshots;
    p->handle = kept.handle;
    p->outputs = kept.outputs;
    aside->snapshots = its;
    aside->handle = (tvgp__policy_handle){.refs = 1};
    aside->outputs = NULL;
    tell_state(p);
    tell_state(aside);
}

static const char *const names[] = {"TMPL", "OPTS", "PRIO", "FRAM"};

/* Enters a section; FORMAT if it is missing. */
static int enter(tvgp__visit *v, const tvgp__sections *s, uint32_t tag) {
    const tvgp__section *found = tvgp__section_find(s, tag);
    for (size_t i = 0; !found && i < sizeof names / sizeof *names; i++)
        if (tags[i] == tag)
            tvgp__visit_try(v, tvgp__error_set(v->ctx, TVGP_ERR_FORMAT, "section %s, byte %d: it is missing", names[i],
                                               (int)TVGP__SECTION_HEADER));
    if (found)
        tvgp__section_enter(v, found);
    if (found && v->n_parts)
        tvgp__shard_snapshot_enter(v->set, v, tag);
    return found && tvgp__visit_fine(v);
}

/* Bytes that decide what start makes: options and priors. */
static size_t gather(const tvgp__sections *s, const uint8_t *bytes, uint8_t *out) {
    size_t n = 0;
    const uint32_t made_by[] = {OPTS, PRIO};
    for (size_t i = 0; i < 2; i++) {
        const tvgp__section *section = tvgp__section_find(s, made_by[i]);
        size_t length = section->to - section->from;
        if (out)
            memcpy(out + n, bytes + section->from, length);
        n += length;
    }
    return n;
}

/* Whether the state of p was created from these options and priors. */
static int is_made_from(const tvgp_policy *p, const tvgp__sections *s, const uint8_t *bytes) {
    const tvgp__section *o = tvgp__section_find(s, OPTS), *r = tvgp__section_find(s, PRIO);
    size_t first = o->to - o->from, second = r->to - r->from;
    return p->started && p->made_from.size == first + second && memcmp(p->made_from.bytes, bytes + o->from, first) == 0 &&
           memcmp(p->made_from.bytes + first, bytes + r->from, second) == 0;
}

static void read_priors(tvgp_policy *p, const tvgp_policy *beside, const tvgp__sections *s, tvgp__visit *v) {
    if (!enter(v, s, PRIO))
        return;
    tvgp__prior_visit(p, beside, v);
    tvgp__section_leave(v);
}

/* Options and priors, and a state for them. Start turns the means of a policy that minimises, so they are read again. */
static void make_state(tvgp_policy *p, const tvgp_policy *beside, const tvgp__sections *s, tvgp__visit *v) {
    tvgp__policy_stop(p);
    if (!enter(v, s, OPTS))
        return;
    tvgp__policy_options_defaults(p->ops, p->config);
    tvgp__option_visit(p->ops->groups, p->ops->n_groups, NULL, p->config, &p->given.options, v);
    tvgp__section_leave(v);
    read_priors(p, beside, s, v);
    tvgp__guard_read(p, 1, s, v);
    if (!tvgp__visit_fine(v) || !tvgp__section_find(s, STAT) || !tvgp__visit_try(v, tvgp__policy_start(p)))
        return;
    read_priors(p, beside, s, v);
    size_t size = gather(s, v->in, NULL);
    tvgp__visit_room(v, size, 1, &p->made_from.bytes);
    if (tvgp__visit_fine(v))
        p->made_from.size = gather(s, v->in, p->made_from.bytes);
}

static void read_candidates(tvgp_policy *p, const tvgp__sections *s, tvgp__visit *v) {
    tvgp__action_set *w = p->within;
    if (!tvgp__visit_fine(v))
        return;
    if (tvgp__action_set_candidates(w))
        w->among->n = 0;
    if (!enter(v, s, CAND))
        return;
    if (tvgp__domain_is_box(p->domain))
        tvgp__candidates_visit(&w->among, p->domain, v);
    else
        tvgp__visit_refuse(v, "candidates are of a box");
    tvgp__section_leave(v);
}

static tvgp_status read_into(tvgp_policy *p, const tvgp_policy *beside, const tvgp__sections *s, const uint8_t *bytes,
                             tvgp__shard_snapshot *parts) {
    tvgp__visit v = {.ctx = p->ctx, .purpose = TVGP__VISIT_LOAD, .version = s->version, .in = bytes};
    if (parts) {
        v.shared = 1;
        v.first = p->domain->shard->first;
        v.set = parts;
        v.parts = parts->cursor;
        v.n_parts = parts->n;
    }
    tvgp__snapshot_signature own = tvgp__snapshot_signature_of(p), its = {0};
    v.arms = own.n;
    v.dim = own.dim;
    if (enter(&v, s, TMPL)) {
        tvgp__snapshot_signature_visit(&its, &v);
        tvgp__section_leave(&v);
    }
    if (p->ops->without_kernel) { /* saved when one was still looked at */
        own.kernel = its.kernel;
        own.no_kernel = its.no_kernel;
    }
    if (tvgp__visit_fine(&v) && s->signature_hash != tvgp__snapshot_signature_hash(&own))
        tvgp__snapshot_signature_compare(&own, &its, &v);
    (void)(enter(&v, s, OPTS) && enter(&v, s, PRIO) && enter(&v, s, FRAM)); /* all must be there */
    if (!tvgp__visit_fine(&v))
        return v.status;
    if (parts || tvgp__guard_is_early(p, s) || !tvgp__section_find(s, STAT) || !is_made_from(p, s, bytes))
        make_state(p, beside, s, &v);
    if (enter(&v, s, FRAM)) {
        visit_frame(p, &v);
        tvgp__section_leave(&v);
    }
    read_candidates(p, s, &v);
    if (tvgp__visit_fine(&v) && enter(&v, s, STAT)) {
        TVGP__POLICY_OP(p->ops, visit)(p, &v);
        tvgp__section_leave(&v);
    }
    if (tvgp__visit_fine(&v))
        tvgp__guard_read(p, 0, s, &v);
    return v.status;
}

static tvgp_status make_aside(tvgp_policy *p) {
    if (p->snapshots->aside)
        return TVGP_OK;
    return tvgp__policy_new(p->ctx, p->ops, p->domain, p->given.kernel ? p->created : NULL, &p->snapshots->aside);
}

static void drop_aside(tvgp_policy *p) {
    if (p->snapshots && p->snapshots->aside)
        tvgp__policy_free(p->snapshots->aside);
    if (p->snapshots)
        p->snapshots->aside = NULL;
}

/* The same for the policy and the models of its outputs: second states, exchanged with those in use, or dropped. */
static tvgp_status make_all_aside(tvgp_policy *p) {
    tvgp_status status = make_aside(p);
    for (size_t k = 0; status == TVGP_OK && k < tvgp__policy_outputs(p); k++)
        status = make_aside(p->outputs->model[k]);
    if (status < 0)
        drop_aside(p);
    return status;
}

static void exchange_all(tvgp_policy *p) {
    for (size_t k = 0; k < tvgp__policy_outputs(p); k++)
        tvgp__snapshot_exchange(p->outputs->model[k], p->outputs->model[k]->snapshots->aside);
    tvgp__snapshot_exchange(p, p->snapshots->aside);
}

static void drop_all_aside(tvgp_policy *p) {
    for (size_t k = 0; k < tvgp__policy_outputs(p); k++)
        drop_aside(p->outputs->model[k]);
    drop_aside(p);
}

/* Functions are in no snapshot: after loading they are those there were before. */
static void adopt_functions(tvgp_policy *p, const tvgp_policy *before) {
    const int turned = p->started && tvgp__policy_turn(p, 1) < 0;
    const tvgp__outcome_ops *outcome = tvgp__policy_outcome(p);
    tvgp__action_set *w = p->within;
    if (!w)
        return;
    tvgp__action_set_adopt(w, before->within);
    tvgp__mean_function_adopt(&p->mean, &before->mean, outcome, turned);
    for (size_t i = 0; i < p->priors.n && i < before->priors.n; i++)
        tvgp__mean_function_adopt(&p->priors.items[i].mean, &before->priors.items[i].mean, outcome, turned);
}

/* The state put aside holds none. */
static void take_functions(tvgp_policy *p) {
    tvgp_policy *aside = p->snapshots->aside;
    adopt_functions(p, aside);
    if (aside->within)
        tvgp__action_set_give_up(aside->within, p->ctx);
    tvgp__mean_function_give_up(p->ctx, &aside->mean);
    for (size_t i = 0; i < aside->priors.n; i++)
        tvgp__mean_function_give_up(p->ctx, &aside->priors.items[i].mean);
}

static void take_all_functions(tvgp_policy *p) {
    take_functions(p);
    for (size_t k = 0; k < tvgp__policy_outputs(p); k++)
        take_functions(p->outputs->model[k]);
}

static tvgp_status load(tvgp_policy *p, const tvgp__sections *s, const uint8_t *bytes, tvgp__shard_snapshot *parts) {
    TVGP__TRY(remember(p));
    TVGP__TRY(make_all_aside(p));
    tvgp_policy *aside = p->snapshots->aside;
    exchange_all(p);
    p->work.ready = 0;
    tvgp__shard_begin(p->domain->shard); /* what has been agreed on until here went well */
    tvgp_status status = tvgp__shard_end(p->domain->shard, read_into(p, aside, s, bytes, parts));
    if (status < 0) {
        exchange_all(p); /* half of a snapshot is of no use to the next one */
        drop_all_aside(p);
    } else {
        take_all_functions(p);
        if (tvgp__quota_is_above(p->ctx) && !p->domain->shard) {
            drop_all_aside(p);
            tvgp__policy_free_snapshots(p);
        }
    }
    return status;
}

/* A snapshot says that it is whole when it holds a domain, and not otherwise. */
static tvgp_status find_sections(tvgp_ctx *ctx, const void *bytes, size_t n, tvgp__sections *out) {
    uint32_t known[MOST_TAGS];
    TVGP__TRY(tvgp__section_index(ctx, bytes, n, known, find_known(ctx, known), out));
    if (!(out->flags & TVGP__SECTION_WHOLE) != !tvgp__section_find(out, DOMN))
        return tvgp__error_set(ctx, TVGP_ERR_FORMAT, "header: the snapshot is %s whole, and there is %s section DOMN",
                               out->flags & TVGP__SECTION_WHOLE ? "said to be" : "not said to be",
                               out->flags & TVGP__SECTION_WHOLE ? "no" : "a");
    return TVGP_OK;
}

tvgp_status tvgp__snapshot_load(tvgp_policy *p, const void *bytes, size_t n) {
    tvgp__sections s;
    TVGP__TRY(find_sections(p->ctx, bytes, n, &s));
    if (tvgp__section_find(&s, TVGP__SHARD_SNAPSHOT_PART))
        return tvgp__error_set(p->ctx, TVGP_ERR_STATE, "the snapshot is a part of one of shared arms");
    return load(p, &s, bytes, NULL);
}

tvgp_status tvgp__snapshot_load_parts(tvgp_policy *p, const void *bytes, size_t n) {
    tvgp__shard *shard = p->domain->shard;
    tvgp__shard_snapshot parts;
    uint32_t known[MOST_TAGS];
    tvgp_status status = tvgp__shard_snapshot_index(p, bytes, n, known, find_known(p->ctx, known), &parts);
    if (status == TVGP_OK)
        status = remember(p); /* before the ranks do something together */
    status = tvgp__shard_agree(shard, status);
    if (status == TVGP_OK) {
        const uint8_t *first;
        const tvgp__sections *s = tvgp__shard_snapshot_first(&parts, &first);
        tvgp__shard_meet_all(shard, parts.n_met, parts.met, parts.points);
        status = load(p, s, first, &parts);
    }
    tvgp__shard_snapshot_free(&parts);
    return status;
}

/* ---- models of outputs -------------------------------------------------------------------------------------------- */

/* Returns the number of bytes of the next model in the section; 0: the section is too short. */
static size_t model_length(tvgp__visit *v) {
    uint64_t length = 0;
    tvgp__visit_u64(v, &length);
    if (tvgp__visit_loads(v) && length > v->end - v->at)
        tvgp__visit_refuse(v, "the model of an output is longer than the section");
    return tvgp__visit_fine(v) ? (size_t)length : 0;
}

/* Reads the second state of the model of output k + 1. */
static void read_model(tvgp_policy *model, size_t k, tvgp__visit *v) {
    tvgp__sections s;
    char text[sizeof v->ctx->errmsg];
    const size_t length = model_length(v);
    const uint8_t *bytes = v->in + v->at;
    if (!tvgp__visit_fine(v))
        return;
    tvgp_status status = find_sections(v->ctx, bytes, length, &s);
    if (status == TVGP_OK)
        status = read_into(model, model->snapshots->aside, &s, bytes, NULL);
    if (status == TVGP_OK && !model->started)
        tvgp__visit_refuse(v, "the model of an output has no state");
    if (status == TVGP_ERR_STATE) {
        const char *end = strstr(v->ctx->errmsg, ": ");
        strcpy(text, end ? end + 2 : v->ctx->errmsg);
        status = tvgp__error_set(v->ctx, status, "the model of limit %zu: %s", k + 1, text);
    }
    if (tvgp__visit_try(v, status))
        tvgp__visit_skip(v, length);
}

void tvgp__snapshot_visit_models(tvgp_policy *p, tvgp__visit *v) {
    const size_t own = tvgp__policy_outputs(p);
    size_t n = own;
    tvgp__visit_size(v, &n, 0, TVGP__OUTPUTS_MOST);
    tvgp__guard_compare_outputs(p, n, v);
    for (size_t k = 0; tvgp__visit_fine(v) && k < own; k++)
        if (v->purpose == TVGP__VISIT_LOAD)
            read_model(p->outputs->model[k], k, v);
        else
            write_model(p->outputs->model[k], v);
}

/* ---- a policy from a snapshot alone ------------------------------------------------------------------------------- */

void tvgp__snapshot_forget(tvgp__snapshot_parts *parts) {
    tvgp__domain_release(parts->domain);
    tvgp__kernel_release(parts->kernel);
}

tvgp_status tvgp__snapshot_read_parts(tvgp_ctx *ctx, const void *bytes, size_t n, tvgp__snapshot_parts *out) {
    tvgp__sections s;
    tvgp__snapshot_signature its = {0};
    *out = (tvgp__snapshot_parts){0};
    TVGP__TRY(find_sections(ctx, bytes, n, &s));
    tvgp__visit v = {.ctx = ctx, .purpose = TVGP__VISIT_LOAD, .version = s.version, .in = bytes};
    if (enter(&v, &s, TMPL)) {
        tvgp__snapshot_signature_visit(&its, &v);
        tvgp__section_leave(&v);
        v.arms = its.n;
        v.dim = its.dim;
    }
    if (tvgp__visit_fine(&v) && enter(&v, &s, DOMN)) {
        tvgp__domain_visit(&v, &out->domain);
        tvgp__section_leave(&v);
    }
    if (tvgp__visit_fine(&v) && enter(&v, &s, KERN)) {
        tvgp__kernel_visit(&v, &out->kernel);
        tvgp__section_leave(&v);
    }
    memcpy(out->name, its.name, sizeof out->name);
    out->no_kernel = its.no_kernel;
    if (v.status < 0)
        tvgp__snapshot_forget(out);
    return v.status;
}

/* The model in these bytes becomes that of the next output; what it is of is read when the snapshot is loaded. */
static tvgp_status make_model(tvgp_policy *p, const uint8_t *bytes, size_t n) {
    const tvgp__policy_ops *ops = NULL;
    tvgp__snapshot_parts parts;
    tvgp_policy *model = NULL;
    TVGP__TRY(tvgp__snapshot_read_parts(p->ctx, bytes, n, &parts));
    tvgp_status status = tvgp__policy_find(p->ctx, parts.name, &ops);
    if (status == TVGP_OK && !parts.kernel && !parts.no_kernel)
        status = tvgp__error_set(p->ctx, TVGP_ERR_STATE,
                                 "there is no kernel of the model of limit %zu in the snapshot, which "
                                 "tvgp_policy_save_full puts there",
                                 tvgp__policy_outputs(p) + 1);
    if (status == TVGP_OK)
        status = tvgp__policy_new(p->ctx, ops, p->domain, parts.kernel, &model);
    tvgp__snapshot_forget(&parts);
    if (status == TVGP_OK)
        status = tvgp__policy_add_output(p, model);
    if (model)
        tvgp__policy_give_up(model);
    return status;
}

tvgp_status tvgp__snapshot_make_models(tvgp_policy *p, const void *bytes, size_t n) {
    tvgp__sections s;
    TVGP__TRY(find_sections(p->ctx, bytes, n, &s));
    tvgp__visit v = {.ctx = p->ctx, .purpose = TVGP__VISIT_LOAD, .version = s.version, .in = bytes};
    const tvgp__section *section = tvgp__guard_outputs(p->ctx, &s);
    size_t n_models = 0;
    if (!section)
        return TVGP_OK;
    tvgp__section_enter(&v, section);
    tvgp__visit_size(&v, &n_models, 0, TVGP__OUTPUTS_MOST);
    for (size_t k = 0; tvgp__visit_fine(&v) && k < n_models; k++) {
        const size_t length = model_length(&v);
        if (tvgp__visit_fine(&v) && tvgp__visit_try(&v, make_model(p, v.in + v.at, length)))
            tvgp__visit_skip(&v, length);
    }
    return v.status;
}

/* The kernels of the priors, so that those which no snapshot holds are found where one is read. */
static tvgp_status copy_priors(const tvgp_policy *p, tvgp_policy *fresh) {
    tvgp_status status = TVGP_OK;
    for (size_t i = 0; status == TVGP_OK && i < tvgp__prior_added(p); i++)
        status =
            tvgp__prior_push(fresh, p->priors.items[i].kernel, &(tvgp__mean_function_given){0}, p->priors.items[i].epsilon);
    return status;
}

/* Models made as those of p. */
static tvgp_status copy_models(const tvgp_policy *p, tvgp_policy *fresh) {
    tvgp_status status = TVGP_OK;
    for (size_t k = 0; status == TVGP_OK && k < tvgp__policy_outputs(p); k++) {
        const tvgp_policy *from = p->outputs->model[k];
        tvgp_policy *model = NULL;
        TVGP__TRY(tvgp__policy_new(p->ctx, from->ops, p->domain, from->given.kernel ? from->created : NULL, &model));
        status = tvgp__policy_add_output(fresh, model);
        tvgp__policy_give_up(model);
    }
    return status;
}

/* ---- copies: a snapshot that is read at once ---------------------------------------------------------------------- */

static tvgp_status carry(tvgp_policy *p, tvgp_policy *to) {
    size_t size = 0;
    uint8_t *bytes = NULL;
    TVGP__TRY(tvgp__snapshot_save(p, 0, NULL, 0, &size));
    TVGP__TRY(tvgp__memory_alloc(p->ctx, size, 1, &bytes));
    tvgp_status status = tvgp__snapshot_save(p, 0, bytes, size, &size);
    if (status == TVGP_OK)
        status = tvgp__snapshot_load(to, bytes, size);
    tvgp__memory_free(p->ctx, bytes);
    return status;
}

static tvgp_status copy(tvgp_policy *p, tvgp_policy *fresh) {
    tvgp_status status = carry(p, fresh);
    if (status == TVGP_OK)
        adopt_functions(fresh, p);
    for (size_t k = 0; status == TVGP_OK && k < tvgp__policy_outputs(p); k++)
        adopt_functions(fresh->outputs->model[k], p->outputs->model[k]);
    return status;
}

tvgp_status tvgp__snapshot_clone(tvgp_policy *p, tvgp_policy **out) {
    tvgp_policy *fresh = NULL;
    TVGP__TRY(tvgp__policy_new(p->ctx, p->ops, p->domain, p->given.kernel ? p->created : NULL, &fresh));
    tvgp_status status = copy_priors(p, fresh);
    if (status == TVGP_OK)
        status = copy_models(p, fresh);
    if (status == TVGP_OK)
        status = copy(p, fresh);
    if (status < 0)
        tvgp__policy_free(fresh);
    else
        *out = fresh;
    return status;
}

/* ---- a state that is kept until it is known whether the next one stays ------------------------------------------------ */

tvgp_status tvgp__snapshot_begin(tvgp_policy *p) {
    return carry(p, p);
}

void tvgp__snapshot_end(tvgp_policy *p, tvgp_status status) {
    if (status < 0) {
        exchange_all(p);
        take_all_functions(p);
    }
    drop_all_aside(p);
}
