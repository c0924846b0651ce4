/* SPDX-License-Identifier: MIT */
/* The domain of a policy in a state file: its word (docs/reference/protocol.md), the names of its arms, and points in words. */
#include "tool.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char *copy_of(const char *text, size_t n) {
    char *copy = tool_alloc(n + 1);
    memcpy(copy, text, n);
    return copy;
}

char **tool_parts(const char *text, char by, size_t *n) {
    size_t most = 1;
    for (const char *c = text; *c; c++)
        most += *c == by;
    char **part = tool_alloc(most * sizeof *part);
    for (*n = 0; *n < most; ++*n) {
        const char *end = strchr(text, by);
        part[*n] = copy_of(text, end ? (size_t)(end - text) : strlen(text));
        text = end ? end + 1 : text;
    }
    return part;
}

void tool_parts_free(char **part, size_t n) {
    for (size_t i = 0; part && i < n; i++)
        free(part[i]);
    free(part);
}

static int by_name(const void *a, const void *b) {
    return strcmp(((const tool_name *)a)->name, ((const tool_name *)b)->name);
}

tool_name *tool_names_sort(char *const *name, size_t n) {
    tool_name *sorted = tool_alloc(n * sizeof *sorted);
    for (size_t i = 0; i < n; i++)
        sorted[i] = (tool_name){.name = name[i], .index = i};
    qsort(sorted, n, sizeof *sorted, by_name);
    return sorted;
}

size_t tool_names_find(const tool_name *sorted, size_t n, const char *name) {
    const tool_name wanted = {.name = name}, *found = bsearch(&wanted, sorted, n, sizeof *sorted, by_name);
    return found ? found->index : n;
}

/* ---- create ------------------------------------------------------------------------------------------------------------ */

int tool_domain_take(tool_domain_words *words, const char *word) {
    static const char *const kinds[] = {"grid", "box", "arms", "indices"};
    const char *equals = strchr(word, '=');
    if (equals && equals - word == 5 && strncmp(word, "names", 5) == 0) {
        words->names = equals + 1;
        return 1;
    }
    for (size_t i = 0; equals && i < sizeof kinds / sizeof *kinds; i++)
        if (strlen(kinds[i]) == (size_t)(equals - word) && strncmp(word, kinds[i], strlen(kinds[i])) == 0) {
            if (words->kind)
                tool_exit(TOOL_USAGE, "%s= and %s=: one is enough", words->kind, kinds[i]);
            words->kind = kinds[i];
            words->text = equals + 1;
            return 1;
        }
    return 0;
}

char **tool_domain_names(const char *text, size_t *n) {
    char **name = tool_parts(text, ',', n);
    for (size_t i = 0; i < *n; i++) {
        if (!*name[i])
            tool_exit(TOOL_USAGE, "names: name %zu is empty", i + 1);
        uint32_t code;
        for (const char *c = name[i]; *c; c += tool_text_code(c, &code))
            if ((unsigned char)*c <= ' ' || *c == '"' || *c == '\\' || *c == 0x7f)
                tool_exit(TOOL_USAGE, "names: a name has no blanks, quotes or backslashes: '%.40s'", name[i]);
            else if (tool_text_code(c, &code) == 1 && (unsigned char)*c >= 0x80)
                tool_exit(TOOL_USAGE, "names: '%.40s' is not UTF-8", name[i]);
    }
    tool_name *sorted = tool_names_sort(name, *n);
    for (size_t i = 1; i < *n; i++)
        if (strcmp(sorted[i - 1].name, sorted[i].name) == 0)
            tool_exit(TOOL_USAGE, "names: '%.40s' is there twice", sorted[i].name);
    free(sorted);
    return name;
}

/* ---- the domain of another file ------------------------------------------------------------------------------------------- */

static double *points_of(const tool_state *s) {
    double *X = tool_alloc(s->n * s->dim * sizeof *X);
    for (size_t arm = 0; arm < s->n; arm++)
        tool_check(s, tvgp_domain_point(s->domain, (int64_t)arm, X + arm * s->dim));
    return X;
}

void tool_domain_like(tool_state *s, const tool_state *other) {
    const char *type;
    tool_check(other, tvgp_domain_type_name(other->domain, &type));
    s->n = other->n;
    s->dim = other->dim;
    if (!s->n)
        tool_exit(TOOL_REFUSED, "%s: a box has no arms that others could have in common", other->path);
    double *X = points_of(other);
    if (strcmp(type, "indices") == 0)
        tool_check(s, tvgp_domain_indices(s->ctx, s->n, &s->domain));
    else
        tool_check(s, tvgp_domain_arms(s->ctx, s->n, s->dim, X, &s->domain));
    free(X);
    s->name = other->name ? tool_alloc(s->n * sizeof *s->name) : NULL;
    for (size_t arm = 0; s->name && arm < s->n; arm++)
        s->name[arm] = copy_of(other->name[arm], strlen(other->name[arm]));
}

void tool_domain_same(const tool_state *s, const tool_state *other) {
    int same = s->n == other->n && s->dim == other->dim && !s->name == !other->name && s->min == other->min;
    double *mine = points_of(s), *theirs = same ? points_of(other) : NULL;
    same = same && memcmp(mine, theirs, s->n * s->dim * sizeof *mine) == 0;
    for (size_t arm = 0; same && s->name && arm < s->n; arm++)
        same = strcmp(s->name[arm], other->name[arm]) == 0;
    free(mine);
    free(theirs);
    if (!same)
        tool_exit(TOOL_REFUSED, "%s: its arms, names or sense differ from the first file", other->path);
}

/* ---- points ------------------------------------------------------------------------------------------------------------ */

void tool_point_read(const tool_state *s, char *const *word, size_t words, double *x) {
    for (size_t arm = 0; s->name && words == 1 && arm < s->n; arm++)
        if (strcmp(s->name[arm], word[0]) == 0) {
            tool_check(s, tvgp_domain_point(s->domain, (int64_t)arm, x));
            return;
        }
    if (s->name && words == 1)
        tool_exit(TOOL_REFUSED, "'%.40s' is the name of no arm", word[0]);
    if (words != s->dim)
        tool_exit(TOOL_USAGE, "where: %zu coordinates, and it has %zu", words, s->dim);
    for (size_t d = 0; d < s->dim; d++)
        if (!tool_number(word[d], &x[d]))
            tool_exit(TOOL_USAGE, "where: '%.40s' is not a number", word[d]);
}

int64_t tool_point_arm(const tool_state *s, const double *x) {
    double point[TOOL_DIM], near = INFINITY;
    int64_t found = -1;
    for (size_t arm = 0; arm < s->n; arm++) {
        double apart = 0;
        tool_check(s, tvgp_domain_point(s->domain, (int64_t)arm, point));
        for (size_t d = 0; d < s->dim; d++)
            apart += fabs(point[d] - x[d]);
        if (apart < near) {
            near = apart;
            found = (int64_t)arm;
        }
    }
    return found;
}

size_t tool_domain_points(const tool_state *s, const char *what, const char *text, double **X) {
    size_t n, coordinates;
    char **part = tool_parts(text, ',', &n);
    *X = tool_alloc(n * s->dim * sizeof **X);
    for (size_t i = 0; i < n; i++) {
        char **word = tool_parts(part[i], ':', &coordinates);
        if (coordinates > TOOL_DIM)
            tool_exit(TOOL_USAGE, "%s: '%.40s': too many numbers", what, part[i]);
        tool_point_read(s, word, coordinates, *X + i * s->dim);
        tool_parts_free(word, coordinates);
    }
    tool_parts_free(part, n);
    return n;
}

void tool_point_add(const tool_state *s, int64_t arm, const double *x, const char *between, tool_text *text) {
    if (s->name && arm >= 0)
        tool_text_add(text, "%s", s->name[arm]);
    for (size_t d = 0; d < s->dim && !(s->name && arm >= 0); d++)
        tool_text_add(text, "%s%.6g", d ? between : "", x[d]);
}

void tool_point_add_exact(const tool_state *s, int64_t arm, const double *x, const char *between, tool_text *text) {
    if (s->name && arm >= 0)
        tool_text_add(text, "%s", s->name[arm]);
    for (size_t d = 0; d < s->dim && !(s->name && arm >= 0); d++) {
        tool_text_add(text, "%s", d ? between : "");
        tool_text_number(text, x[d]);
    }
}

void tool_point_members(const tool_state *s, const char *front, int64_t arm, const double *x, tool_text *text) {
    char key[32];
    if (arm >= 0) {
        snprintf(key, sizeof key, "%sarm", front);
        tool_text_whole(text, key, arm);
    }
    if (arm >= 0 && s->name) {
        snprintf(key, sizeof key, "%sname", front);
        tool_text_string(text, key, s->name[arm]);
    }
    snprintf(key, sizeof key, "%sx", front);
    tool_text_list(text, key, s->dim, x);
}

void tool_domain_add(const tool_state *s, tool_text *text) {
    double lower[TOOL_DIM], upper[TOOL_DIM];
    const char *type;
    tool_check(s, tvgp_domain_type_name(s->domain, &type));
    tool_check(s, tvgp_domain_bounds(s->domain, lower, upper));
    if (s->n)
        tool_text_add(text, "%zu %s", s->n, s->name ? "names" : strcmp(type, "grid") == 0 ? "points of a grid" : "points");
    else
        tool_text_add(text, "a box");
    for (size_t d = 0; d < s->dim && strcmp(type, "indices") != 0; d++) {
        if (d == 3) {
            tool_text_add(text, " x ..");
            break;
        }
        tool_text_add(text, "%s%g .. %g", d ? " x " : ", ", lower[d], upper[d]);
    }
}
