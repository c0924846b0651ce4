/* SPDX-License-Identifier: MIT */
/* Descriptions: a policy as one line of text, for command lines, configuration files and rows of a database. The line holds a
 * policy, a domain, a kernel, constraints and options (docs/reference/protocol.md#descriptions-a-policy-in-one-line). It is split into words; each word is split in its copy.
 * Everything is created by the public functions, so their checks and quotas hold. */
#include "parts/serve/description.h"

#include "api/enter.h"
#include "base/memory.h"
#include "base/number_text.h"
#include "tvgp.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_DIM = 64, MOST_CONSTRAINTS = 16, MOST_POINTS = 10000000 };

static const char blanks[] = " \t\r\n\v\f";

/* The words of a description. All texts are parts of `text`. */
typedef struct plan {
    tvgp_ctx *ctx;
    char *text, *options, *end; /* a copy of the description; the words left for tvgp_policy_set, and where they end */
    char *policy, *space, *more, *names, *contexts, *kernel, *safe, *payoffs;
    const char *space_key, *kernel_key;
    double bound[MOST_CONSTRAINTS];
    uint32_t side[MOST_CONSTRAINTS];
    size_t n_bounds;
    char **name; /* n_names */
    size_t n_names;
    tvgp_domain *domain;
    tvgp_kernel *kernel_made;
} plan;

/* The function is set again, because calls of public functions replace it. */
#define REFUSE(plan, ...)                                                                                                   \
    return (plan)->ctx->function = "tvgp_policy_create_described", tvgp__error_set((plan)->ctx, TVGP_ERR_ARG, __VA_ARGS__)

/* Cuts the text at the next `by`; NULL: there is no text left. */
static char *cut(char **rest, char by) {
    char *part = *rest, *end = part ? strchr(part, by) : NULL;
    if (end)
        *end = '\0';
    *rest = end ? end + 1 : NULL;
    return part;
}

static size_t parts_of(const char *text, char by) {
    size_t n = 1;
    for (const char *c = text; *c; c++)
        n += *c == by;
    return n;
}

/* ---- words ------------------------------------------------------------------------------------------------------ */

/* The value if the word is key=value, else NULL. */
static char *value_of(char *word, const char *key) {
    const size_t n = strlen(key);
    return strncmp(word, key, n) == 0 && word[n] == '=' ? word + n + 1 : NULL;
}

/* Stores a word that may be there once. */
static tvgp_status once(plan *d, const char *key, char *value, char **member) {
    if (*member)
        REFUSE(d, "'%s=' is given twice", key);
    *member = value;
    return TVGP_OK;
}

static tvgp_status take_one_of(plan *d, char *word, const char *const *keys, char **member, const char **key, int *taken) {
    for (size_t i = 0; keys[i]; i++) {
        char *value = value_of(word, keys[i]);
        if (!value)
            continue;
        if (*member)
            REFUSE(d, "'%s=' and '%s=' are given, expected one", *key, keys[i]);
        *key = keys[i];
        *member = value;
        *taken = 1;
    }
    return TVGP_OK;
}

static tvgp_status take_constraint(plan *d, char *word, int *taken) {
    char *most = value_of(word, "at_most"), *value = most ? most : value_of(word, "at_least");
    if (!value)
        return TVGP_OK;
    *taken = 1;
    if (d->n_bounds == MOST_CONSTRAINTS)
        return tvgp__error_set(d->ctx, TVGP_ERR_LIMIT, "more than %d constraints", MOST_CONSTRAINTS);
    if (!tvgp__number_text_read(value, &d->bound[d->n_bounds]))
        REFUSE(d, "%s=%.40s must be a number", most ? "at_most" : "at_least", value);
    d->side[d->n_bounds++] = most ? TVGP_AT_MOST : TVGP_AT_LEAST;
    return TVGP_OK;
}

static tvgp_status take_single(plan *d, char *word, int *taken) {
    const struct {
        const char *key;
        char **member;
    } single[] = {{"policy", &d->policy},     {"more", &d->more}, {"names", &d->names},
                  {"contexts", &d->contexts}, {"safe", &d->safe}, {"payoffs", &d->payoffs}};
    for (size_t i = 0; i < sizeof single / sizeof *single; i++) {
        char *value = value_of(word, single[i].key);
        if (!value)
            continue;
        *taken = 1;
        return once(d, single[i].key, value, single[i].member);
    }
    return TVGP_OK;
}

static tvgp_status take_word(plan *d, char *word, int first) {
    static const char *const spaces[] = {"grid", "box", "arms", "indices", NULL};
    static const char *const kernels[] = {"se", "matern12", "matern32", "matern52", NULL};
    int taken = 0;
    if (first && !strchr(word, '='))
        return once(d, "policy", word, &d->policy);
    TVGP__TRY(take_one_of(d, word, spaces, &d->space, &d->space_key, &taken));
    TVGP__TRY(take_one_of(d, word, kernels, &d->kernel, &d->kernel_key, &taken));
    TVGP__TRY(take_single(d, word, &taken));
    TVGP__TRY(take_constraint(d, word, &taken));
    if (!taken) {
        if (d->end > d->options)
            *d->end++ = ' ';
        const size_t n = strlen(word);
        memcpy(d->end, word, n + 1);
        d->end += n;
    }
    return TVGP_OK;
}

static tvgp_status take_words(plan *d) {
    int first = 1;
    for (char *word = d->text + strspn(d->text, blanks), *next; *word; word = next, first = 0) {
        const size_t used = strcspn(word, blanks);
        next = word + used + strspn(word + used, blanks);
        word[used] = '\0';
        TVGP__TRY(take_word(d, word, first));
    }
    return TVGP_OK;
}

/* ---- domain ----------------------------------------------------------------------------------------------------- */

/* Numbers with colons between, at most `most`; `last`: a word that may stand at the end, which sets *found. */
static tvgp_status numbers(const plan *d, const char *key, char *text, const char *last, int *found, size_t most,
                           double *value, size_t *n) {
    *n = 0;
    for (char *part; (part = cut(&text, ':')) != NULL; ++*n) {
        if (last && !text && strcmp(part, last) == 0) {
            *found = 1;
            return TVGP_OK;
        }
        if (*n == most)
            REFUSE(d, "%s= has more than %zu numbers between two commas", key, most);
        if (!tvgp__number_text_read(part, &value[*n]))
            REFUSE(d, "%s= has '%.40s', must be a number", key, part);
    }
    return TVGP_OK;
}

/* Programs that create policies from descriptions have room for this many coordinates of an action and its context. */
static tvgp_status check_dim(const plan *d, size_t dim) {
    if (dim <= MOST_DIM)
        return TVGP_OK;
    d->ctx->function = "tvgp_policy_create_described";
    return tvgp__error_set(d->ctx, TVGP_ERR_LIMIT, "a point has %zu coordinates, at most %d", dim, MOST_DIM);
}

/* Axes of a grid (FROM:TO:POINTS) or of a box (FROM:TO, FROM:TO:integer). */
typedef struct axes {
    size_t dim, points[MOST_DIM];
    double lower[MOST_DIM], upper[MOST_DIM];
    uint8_t integer[MOST_DIM];
} axes;

static tvgp_status read_axis(const plan *d, const char *key, char *text, int grid, axes *a) {
    double value[3] = {0};
    size_t n;
    int integer = 0;
    TVGP__TRY(check_dim(d, a->dim + 1));
    TVGP__TRY(numbers(d, key, text, grid ? NULL : "integer", &integer, 3, value, &n));
    if (n != (grid ? 3 : 2))
        REFUSE(d, "%s=: coordinate %zu must be %s", key, a->dim, grid ? "FROM:TO:POINTS" : "FROM:TO or FROM:TO:integer");
    if (grid && !(value[2] >= 1 && value[2] <= MOST_POINTS && (double)(size_t)value[2] == value[2]))
        REFUSE(d, "%s=: coordinate %zu has %g points, must be an integer in 1..%d", key, a->dim, value[2], MOST_POINTS);
    a->lower[a->dim] = value[0];
    a->upper[a->dim] = value[1];
    a->points[a->dim] = (size_t)value[2];
    a->integer[a->dim++] = (uint8_t)integer;
    return TVGP_OK;
}

static tvgp_status read_axes(const plan *d, const char *key, char *text, int grid, axes *a) {
    a->dim = 0;
    for (char *part; (part = cut(&text, ',')) != NULL;)
        TVGP__TRY(read_axis(d, key, part, grid, a));
    return TVGP_OK;
}

static tvgp_status make_grid(const plan *d, char *text, tvgp_domain **out) {
    axes a;
    TVGP__TRY(read_axes(d, "grid", text, 1, &a));
    return tvgp_domain_grid(d->ctx, a.dim, a.lower, a.upper, a.points, out);
}

static tvgp_status make_box(const plan *d, const char *key, char *text, tvgp_domain **out) {
    axes a;
    tvgp_domain *box;
    TVGP__TRY(read_axes(d, key, text, 0, &a));
    TVGP__TRY(tvgp_domain_box(d->ctx, a.dim, a.lower, a.upper, &box));
    for (size_t k = 0; k < a.dim; k++) {
        const tvgp_status status = a.integer[k] ? tvgp_domain_box_integer(box, k) : TVGP_OK;
        if (status < 0) {
            tvgp_domain_destroy(box);
            return status;
        }
    }
    *out = box;
    return TVGP_OK;
}

/* Rows of points, X:Y,X:Y,..: *dim is that of the first if it is 0. *X is to be freed, also after a failure. */
static tvgp_status read_points(const plan *d, const char *key, char *text, size_t *dim, size_t *n, double **X) {
    double value[MOST_DIM];
    const size_t rows = parts_of(text, ',');
    int none;
    *n = 0;
    for (char *row; (row = cut(&text, ',')) != NULL; ++*n) {
        size_t length;
        TVGP__TRY(check_dim(d, parts_of(row, ':')));
        TVGP__TRY(numbers(d, key, row, NULL, &none, MOST_DIM, value, &length));
        *dim = *dim ? *dim : length;
        if (length != *dim)
            REFUSE(d, "%s=: point %zu has %zu coordinates, expected %zu", key, *n, length, *dim);
        if (!*X)
            TVGP__TRY(tvgp__memory_alloc(d->ctx, rows, *dim * sizeof **X, X));
        memcpy(*X + *n * *dim, value, *dim * sizeof **X);
    }
    return TVGP_OK;
}

static tvgp_status make_arms(const plan *d, char *text, tvgp_domain **out) {
    double *X = NULL;
    size_t dim = 0, n;
    tvgp_status status = read_points(d, "arms", text, &dim, &n, &X);
    if (status == TVGP_OK)
        status = tvgp_domain_arms(d->ctx, n, dim, X, out);
    tvgp__memory_free(d->ctx, X);
    return status;
}

static tvgp_status make_indices(const plan *d, const char *key, const char *text, tvgp_domain **out) {
    long long n;
    if (!tvgp__number_text_read_integer(text, &n) || n < 1)
        REFUSE(d, "%s=%.40s must be an integer >= 1", key, text);
    return tvgp_domain_indices(d->ctx, (size_t)n, out);
}

static tvgp_status make_space(plan *d, tvgp_domain **out) {
    if (!d->space && !d->names)
        REFUSE(d, "the description has no domain: one of grid=, box=, arms=, indices=, names=");
    if (!d->space)
        return tvgp_domain_indices(d->ctx, d->n_names, out);
    if (strcmp(d->space_key, "grid") == 0)
        TVGP__TRY(make_grid(d, d->space, out));
    else if (strcmp(d->space_key, "box") == 0)
        TVGP__TRY(make_box(d, "box", d->space, out));
    else if (strcmp(d->space_key, "arms") == 0)
        TVGP__TRY(make_arms(d, d->space, out));
    else
        TVGP__TRY(make_indices(d, "indices", d->space, out));
    return TVGP_OK;
}

/* Appends the points of more=. */
static tvgp_status add_more(plan *d) {
    double *X = NULL;
    tvgp_domain *larger = NULL;
    size_t dim, n = 0;
    if (!d->more)
        return TVGP_OK;
    TVGP__TRY(tvgp_domain_dim(d->domain, &dim));
    tvgp_status status = read_points(d, "more", d->more, &dim, &n, &X);
    if (status == TVGP_OK)
        status = tvgp_domain_append(d->domain, n, X, &larger);
    tvgp__memory_free(d->ctx, X);
    if (status == TVGP_OK) {
        tvgp_domain_destroy(d->domain);
        d->domain = larger;
    }
    return status;
}

/* The product with contexts=N (numbered) or contexts=FROM:TO,.. (measured). */
static tvgp_status add_contexts(plan *d) {
    tvgp_domain *contexts = NULL, *product = NULL;
    if (!d->contexts)
        return TVGP_OK;
    if (strchr(d->contexts, ':'))
        TVGP__TRY(make_box(d, "contexts", d->contexts, &contexts));
    else
        TVGP__TRY(make_indices(d, "contexts", d->contexts, &contexts));
    const tvgp_status status = tvgp_domain_product(d->ctx, d->domain, contexts, &product);
    tvgp_domain_destroy(contexts);
    if (status == TVGP_OK) {
        tvgp_domain_destroy(d->domain);
        d->domain = product;
    }
    return status;
}

/* A name of names=. */
typedef struct named {
    const char *name;
    size_t arm;
} named;

static int by_name(const void *a, const void *b) {
    const named *x = a, *y = b;
    return strcmp(x->name, y->name);
}

static tvgp_status sort_names(const plan *d, named **sorted) {
    TVGP__TRY(tvgp__memory_alloc(d->ctx, d->n_names, sizeof **sorted, sorted));
    for (size_t arm = 0; arm < d->n_names; arm++)
        (*sorted)[arm] = (named){d->name[arm], arm};
    qsort(*sorted, d->n_names, sizeof **sorted, by_name);
    return TVGP_OK;
}

static tvgp_status check_names(const plan *d) {
    named *sorted;
    size_t k = 1;
    TVGP__TRY(sort_names(d, &sorted));
    while (k < d->n_names && strcmp(sorted[k - 1].name, sorted[k].name) != 0)
        k++;
    const char *twice = k < d->n_names ? sorted[k].name : NULL;
    tvgp__memory_free(d->ctx, sorted);
    if (twice)
        REFUSE(d, "names= has '%.40s' twice, names must differ", twice);
    return TVGP_OK;
}

static tvgp_status read_names(plan *d) {
    if (!d->names)
        return TVGP_OK;
    const size_t n = parts_of(d->names, ',');
    char *rest = d->names;
    TVGP__TRY(tvgp__memory_alloc(d->ctx, n, sizeof *d->name, &d->name));
    for (; d->n_names < n; d->n_names++) {
        d->name[d->n_names] = cut(&rest, ',');
        if (!*d->name[d->n_names])
            REFUSE(d, "names=: name %zu is empty", d->n_names);
    }
    return check_names(d);
}

static tvgp_status make_domain(plan *d) {
    size_t n, dim;
    TVGP__TRY(read_names(d));
    TVGP__TRY(make_space(d, &d->domain));
    TVGP__TRY(add_more(d));
    TVGP__TRY(tvgp_domain_size(d->domain, &n));
    if (d->names && n != d->n_names)
        REFUSE(d, "names= has %zu names for %zu arms", d->n_names, n);
    TVGP__TRY(add_contexts(d));
    TVGP__TRY(tvgp_domain_dim(d->domain, &dim));
    return check_dim(d, dim);
}

/* ---- kernel, constraints ---------------------------------------------------------------------------------------- */

/* LENGTHSCALE[,LENGTHSCALE..][:VARIANCE] */
static tvgp_status make_kernel(plan *d) {
    double lengthscale[MOST_DIM], variance = 1;
    size_t dim;
    if (!d->kernel)
        return TVGP_OK;
    if (d->names && (!d->space || strcmp(d->space_key, "indices") == 0))
        REFUSE(d,
               "%s= would correlate names= by their order: leave it out, or give the arms coordinates with arms= or grid=",
               d->kernel_key);
    char *rest = d->kernel, *list = cut(&rest, ':');
    const size_t n = tvgp__number_text_list(list, MOST_DIM, lengthscale);
    if (!n || n > MOST_DIM || (rest && !tvgp__number_text_read(rest, &variance)))
        REFUSE(d, "%s= must be LENGTHSCALE, LENGTHSCALE:VARIANCE or L,L,..:VARIANCE", d->kernel_key);
    TVGP__TRY(tvgp_domain_dim(d->domain, &dim));
    if (strcmp(d->kernel_key, "se") == 0)
        return tvgp_kernel_se(d->ctx, dim, variance, n, lengthscale, &d->kernel_made);
    const double nu = d->kernel_key[6] == '1' ? .5 : d->kernel_key[6] == '3' ? 1.5 : 2.5;
    return tvgp_kernel_matern(d->ctx, dim, nu, variance, n, lengthscale, &d->kernel_made);
}

static tvgp_status add_constraints(const plan *d, tvgp_policy *policy) {
    for (size_t k = 0; k < d->n_bounds; k++) {
        tvgp_policy *model;
        TVGP__TRY(tvgp_policy_create(d->ctx, "auto-gp-ucb", d->domain, NULL, &model));
        const tvgp_status status = tvgp_policy_add_constraint(policy, model, d->side[k], d->bound[k]);
        tvgp_policy_destroy(model);
        TVGP__TRY(status);
    }
    return TVGP_OK;
}

/* The first entry of the sorted names that is not before this name; n_names: all are. */
static size_t first_of(const plan *d, const named *sorted, const char *name) {
    size_t low = 0, high = d->n_names;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (strcmp(sorted[middle].name, name) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static tvgp_status find_points(const plan *d, const named *sorted, size_t dim, size_t *n, double *X) {
    char *rest = d->safe;
    *n = 0;
    for (char *name; (name = cut(&rest, ',')) != NULL; ++*n) {
        const size_t at = first_of(d, sorted, name);
        if (at == d->n_names || strcmp(sorted[at].name, name) != 0)
            REFUSE(d, "safe= has '%.40s', which is not in names=", name);
        TVGP__TRY(tvgp_domain_point(d->domain, (int64_t)sorted[at].arm, X + *n * dim));
    }
    return TVGP_OK;
}

/* The points of names, which are sorted once. */
static tvgp_status read_safe_names(const plan *d, size_t dim, size_t *n, double **X) {
    named *sorted;
    TVGP__TRY(tvgp__memory_alloc(d->ctx, parts_of(d->safe, ','), dim * sizeof **X, X));
    TVGP__TRY(sort_names(d, &sorted));
    const tvgp_status status = find_points(d, sorted, dim, n, *X);
    tvgp__memory_free(d->ctx, sorted);
    return status;
}

static tvgp_status set_safe(const plan *d, tvgp_policy *policy) {
    double *X = NULL;
    size_t dim, n = 0;
    if (!d->safe)
        return TVGP_OK;
    TVGP__TRY(tvgp_domain_dim(d->domain, &dim));
    tvgp_status status =
        d->names && !d->contexts ? read_safe_names(d, dim, &n, &X) : read_points(d, "safe", d->safe, &dim, &n, &X);
    if (status == TVGP_OK)
        status = tvgp_policy_set_safe(policy, n, X);
    tvgp__memory_free(d->ctx, X);
    return status;
}

/* One payoff for each action. */
static tvgp_status set_payoffs(const plan *d, tvgp_policy *policy) {
    double *payoff = NULL;
    if (!d->payoffs)
        return TVGP_OK;
    const size_t n = parts_of(d->payoffs, ',');
    TVGP__TRY(tvgp__memory_alloc(d->ctx, n, sizeof *payoff, &payoff));
    const tvgp_status status =
        tvgp__number_text_list(d->payoffs, n, payoff) == n
            ? tvgp_policy_set_payoffs(policy, n, payoff)
            : tvgp__error_set(d->ctx, TVGP_ERR_ARG, "payoffs=%.40s must be numbers with commas between", d->payoffs);
    tvgp__memory_free(d->ctx, payoff);
    return status;
}

/* ---- the whole -------------------------------------------------------------------------------------------------- */

static tvgp_status make(plan *d, tvgp_policy **out) {
    TVGP__TRY(take_words(d));
    TVGP__TRY(make_domain(d));
    TVGP__TRY(make_kernel(d));
    TVGP__TRY(tvgp_policy_create(d->ctx, d->policy ? d->policy : "auto-gp-ucb", d->domain, d->kernel_made, out));
    tvgp_status status = add_constraints(d, *out);
    if (status == TVGP_OK && *d->options)
        status = tvgp_policy_set(*out, d->options);
    if (status == TVGP_OK)
        status = set_safe(d, *out);
    if (status == TVGP_OK)
        status = set_payoffs(d, *out);
    if (status < 0) {
        tvgp_policy_destroy(*out);
        *out = NULL;
    }
    return status;
}

tvgp_status tvgp_policy_create_described(tvgp_ctx *ctx, const char *text, tvgp_policy **out) {
    TVGP__ENTER(ctx);
    TVGP__REQUIRE(ctx, text);
    TVGP__REQUIRE(ctx, out);
    plan d = {.ctx = ctx};
    tvgp_policy *policy = NULL;
    const size_t length = strlen(text) + 1;
    if (length > TVGP__DESCRIPTION_MOST + 1)
        return tvgp__error_set(ctx, TVGP_ERR_LIMIT, "a description of %zu bytes, at most %d", length - 1,
                               (int)TVGP__DESCRIPTION_MOST);
    TVGP__TRY(tvgp__memory_alloc(ctx, 2, length, &d.text));
    memcpy(d.text, text, length);
    d.options = d.end = d.text + length;
    const tvgp_status status = make(&d, &policy);
    tvgp_kernel_destroy(d.kernel_made);
    tvgp_domain_destroy(d.domain);
    tvgp__memory_free(ctx, d.name);
    tvgp__memory_free(ctx, d.text);
    if (status == TVGP_OK)
        *out = policy;
    return status;
}
