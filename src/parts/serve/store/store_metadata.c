/* SPDX-License-Identifier: MIT */
/* What a store knows of a policy apart from its state: names of actions, the workers that asked the pending queries, and the
 * newest times (parts/serve/store/store_metadata.h). */
#include "parts/serve/store/store_metadata.h"

#include "base/integer_format.h"
#include "base/memory.h"
#include "parts/serve/event_names.h"
#include "parts/serve/json_text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FEWEST_STEPS = 8 };

void tvgp__store_metadata_free(tvgp_ctx *ctx, tvgp__store_metadata *f) {
    tvgp__memory_free(ctx, f->names);
    tvgp__memory_free(ctx, f->sorted);
    tvgp__memory_free(ctx, f->asked);
    tvgp__memory_free(ctx, f->extensions);
}

/* ---- names ------------------------------------------------------------------------------------------------------ */

static int by_name(const void *a, const void *b) {
    return strcmp(((const struct tvgp__store_metadata_name *)a)->name, ((const struct tvgp__store_metadata_name *)b)->name);
}

/* Adds names with commas between, of n bytes. */
static tvgp_status add_names(tvgp_ctx *ctx, tvgp__store_metadata *f, const char *list, size_t n) {
    size_t added = 1;
    for (size_t i = 0; i < n; i++)
        added += list[i] == ',';
    TVGP__TRY(tvgp__memory_grow(ctx, f->n_names + added, sizeof *f->sorted, &f->sorted));
    TVGP__TRY(tvgp__memory_grow(ctx, f->names_size + n + 1, 1, &f->names));
    char *to = f->names + f->names_size;
    for (size_t i = 0; i < n; i++)
        to[i] = list[i] == ',' ? '\0' : list[i];
    to[n] = '\0';
    f->n_names += added;
    f->names_size += n + 1;
    const char *name = NULL;
    for (size_t i = 0; i < f->n_names; i++)
        f->sorted[i] = (struct tvgp__store_metadata_name){name = tvgp__store_metadata_next(f, name), i};
    qsort(f->sorted, f->n_names, sizeof *f->sorted, by_name);
    return TVGP_OK;
}

tvgp_status tvgp__store_metadata_describe(tvgp_ctx *ctx, tvgp__store_metadata *f, const char *description) {
    static const char blanks[] = " \t\r\n\v\f", key[] = "names=";
    for (const char *word = description + strspn(description, blanks); *word;) {
        const size_t n = strcspn(word, blanks);
        if (strncmp(word, key, strlen(key)) == 0)
            return add_names(ctx, f, word + strlen(key), n - strlen(key));
        word += n + strspn(word + n, blanks);
    }
    return TVGP_OK;
}

const char *tvgp__store_metadata_next(const tvgp__store_metadata *f, const char *before) {
    return before ? before + strlen(before) + 1 : f->names;
}

size_t tvgp__store_metadata_find(const tvgp__store_metadata *f, const char *name) {
    const struct tvgp__store_metadata_name wanted = {name, 0}, *found = f->n_names ? bsearch(&wanted, f->sorted, f->n_names,
                                                                                             sizeof wanted, by_name)
                                                                                   : NULL;
    return found ? found->action : f->n_names;
}

/* ---- epochs and times ------------------------------------------------------------------------------------------- */

int64_t tvgp__store_metadata_epoch(const tvgp__store_metadata *f, int64_t id) {
    size_t first = 0, end = f->n_asked;
    while (first < end) {
        const size_t middle = first + (end - first) / 2;
        if (f->asked[2 * middle] < id)
            first = middle + 1;
        else
            end = middle;
    }
    return first < f->n_asked && f->asked[2 * first] == id ? f->asked[2 * first + 1] : 0;
}

void tvgp__store_metadata_prune(tvgp__store_metadata *f, size_t n, const tvgp_query *pending) {
    size_t kept = 0;
    for (size_t i = 0, k = 0; i < f->n_asked; i++) {
        while (k < n && pending[k].id < f->asked[2 * i])
            k++;
        if (k < n && pending[k].id == f->asked[2 * i]) {
            memmove(f->asked + 2 * kept, f->asked + 2 * i, 2 * sizeof *f->asked);
            kept++;
        }
    }
    f->n_asked = kept;
}

static tvgp_status add_asked(tvgp_ctx *ctx, tvgp__store_metadata *f, int64_t id, int64_t epoch) {
    TVGP__TRY(tvgp__memory_reserve(ctx, f->n_asked + 1, 2 * sizeof *f->asked, &f->asked, &f->asked_room));
    f->asked[2 * f->n_asked] = id;
    f->asked[2 * f->n_asked++ + 1] = epoch;
    return TVGP_OK;
}

static void add_time(tvgp__store_metadata *f, double t) {
    f->time[f->n_times++ % TVGP__STORE_FACTS_TIMES] = t;
}

static tvgp_status take_ask(tvgp_ctx *ctx, tvgp__store_metadata *f, const tvgp_event *e) {
    const int64_t n = !e->id ? 0 : e->slate > 1 ? e->slate : 1;
    add_time(f, e->t);
    for (int64_t i = 0; i < n; i++)
        TVGP__TRY(add_asked(ctx, f, e->id + i, e->epoch));
    return TVGP_OK;
}

static tvgp_status take_extension(tvgp_ctx *ctx, tvgp__store_metadata *f, const tvgp_event *e, const double *x,
                                  const char *line) {
    const size_t n = tvgp__event_names_bytes(e), length = strlen(line);
    char *list;
    TVGP__TRY(tvgp__memory_grow(ctx, f->extensions_size + length + 2, 1, &f->extensions));
    if (f->extensions_size)
        f->extensions[f->extensions_size++] = '\n';
    memcpy(f->extensions + f->extensions_size, line, length + 1);
    f->extensions_size += length;
    if (!n)
        return TVGP_OK;
    TVGP__TRY(tvgp__memory_alloc(ctx, n, 1, &list));
    for (size_t i = 0; i < n; i++)
        list[i] = (char)(int)x[(size_t)e->size - n + i];
    const tvgp_status status = add_names(ctx, f, list, n);
    tvgp__memory_free(ctx, list);
    return status;
}

tvgp_status tvgp__store_metadata_take(tvgp_ctx *ctx, tvgp__store_metadata *f, const tvgp_event *e, const double *x,
                                      const char *line) {
    if (e->kind == TVGP_EVENT_ASK)
        return take_ask(ctx, f, e);
    return e->kind == TVGP_EVENT_EXTEND ? take_extension(ctx, f, e, x, line) : TVGP_OK;
}

/* ---- steps ------------------------------------------------------------------------------------------------------ */

static int by_size(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static size_t first_time(const tvgp__store_metadata *f) {
    return f->n_times > TVGP__STORE_FACTS_TIMES ? f->n_times - TVGP__STORE_FACTS_TIMES : 0;
}

double tvgp__store_metadata_step(const tvgp__store_metadata *f) {
    double step[TVGP__STORE_FACTS_TIMES];
    size_t n = 0;
    for (size_t i = first_time(f) + 1; i < f->n_times; i++) {
        const double d = f->time[i % TVGP__STORE_FACTS_TIMES] - f->time[(i - 1) % TVGP__STORE_FACTS_TIMES];
        if (d > 0)
            step[n++] = d;
    }
    if (n < FEWEST_STEPS)
        return 0;
    qsort(step, n, sizeof *step, by_size);
    return (step[(n - 1) / 2] + step[n / 2]) / 2;
}

/* ---- text ------------------------------------------------------------------------------------------------------- */

void tvgp__store_metadata_write(const tvgp__store_metadata *f, tvgp__text_out *out) {
    char digits[24];
    tvgp__text_out_add(out, "{\"asked\":[");
    for (size_t i = 0; i < 2 * f->n_asked; i++) {
        snprintf(digits, sizeof digits, "%s%" PRId64, i ? "," : "", f->asked[i]);
        tvgp__text_out_add(out, digits);
    }
    tvgp__text_out_add(out, "],\"times\":[");
    for (size_t i = first_time(f); i < f->n_times; i++) {
        tvgp__text_out_add(out, i > first_time(f) ? "," : "");
        tvgp__text_out_add_number(out, f->time[i % TVGP__STORE_FACTS_TIMES]);
    }
    tvgp__text_out_add(out, "]}");
    if (f->extensions) {
        tvgp__text_out_add(out, "\n");
        tvgp__text_out_add(out, f->extensions);
    }
}

static int read_key(tvgp__json_text *j, char begin, const char *wanted) {
    char key[8];
    size_t n;
    return tvgp__json_text_take(j, begin) && tvgp__json_text_string(j, key, sizeof key, &n) && strcmp(key, wanted) == 0 &&
           tvgp__json_text_take(j, ':') && tvgp__json_text_take(j, '[');
}

static tvgp_status refuse(tvgp_ctx *ctx) {
    return tvgp__error_set(ctx, TVGP_ERR_FORMAT, "the snapshot of the store is damaged");
}

tvgp_status tvgp__store_metadata_read(tvgp_ctx *ctx, tvgp__store_metadata *f, const char *text, const char **rest) {
    tvgp__json_text j = {text, text};
    int64_t id, epoch;
    double t;
    f->n_asked = f->n_times = 0;
    if (!read_key(&j, '{', "asked"))
        return refuse(ctx);
    while (!tvgp__json_text_take(&j, ']')) {
        if ((f->n_asked && !tvgp__json_text_take(&j, ',')) || !tvgp__json_text_integer(&j, &id) ||
            !tvgp__json_text_take(&j, ',') || !tvgp__json_text_integer(&j, &epoch))
            return refuse(ctx);
        TVGP__TRY(add_asked(ctx, f, id, epoch));
    }
    if (!read_key(&j, ',', "times"))
        return refuse(ctx);
    while (!tvgp__json_text_take(&j, ']')) {
        if ((f->n_times && !tvgp__json_text_take(&j, ',')) || !tvgp__json_text_number(&j, &t))
            return refuse(ctx);
        add_time(f, t);
    }
    if (!tvgp__json_text_take(&j, '}'))
        return refuse(ctx);
    *rest = *j.at == '\n' ? j.at + 1 : j.at;
    return TVGP_OK;
}
