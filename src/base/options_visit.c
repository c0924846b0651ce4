/* SPDX-License-Identifier: MIT */
/* The configuration of a policy in snapshots (base/options.h). */
#include "base/options.h"

#include "base/error.h"

#include <math.h>
#include <string.h>

enum { KEY = 64 };

static size_t size_of(const tvgp__option *o) {
    size_t text = o->flags & TVGP__OPTION_TEXT ? tvgp__option_room(o) : sizeof(int32_t);
    return o->type == TVGP_STR ? text : sizeof(double);
}

/* Whether option i, of this member and default, is in a snapshot. */
static int stands(const tvgp__option *o, size_t i, const char *member, const char *initial,
                  const tvgp__option_marks *was_set) {
    return !(o->flags & TVGP_OPTION_DERIVED) &&
           (tvgp__option_marked(was_set, i) || memcmp(member, initial, size_of(o)) != 0);
}

static void write_value(const tvgp__option *o, char *member, tvgp__visit *v) {
    int32_t choice;
    if (o->type == TVGP_F64)
        tvgp__visit_maybe(v, 1, (double *)(void *)member, -INFINITY, INFINITY);
    else if (o->type == TVGP_I64)
        tvgp__visit_int(v, (int64_t *)(void *)member, INT64_MIN, INT64_MAX);
    else if (o->flags & TVGP__OPTION_TEXT)
        tvgp__visit_name(v, member, tvgp__option_room(o));
    else {
        memcpy(&choice, member, sizeof choice);
        tvgp__visit_name(v, (char *)o->choices[choice], TVGP__OPTION_TEXT_SIZE); /* which does not write to it */
    }
}

static void write(const tvgp__option_group *groups, size_t n_groups, const char *defaults, char *config,
                  const tvgp__option_marks *was_set, tvgp__visit *v) {
    size_t count = 0, i = 0;
    for (int pass = 0; pass < 2; pass++, i = 0) {
        if (pass)
            tvgp__visit_size(v, &count, 0, SIZE_MAX);
        for (size_t g = 0; g < n_groups; g++)
            for (size_t k = 0; k < groups[g].n; k++, i++) {
                const tvgp__option *o = &groups[g].options[k];
                size_t at = groups[g].offset + o->offset;
                int set = tvgp__option_marked(was_set, i);
                if (!stands(o, i, config + at, defaults + at, was_set))
                    continue;
                count += !pass;
                if (!pass)
                    continue;
                tvgp__visit_name(v, (char *)o->key, KEY);
                tvgp__visit_flag(v, &set);
                write_value(o, config + at, v);
            }
    }
}

static const tvgp__option *find(const tvgp__option_group *groups, size_t n_groups, size_t i) {
    for (size_t g = 0; g < n_groups; g++) {
        if (i < groups[g].n)
            return &groups[g].options[i];
        i -= groups[g].n;
    }
    return NULL;
}

static tvgp_status read_value(const tvgp__option_group *groups, size_t n_groups, void *config, const tvgp__option *o,
                              tvgp__visit *v) {
    char text[TVGP__OPTION_TEXT_SIZE] = "";
    int64_t integer = 0;
    double number = 0;
    if (o->type == TVGP_F64) {
        tvgp__visit_real(v, &number, -INFINITY, INFINITY);
        return tvgp__option_set_f64(v->ctx, groups, n_groups, config, o->key, number);
    }
    if (o->type == TVGP_I64) {
        tvgp__visit_int(v, &integer, INT64_MIN, INT64_MAX);
        return tvgp__option_set_i64(v->ctx, groups, n_groups, config, o->key, integer);
    }
    tvgp__visit_name(v, text, sizeof text);
    return tvgp__option_set_str(v->ctx, groups, n_groups, config, o->key, text);
}

static void read(const tvgp__option_group *groups, size_t n_groups, void *config, tvgp__option_marks *was_set,
                 tvgp__visit *v) {
    size_t count = 0, known = tvgp__option_count(groups, n_groups);
    tvgp__visit_count(v, &count, known, 3);
    *was_set = (tvgp__option_marks){0};
    for (size_t k = 0; tvgp__visit_fine(v) && k < count; k++) {
        char key[KEY] = "";
        int set = 0;
        tvgp__visit_name(v, key, sizeof key);
        tvgp__visit_flag(v, &set);
        size_t i = tvgp__option_index(groups, n_groups, key);
        if (tvgp__visit_loads(v) && i == known)
            tvgp__visit_try(v, tvgp__error_set(v->ctx, TVGP_ERR_VERSION,
                                               "section %s, byte %zu: this library does not know the option '%s'",
                                               v->section, v->at, key));
        if (!tvgp__visit_fine(v))
            return;
        if (read_value(groups, n_groups, config, find(groups, n_groups, i), v) < 0)
            tvgp__visit_refuse(v, "an option has a value that cannot be");
        if (set)
            tvgp__option_mark(was_set, i);
    }
}

void tvgp__option_visit(const tvgp__option_group *groups, size_t n_groups, const void *defaults, void *config,
                        tvgp__option_marks *was_set, tvgp__visit *v) {
    if (v->purpose == TVGP__VISIT_LOAD)
        read(groups, n_groups, config, was_set, v);
    else
        write(groups, n_groups, defaults, config, was_set, v);
}
