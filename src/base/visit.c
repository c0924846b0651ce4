/* SPDX-License-Identifier: MIT */
/* Snapshots, struct by struct: one visit function names the members of a struct in order, and the kind of visitor decides
 * whether they are counted, written, hashed or read (base/visit.h). */
#include "base/visit.h"

#include "base/error.h"
#include "base/memory.h"

#include <math.h>
#include <string.h>

/* Numbers stand in memory as in a snapshot: with bytes turned on the way, where they do not. */
#if defined(__BYTE_ORDER__) && defined(__ORDER_BIG_ENDIAN__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
enum { TURNED = 1 };
#else
enum { TURNED = 0 };
#endif

int tvgp__visit_try(tvgp__visit *v, tvgp_status status) {
    if (v->status >= 0 && status < 0)
        v->status = status;
    return v->status >= 0;
}

void tvgp__visit_refuse(tvgp__visit *v, const char *why) {
    if (v->status >= 0)
        v->status = tvgp__error_set(v->ctx, TVGP_ERR_FORMAT, "section %s, byte %zu: %s", v->section, v->at, why);
}

int tvgp__visit_made(tvgp__visit *v, tvgp_status status, const char *why) {
    const int passes = tvgp__error_passes(v->ctx, status) || status == TVGP_ERR_UNSUPPORTED || status == TVGP_ERR_FORMAT;
    if (v->purpose == TVGP__VISIT_LOAD && status < 0 && !passes) {
        v->status = TVGP_OK;
        tvgp__visit_refuse(v, why);
    }
    return tvgp__visit_try(v, status);
}

static void hash(tvgp__visit *v, size_t n, const uint8_t *bytes) {
    for (size_t i = 0; i < n; i++)
        v->hash = (v->hash ^ bytes[i]) * 1099511628211u;
}

void tvgp__visit_go(tvgp__visit *v, size_t at) {
    for (size_t k = 1; k < v->n_parts; k++)
        v->parts[k].at += at - v->at;
    v->at = at;
}

int tvgp__visit_fits(tvgp__visit *v, size_t n) {
    if (v->status >= 0 && (v->at > PTRDIFF_MAX || n > PTRDIFF_MAX - v->at))
        v->status = tvgp__error_set(v->ctx, TVGP_ERR_LIMIT, "%zu bytes more than %zu in a snapshot exceed the limit %td", n,
                                    v->at, PTRDIFF_MAX);
    return v->status >= 0;
}

int tvgp__visit_skip(tvgp__visit *v, size_t n) {
    if (tvgp__visit_fits(v, n))
        tvgp__visit_go(v, v->at + n);
    return v->status >= 0;
}

/* n bytes as they stand. */
static void move(tvgp__visit *v, size_t n, void *bytes) {
    const size_t at = v->at;
    if (v->status < 0)
        return;
    if (v->purpose == TVGP__VISIT_LOAD && n > v->end - at)
        tvgp__visit_refuse(v, "the section ends here");
    if (!tvgp__visit_skip(v, n) || !n)
        return;
    if (v->purpose == TVGP__VISIT_LOAD)
        memcpy(bytes, v->in + at, n);
    else if (v->purpose == TVGP__VISIT_SAVE && v->at <= v->end)
        memcpy(v->out + at, bytes, n);
    else if (v->purpose == TVGP__VISIT_HASH)
        hash(v, n, bytes);
}

/* n words of 4 or 8 bytes. */
static void move_words(tvgp__visit *v, size_t n, size_t size, void *words) {
    uint8_t turned[8], *word = words;
    if (!TURNED || size == 1 || v->purpose == TVGP__VISIT_SIZE) {
        move(v, n * size, words);
        return;
    }
    for (size_t i = 0; i < n && v->status >= 0; i++, word += size) {
        for (size_t b = 0; b < size; b++)
            turned[b] = word[size - 1 - b];
        move(v, size, turned);
        for (size_t b = 0; b < size && v->purpose == TVGP__VISIT_LOAD; b++)
            word[b] = turned[size - 1 - b];
    }
}

/* n things over arms, from all parts that have some of them. */
static void gather(tvgp__visit *v, size_t n, size_t size, char *x) {
    const uint8_t *in = v->in;
    const size_t end = v->end, n_parts = v->n_parts;
    v->parts->at = v->at;
    v->n_parts = 0;
    for (size_t k = 0; k < n_parts && v->status >= 0; k++) {
        tvgp__visit_part *part = &v->parts[k];
        const size_t from = part->first > v->first ? part->first : v->first,
                     to = part->first + part->n < v->first + n ? part->first + part->n : v->first + n;
        v->in = part->in;
        v->at = part->at + (from - part->first) * size;
        v->end = part->end;
        if (part->at > part->end || part->n * size > part->end - part->at)
            tvgp__visit_refuse(v, "the section of a part ends here");
        else if (from < to)
            move_words(v, to - from, size, x + (from - v->first) * size);
        part->at += part->n * size;
    }
    v->in = in;
    v->end = end;
    v->n_parts = n_parts;
    v->at = v->parts->at;
}

size_t tvgp__visit_arms_there(const tvgp__visit *v, size_t n) {
    return v->n_parts ? v->parts->n : n;
}

void tvgp__visit_arms(tvgp__visit *v, size_t n, double *x, double lower, double upper) {
    int outside = 0;
    if (!v->n_parts) {
        tvgp__visit_reals(v, n, x, lower, upper);
        return;
    }
    gather(v, n, sizeof *x, (char *)x);
    for (size_t i = 0; tvgp__visit_loads(v) && i < n; i++)
        outside |= !(x[i] >= lower) | !(x[i] <= upper);
    if (outside)
        tvgp__visit_refuse(v, "a number before this is out of bounds");
}

void tvgp__visit_arm_bytes(tvgp__visit *v, size_t n, void *x) {
    if (v->n_parts)
        gather(v, n, 1, x);
    else
        move(v, n, x);
}

void tvgp__visit_bytes(tvgp__visit *v, size_t n, void *bytes) {
    move(v, n, bytes);
}

void tvgp__visit_u64(tvgp__visit *v, uint64_t *x) {
    move_words(v, 1, sizeof *x, x);
}

void tvgp__visit_flag(tvgp__visit *v, int *x) {
    uint8_t byte = *x != 0;
    move(v, 1, &byte);
    if (byte > 1)
        tvgp__visit_refuse(v, "a flag is neither 0 nor 1");
    else if (tvgp__visit_loads(v))
        *x = byte;
}

void tvgp__visit_int(tvgp__visit *v, int64_t *x, int64_t lower, int64_t upper) {
    int64_t value = *x;
    move_words(v, 1, sizeof value, &value);
    if (!tvgp__visit_loads(v))
        return;
    if (value < lower || value > upper)
        tvgp__visit_refuse(v, "a whole number is out of bounds");
    else
        *x = value;
}

void tvgp__visit_size(tvgp__visit *v, size_t *x, size_t lower, size_t upper) {
    uint64_t value = *x;
    move_words(v, 1, sizeof value, &value);
    if (!tvgp__visit_loads(v))
        return;
    if (value < lower || value > upper)
        tvgp__visit_refuse(v, "a count is out of bounds");
    else
        *x = (size_t)value;
}

void tvgp__visit_tally(tvgp__visit *v, int64_t *x) {
    tvgp__visit_int(v, x, 0, TVGP__VISIT_TALLY);
}

void tvgp__visit_tally_size(tvgp__visit *v, size_t *x) {
    tvgp__visit_size(v, x, 0, TVGP__VISIT_TALLY < SIZE_MAX ? TVGP__VISIT_TALLY : SIZE_MAX);
}

void tvgp__visit_reals(tvgp__visit *v, size_t n, double *x, double lower, double upper) {
    int outside = 0;
    move_words(v, n, sizeof *x, x);
    if (!tvgp__visit_loads(v))
        return;
    for (size_t i = 0; i < n; i++)
        outside |= !(x[i] >= lower) | !(x[i] <= upper);
    if (outside)
        tvgp__visit_refuse(v, "a number before this is out of bounds");
}

void tvgp__visit_real(tvgp__visit *v, double *x, double lower, double upper) {
    tvgp__visit_reals(v, 1, x, lower, upper);
}

void tvgp__visit_maybe(tvgp__visit *v, size_t n, double *x, double lower, double upper) {
    move_words(v, n, sizeof *x, x);
    for (size_t i = 0; tvgp__visit_loads(v) && i < n; i++)
        if (!isnan(x[i]) && !(x[i] >= lower && x[i] <= upper))
            tvgp__visit_refuse(v, "a number before this is out of bounds");
}

void tvgp__visit_triangle(tvgp__visit *v, size_t n, double *A, size_t ld) {
    for (size_t j = 0; j < n && v->status >= 0; j++)
        tvgp__visit_reals(v, n - j, A + j * (ld + 1), -TVGP__VISIT_MOST, TVGP__VISIT_MOST);
}

void tvgp__visit_indices(tvgp__visit *v, size_t n, size_t *x, size_t bound) {
    for (size_t i = 0; i < n && v->status >= 0; i++) {
        uint32_t index = (uint32_t)x[i];
        move_words(v, 1, sizeof index, &index);
        if (tvgp__visit_loads(v) && index >= bound)
            tvgp__visit_refuse(v, "an index is out of bounds");
        if (tvgp__visit_loads(v))
            x[i] = index;
    }
}

void tvgp__visit_count(tvgp__visit *v, size_t *n, size_t most, size_t bytes) {
    size_t count = *n;
    tvgp__visit_size(v, &count, 0, most);
    if (!tvgp__visit_loads(v))
        return;
    if (bytes && count > (v->end - v->at) / bytes)
        tvgp__visit_refuse(v, "there are more things than bytes for them");
    else
        *n = count;
}

void tvgp__visit_name(tvgp__visit *v, char *name, size_t size) {
    uint8_t length = (uint8_t)(tvgp__visit_loads(v) ? 0 : strlen(name));
    move(v, 1, &length);
    if (tvgp__visit_loads(v) && length >= size)
        tvgp__visit_refuse(v, "a name is too long");
    move(v, length, name);
    if (tvgp__visit_loads(v))
        name[length] = '\0';
    if (tvgp__visit_loads(v) && memchr(name, '\0', length))
        tvgp__visit_refuse(v, "a name holds a zero byte");
}

void tvgp__visit_room(tvgp__visit *v, size_t count, size_t size, void *block) {
    if (tvgp__visit_loads(v))
        tvgp__visit_try(v, tvgp__memory_room(v->ctx, count, size, block));
}
