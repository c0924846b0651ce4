/* SPDX-License-Identifier: MIT */
/* The result of a call of a store: its arrays, and its text (parts/serve/store/store_reply.h). */
#include "parts/serve/store/store_reply.h"

#include "base/error.h"
#include "base/integer_format.h"
#include "base/memory.h"
#include "protocol/policy_ops.h"
#include "space/domain/product.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static tvgp_status array(tvgp_store *s, int which, size_t n, size_t size, void *out) {
    TVGP__TRY(tvgp__memory_reserve(s->ctx, n ? n : 1, size, &s->reply_memory[which], &s->reply_room[which]));
    memcpy(out, &s->reply_memory[which], sizeof s->reply_memory[which]);
    return TVGP_OK;
}

tvgp_status tvgp__store_reply_room(tvgp_store *s, size_t n, size_t dim, tvgp__store_reply_arrays *out) {
    tvgp_store_reply *r = &s->reply;
    TVGP__TRY(array(s, 0, n, sizeof *out->id, &out->id));
    TVGP__TRY(array(s, 1, n, sizeof *out->arm, &out->arm));
    TVGP__TRY(array(s, 2, n * dim, sizeof *out->x, &out->x));
    TVGP__TRY(array(s, 3, n, sizeof *out->first, &out->first));
    TVGP__TRY(array(s, 4, n, sizeof *out->second, &out->second));
    *r = (tvgp_store_reply){
        .n = n, .dim = dim, .id = out->id, .arm = out->arm, .x = out->x, .first = out->first, .second = out->second};
    return TVGP_OK;
}

/* The index of the action of each entry becomes its name: names stand one behind the other. */
tvgp_status tvgp__store_reply_names(tvgp_store *s, const tvgp__store_copy *c, tvgp__store_reply_arrays *a) {
    const tvgp__store_metadata *f = &c->facts;
    const size_t contexts = tvgp__product_contexts(c->policy->domain);
    const char *name = NULL, **all;
    if (!f->names || !s->reply.n)
        return TVGP_OK;
    TVGP__TRY(array(s, 5, s->reply.n + f->n_names, sizeof *a->name, &a->name));
    all = a->name + s->reply.n;
    for (size_t i = 0; i < f->n_names; i++)
        all[i] = name = tvgp__store_metadata_next(f, name);
    for (size_t i = 0; i < s->reply.n; i++) {
        const size_t action = (size_t)a->arm[i] / (contexts ? contexts : 1);
        a->name[i] = a->arm[i] >= 0 && action < f->n_names ? all[action] : "";
    }
    s->reply.name = a->name;
    return TVGP_OK;
}

void tvgp__store_reply_free(tvgp_store *s) {
    for (int i = 0; i < TVGP__STORE_REPLY_ARRAYS; i++)
        tvgp__memory_free(s->ctx, s->reply_memory[i]);
}

/* ---- text ------------------------------------------------------------------------------------------------------- */

static void add_integer(tvgp__text_out *out, const char *before, int64_t value) {
    char digits[24];
    snprintf(digits, sizeof digits, "%" PRId64, value);
    tvgp__text_out_add(out, before);
    tvgp__text_out_add(out, digits);
}

static void add_number(tvgp__text_out *out, const char *before, double value) {
    tvgp__text_out_add(out, before);
    if (isfinite(value))
        tvgp__text_out_add_number(out, value);
    else
        tvgp__text_out_add(out, value > 0 ? "\"inf\"" : value < 0 ? "\"-inf\"" : "null");
}

static void add_name(tvgp__text_out *out, const char *name) {
    char code[8];
    tvgp__text_out_add(out, ",\"name\":\"");
    for (; *name; name++)
        if ((unsigned char)*name < ' ' || *name == '"' || *name == '\\') {
            snprintf(code, sizeof code, "\\u%04x", (unsigned)(unsigned char)*name);
            tvgp__text_out_add(out, code);
        } else {
            tvgp__text_out_add_bytes(out, 1, name);
        }
    tvgp__text_out_add(out, "\"");
}

static void add_entry(const tvgp_store *s, size_t i, tvgp__text_out *out) {
    const tvgp_store_reply *r = &s->reply;
    const int query = s->reply.kind == TVGP_STORE_QUERIES, share = s->reply.kind == TVGP_STORE_SHARES;
    if (query) {
        add_integer(out, "{\"id\":", r->id[i]);
        add_integer(out, ",\"epoch\":", r->epoch);
    }
    add_integer(out, query ? ",\"arm\":" : "{\"arm\":", r->arm[i]);
    if (r->name)
        add_name(out, r->name[i]);
    tvgp__text_out_add(out, ",\"x\":[");
    for (size_t d = 0; d < r->dim; d++)
        add_number(out, d ? "," : "", r->x[i * r->dim + d]);
    add_number(out, query ? "],\"propensity\":" : share ? "],\"probability\":" : "],\"mean\":", r->first[i]);
    if (!query)
        add_number(out, share ? ",\"share\":" : ",\"sd\":", r->second[i]);
    tvgp__text_out_add(out, "}");
}

static void add_estimate(const tvgp_value_estimate *v, tvgp__text_out *out) {
    const struct {
        const char *key;
        double value;
    } member[] = {{"dm", v->dm},
                  {"dr", v->dr},
                  {"dr_se", v->dr_se},
                  {"ips", v->ips},
                  {"ips_se", v->ips_se},
                  {"snips", v->snips},
                  {"snips_se", v->snips_se},
                  {"ess", v->ess},
                  {"mean_weight", v->mean_weight},
                  {"expected", v->expected}};
    add_integer(out, "{\"used\":", (int64_t)v->used);
    add_integer(out, ",\"missing\":", (int64_t)v->missing);
    for (size_t i = 0; i < sizeof member / sizeof *member; i++) {
        tvgp__text_out_add(out, ",\"");
        tvgp__text_out_add(out, member[i].key);
        add_number(out, "\":", member[i].value);
    }
    add_integer(out, ",\"reliable\":", v->reliable);
    tvgp__text_out_add(out, "}");
}

static void add_entries(const tvgp_store *s, tvgp__text_out *out) {
    const tvgp_store_reply *r = &s->reply;
    tvgp__text_out_add(out, r->list ? "[" : r->n ? "" : "null");
    for (size_t i = 0; i < r->n; i++) {
        tvgp__text_out_add(out, i ? "," : "");
        add_entry(s, i, out);
    }
    tvgp__text_out_add(out, r->list ? "]" : "");
}

void tvgp__store_reply_write(const tvgp_store *s, tvgp__text_out *out) {
    switch (s->reply.kind) {
    case TVGP_STORE_QUERIES:
    case TVGP_STORE_MOMENTS:
    case TVGP_STORE_SHARES:
        add_entries(s, out);
        break;
    case TVGP_STORE_VALUE:
        add_number(out, "", s->reply.value);
        break;
    case TVGP_STORE_ESTIMATE:
        add_estimate(&s->reply.estimate, out);
        break;
    case TVGP_STORE_TAKEN:
        add_integer(out, "", s->reply.taken);
        break;
    default:
        tvgp__text_out_add(out, "null");
    }
}
