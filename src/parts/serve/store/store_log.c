/* SPDX-License-Identifier: MIT */
/* Calls of a store about policies and lines as such. */
#include "parts/serve/store/store_log.h"

#include "base/error.h"
#include "base/integer_format.h"
#include "base/memory.h"
#include "parts/serve/description.h"
#include "parts/serve/store/store_copy.h"
#include "parts/serve/store/store_time.h"

#include <string.h>

enum { USUAL_SNAPSHOT_EVERY = 100 };

/* ---- create ----------------------------------------------------------------------------------------------------- */

/* Options that policies of a store have unless the description says otherwise. */
static const char *const usual[] = {" time.clamp=1", " context.clamp=1"};

/* The usual options that a given description does not have. */
static void add_usual(const char *given, char added[64]) {
    added[0] = '\0';
    for (size_t i = 0; i < sizeof usual / sizeof *usual; i++) {
        char word[32];
        const size_t length = strcspn(usual[i] + 1, "=") + 1;
        memcpy(word, usual[i] + 1, length);
        word[length] = '\0';
        if (!tvgp__store_time_has_word(given, word))
            strcat(added, usual[i]);
    }
}

/* A given description with the usual options into s->description. */
static tvgp_status complete(tvgp_store *s, const char *given) {
    char added[64];
    add_usual(given, added);
    const size_t n = strlen(given), most = TVGP__DESCRIPTION_MOST - strlen(added);
    if (n > most)
        return tvgp__error_set(s->ctx, TVGP_ERR_LIMIT, "a description of %zu bytes, at most %zu", n, most);
    TVGP__TRY(tvgp__memory_reserve(s->ctx, n + sizeof added, 1, &s->description, &s->description_room));
    strcat(strcpy(s->description, given), added);
    return TVGP_OK;
}

/* s->description can create a policy. */
static tvgp_status create(tvgp_store *s, int64_t every) {
    tvgp__store_copy *tried;
    s->row = (tvgp_store_row){.snapshot_every = every, .description = s->description};
    TVGP__TRY(tvgp__store_copy_new(s, &tried));
    s->row.chain = tried->chain;
    tvgp__store_copy_free(s, tried);
    return tvgp__store_common_append(s);
}

tvgp_status tvgp__store_log_create(tvgp_store *s) {
    char *given = NULL;
    int64_t every = USUAL_SNAPSHOT_EVERY;
    s->reply.taken = 1;
    if (s->row.id)
        return tvgp__error_set(s->ctx, TVGP_ERR_ARG, "there is a policy '%.60s' already", s->name);
    TVGP__TRY(tvgp__store_arguments_need(&s->arguments, "description"));
    TVGP__TRY(tvgp__store_arguments_integer(&s->arguments, "snapshot_every", 1, INT32_MAX, &every));
    TVGP__TRY(tvgp__store_arguments_text(&s->arguments, "description", &given));
    tvgp_status status = complete(s, given);
    tvgp__memory_free(s->ctx, given);
    return status == TVGP_OK ? create(s, every) : status;
}

/* ---- lines ------------------------------------------------------------------------------------------------------ */

tvgp_status tvgp__store_log_apply(tvgp_store *s) {
    tvgp__store_copy *c = s->copy;
    tvgp_event e;
    char *line = NULL;
    s->reply.taken = 1;
    TVGP__TRY(tvgp__store_arguments_need(&s->arguments, "line"));
    TVGP__TRY(tvgp__store_arguments_text(&s->arguments, "line", &line));
    tvgp_status status = tvgp__store_common_parse(s, c, line, &e);
    if (status == TVGP_OK && e.n != c->n + 1)
        status = tvgp__error_set(s->ctx, TVGP_ERR_FORMAT, "event %" PRId64 " cannot follow event %" PRId64, e.n, c->n);
    if (status == TVGP_OK) {
        status = tvgp_policy_apply(c->policy, 1, &e, (size_t)e.size, e.size ? s->x : NULL);
        status = status < 0 ? tvgp__store_common_failed(s, c, status) : tvgp__store_copy_append_line(s, &e, s->x, line);
    }
    tvgp__memory_free(s->ctx, line);
    return status;
}

/* The lines before the first ask at or after a time. */
typedef struct early {
    double before;
    int64_t first, end; /* numbers: of the first line, and of the one behind the last; 0: none seen */
} early;

static tvgp_status look(tvgp_store *s, int64_t n, int64_t chain, const char *line) {
    early *l = s->taker;
    tvgp_event e;
    (void)chain;
    if (!l->first)
        l->first = l->end = n;
    TVGP__TRY(tvgp__store_common_parse(s, s->copy, line, &e));
    if (e.kind == TVGP_EVENT_ASK && e.t >= l->before)
        return TVGP_DONE;
    l->end = n + 1;
    return TVGP_OK;
}

tvgp_status tvgp__store_log_trim(tvgp_store *s) {
    early l = {0};
    TVGP__TRY(tvgp__store_arguments_need(&s->arguments, "before"));
    TVGP__TRY(tvgp__store_arguments_time(&s->arguments, "before", &l.before));
    TVGP__TRY(tvgp__store_common_read(s, 1, s->row.n, look, &l));
    s->reply.taken = l.end - l.first;
    if (!s->reply.taken)
        return TVGP_OK;
    TVGP__TRY(tvgp__store_copy_write(s, 1));
    return tvgp__store_common_remove(s, l.end);
}

tvgp_status tvgp__store_log_drop(tvgp_store *s) {
    s->reply.taken = 1;
    return tvgp__store_common_remove(s, 0);
}
