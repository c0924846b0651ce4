/* SPDX-License-Identifier: MIT */
/* Policies inside PostgreSQL, as an extension (docs/guide/postgresql.md). Three tables hold a policy: its description, its events as
 * lines (docs/reference/snapshot-format.md#event-log) and its newest snapshot. A session keeps a copy of each policy that it used. Events carry a chained
 * checksum: if the one of the copy's last event is not in the log, the copy saw a transaction that was rolled back, and is
 * discarded. Copies use malloc, bounded by a quota, so no error of the server passes through the library. */
#include <postgres.h>

#include <catalog/pg_type.h>
#include <executor/spi.h>
#include <fmgr.h>
#include <funcapi.h>
#include <miscadmin.h>
#include <utils/array.h>
#include <utils/builtins.h>
#include <utils/timestamp.h>

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <tvgp.h>

PG_MODULE_MAGIC;

enum { MOST_BYTES = 256 << 20, MOST_ARMS = 1000000 };

enum { LOCK, READ, EVENTS, EPOCH, APPEND, ADVANCE, LOAD, STORE, CREATE, TRIM, PLANS };
static const struct {
    const char *text;
    int n;
    Oid type[7];
} plans[PLANS] = {
    [LOCK] = {"SELECT id, description, snapshot_every, n, chain FROM tvgp.policy WHERE name = $1 FOR NO KEY UPDATE",
              1,
              {TEXTOID}},
    [READ] = {"SELECT id, description, snapshot_every, n, chain FROM tvgp.policy WHERE name = $1", 1, {TEXTOID}},
    [EVENTS] = {"SELECT n, chain, line FROM tvgp.event WHERE policy = $1 AND n BETWEEN $2 AND $3 ORDER BY n",
                3,
                {INT8OID, INT8OID, INT8OID}},
    [EPOCH] = {"SELECT line FROM tvgp.event WHERE policy = $1 AND query <= $2 ORDER BY query DESC LIMIT 1",
               2,
               {INT8OID, INT8OID}},
    [APPEND] = {"INSERT INTO tvgp.event VALUES ($1, $2, $3, $4, $5, $6)",
                6,
                {INT8OID, INT8OID, INT8OID, INT8OID, FLOAT8OID, TEXTOID}},
    [ADVANCE] = {"UPDATE tvgp.policy SET n = $2, chain = $3 WHERE id = $1", 3, {INT8OID, INT8OID, INT8OID}},
    [LOAD] = {"SELECT n, chain, state FROM tvgp.snapshot WHERE policy = $1 AND n <= $2", 2, {INT8OID, INT8OID}},
    [STORE] = {"INSERT INTO tvgp.snapshot VALUES ($1, $2, $3, $4) ON CONFLICT (policy)"
               " DO UPDATE SET n = excluded.n, chain = excluded.chain, state = excluded.state",
               4,
               {INT8OID, INT8OID, INT8OID, BYTEAOID}},
    [CREATE] = {"INSERT INTO tvgp.policy(name, description, snapshot_every) VALUES ($1, $2, $3)",
                3,
                {TEXTOID, TEXTOID, INT4OID}},
    [TRIM] = {"DELETE FROM tvgp.event WHERE policy = $1 AND n < (SELECT n FROM tvgp.snapshot WHERE policy = $1) AND n <"
              " coalesce((SELECT min(n) FROM tvgp.event WHERE policy = $1 AND t >= $2), 9007199254740993)",
              2,
              {INT8OID, FLOAT8OID}},
};
static SPIPlanPtr prepared[PLANS];

/* A policy in memory, in the state after event n if `valid`. */
typedef struct copy {
    struct copy *next;
    int64 id, n, chain, every, since;
    bool valid; /* false while a call changes it: an error that ends the call leaves it so */
    tvgp_ctx *ctx;
    tvgp_policy *policy;
    size_t dim, arms;
} copy;
static copy *copies;

/* The row of a policy. */
typedef struct row {
    int64 id, every, n, chain;
    char *description;
} row;

/* ---- errors ----------------------------------------------------------------------------------------------------- */

static int sqlstate_of(tvgp_status status) {
    switch (status) {
    case TVGP_ERR_ARG:
    case TVGP_ERR_OPTION:
    case TVGP_ERR_DIM:
    case TVGP_ERR_NONFINITE:
    case TVGP_ERR_LIMIT:
        return ERRCODE_INVALID_PARAMETER_VALUE;
    case TVGP_ERR_NOTFOUND:
        return ERRCODE_UNDEFINED_OBJECT;
    case TVGP_ERR_STATE:
        return ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE;
    case TVGP_ERR_FORMAT:
    case TVGP_ERR_VERSION:
        return ERRCODE_DATA_CORRUPTED;
    case TVGP_ERR_NOMEM:
        return ERRCODE_OUT_OF_MEMORY;
    case TVGP_ERR_UNSUPPORTED:
        return ERRCODE_FEATURE_NOT_SUPPORTED;
    default:
        return ERRCODE_INTERNAL_ERROR;
    }
}

/* Ends the call if the library refused; the copy, unless it belongs to the session's, is given up. */
static void check(const tvgp_ctx *ctx, tvgp_status status) {
    if (status >= 0)
        return;
    if (status == TVGP_ERR_INTERRUPTED)
        CHECK_FOR_INTERRUPTS();
    ereport(ERROR, (errcode(sqlstate_of(status)),
                    errmsg("%s", ctx && *tvgp_ctx_errmsg(ctx) ? tvgp_ctx_errmsg(ctx) : tvgp_status_name(status))));
}

static int32_t interrupted(void *user) {
    (void)user;
    return InterruptPending && (QueryCancelPending || ProcDiePending);
}

/* ---- statements ------------------------------------------------------------------------------------------------- */

static int run(int which, const Datum *values, const char *nulls) {
    if (!prepared[which]) {
        SPIPlanPtr plan = SPI_prepare(plans[which].text, plans[which].n, (Oid *)plans[which].type);
        if (!plan || SPI_keepplan(plan) != 0)
            elog(ERROR, "tvgp: statement %d could not be prepared", which);
        prepared[which] = plan;
    }
    const int code = SPI_execute_plan(prepared[which], (Datum *)values, nulls, false, 0);
    if (code < 0)
        elog(ERROR, "tvgp: statement %d: %s", which, SPI_result_code_string(code));
    return code;
}

static Datum value_at(uint64 line, int column) {
    bool null;
    const Datum value = SPI_getbinval(SPI_tuptable->vals[line], SPI_tuptable->tupdesc, column, &null);
    if (null)
        ereport(ERROR, (errcode(ERRCODE_DATA_CORRUPTED), errmsg("tvgp: column %d is NULL", column)));
    return value;
}

static void begin(void) {
    if (SPI_connect() != SPI_OK_CONNECT)
        elog(ERROR, "tvgp: SPI_connect failed");
}

/* ---- copies ----------------------------------------------------------------------------------------------------- */

static void discard(copy *c) {
    for (copy **at = &copies; *at; at = &(*at)->next)
        if (*at == c) {
            *at = c->next;
            tvgp_policy_destroy(c->policy);
            tvgp_ctx_destroy(c->ctx);
            free(c);
            return;
        }
}

static int64 chained(int64 chain, const char *line) {
    uint64 h = (uint64)chain ^ UINT64CONST(0xcbf29ce484222325);
    for (; *line; line++)
        h = (h ^ (unsigned char)*line) * UINT64CONST(0x100000001b3);
    return (int64)h;
}

/* A copy in the state before the first event, in the list of the session. */
static copy *make(int64 id, const char *description, int64 every) {
    tvgp_domain *domain = NULL;
    copy *c = calloc(1, sizeof *c);
    if (!c || tvgp_ctx_create(NULL, &c->ctx) != TVGP_OK) {
        free(c);
        ereport(ERROR, (errcode(ERRCODE_OUT_OF_MEMORY), errmsg("tvgp: out of memory")));
    }
    c->id = id;
    c->every = every;
    c->next = copies;
    copies = c;
    check(c->ctx, tvgp_ctx_set_quota(c->ctx, MOST_BYTES, MOST_ARMS, 0));
    check(c->ctx, tvgp_ctx_set_interrupt(c->ctx, interrupted, NULL, NULL));
    check(c->ctx, tvgp_policy_create_described(c->ctx, description, &c->policy));
    check(c->ctx, tvgp_policy_domain(c->policy, &domain));
    tvgp_domain_size(domain, &c->arms);
    tvgp_domain_dim(domain, &c->dim);
    tvgp_domain_destroy(domain);
    return c;
}

static pg_attribute_noreturn() void bad_log(int64 n, const char *what) {
    ereport(ERROR, (errcode(ERRCODE_DATA_CORRUPTED), errmsg("tvgp: event " INT64_FORMAT " %s", n, what)));
}

static void load(copy *c, const row *r) {
    const Datum values[] = {Int64GetDatum(r->id), Int64GetDatum(r->n)};
    run(LOAD, values, NULL);
    if (!SPI_processed)
        return;
    const bytea *state = DatumGetByteaPP(value_at(0, 3));
    check(c->ctx, tvgp_policy_load(c->policy, VARDATA_ANY(state), VARSIZE_ANY_EXHDR(state)));
    c->n = DatumGetInt64(value_at(0, 1));
    c->chain = DatumGetInt64(value_at(0, 2));
}

static void replay_line(copy *c, const char *line) {
    tvgp_event e;
    size_t n_x;
    check(c->ctx, tvgp_event_parse(c->ctx, line, 0, &e, NULL, &n_x));
    double *x = palloc((n_x + 1) * sizeof *x);
    check(c->ctx, tvgp_event_parse(c->ctx, line, n_x, &e, x, &n_x));
    check(c->ctx, tvgp_policy_apply(c->policy, &e, 1, n_x ? x : NULL, n_x));
    pfree(x);
}

/* Replays the events behind the copy. false: the copy's own last event is not in the log. */
static bool replay(copy *c, const row *r) {
    const Datum values[] = {Int64GetDatum(c->id), Int64GetDatum(c->n), Int64GetDatum(r->n)};
    const int64 first = c->n;
    run(EVENTS, values, NULL);
    SPITupleTable *table = SPI_tuptable;
    const uint64 lines = SPI_processed;
    for (uint64 i = 0; i < lines; i++) {
        SPI_tuptable = table;
        const int64 n = DatumGetInt64(value_at(i, 1)), chain = DatumGetInt64(value_at(i, 2));
        if (n == first) {
            if (chain != c->chain)
                return false;
            continue;
        }
        char *line = TextDatumGetCString(value_at(i, 3));
        if (n != c->n + 1)
            bad_log(c->n + 1, "is missing in the log");
        if (chained(c->chain, line) != chain)
            bad_log(n, "is damaged: its checksum does not match");
        replay_line(c, line);
        pfree(line);
        c->n = n;
        c->chain = chain;
        c->since++;
    }
    SPI_freetuptable(table);
    if (c->n != r->n)
        bad_log(c->n + 1, "is missing in the log");
    return true;
}

static copy *restore(const row *r) {
    copy *c = make(r->id, r->description, r->every);
    load(c, r);
    if (!replay(c, r) || c->chain != r->chain)
        ereport(ERROR, (errcode(ERRCODE_DATA_CORRUPTED), errmsg("tvgp: the snapshot does not belong to the log")));
    c->valid = true;
    return c;
}

/* The copy of a policy in the newest state. The row is locked if `write`, and the copy is not valid until advance. */
static copy *open_policy(text *name, bool write) {
    const Datum values[] = {PointerGetDatum(name)};
    row r;
    run(write ? LOCK : READ, values, NULL);
    if (!SPI_processed)
        ereport(ERROR, (errcode(ERRCODE_UNDEFINED_OBJECT), errmsg("tvgp: no policy '%.60s'", text_to_cstring(name))));
    r.id = DatumGetInt64(value_at(0, 1));
    r.description = TextDatumGetCString(value_at(0, 2));
    r.every = DatumGetInt32(value_at(0, 3));
    r.n = DatumGetInt64(value_at(0, 4));
    r.chain = DatumGetInt64(value_at(0, 5));
    for (copy *c = copies, *next; c; c = next) { /* an error may have left some, of this policy or of others */
        next = c->next;
        if (!c->valid)
            discard(c);
    }
    copy *c = copies;
    while (c && c->id != r.id)
        c = c->next;
    if (c && c->n < r.n) {
        c->valid = false;
        c->valid = replay(c, &r);
    }
    if (c && (!c->valid || c->n != r.n || c->chain != r.chain)) {
        discard(c);
        c = NULL;
    }
    if (!c)
        c = restore(&r);
    c->valid = !write;
    return c;
}

/* ---- events ----------------------------------------------------------------------------------------------------- */

static void append(copy *c, tvgp_event e, const double *x) {
    size_t needed;
    e.n = c->n + 1;
    check(c->ctx, tvgp_event_format(c->ctx, &e, x, (size_t)e.size, NULL, 0, &needed));
    char *line = palloc(needed);
    check(c->ctx, tvgp_event_format(c->ctx, &e, x, (size_t)e.size, line, needed, &needed));
    c->n++;
    c->chain = chained(c->chain, line);
    c->since++;
    const bool ask = e.kind == TVGP_EVENT_ASK;
    const char nulls[] = {' ', ' ', ' ', ask && e.id ? ' ' : 'n', ask ? ' ' : 'n', ' ', '\0'};
    const Datum values[] = {Int64GetDatum(c->id), Int64GetDatum(c->n), Int64GetDatum(c->chain),
                            Int64GetDatum(e.id),  Float8GetDatum(e.t), CStringGetTextDatum(line)};
    run(APPEND, values, nulls);
}

static void store(copy *c) {
    size_t n = 0;
    check(c->ctx, tvgp_policy_save(c->policy, NULL, 0, &n));
    bytea *state = palloc(VARHDRSZ + n);
    SET_VARSIZE(state, VARHDRSZ + n);
    check(c->ctx, tvgp_policy_save(c->policy, VARDATA(state), n, &n));
    const Datum values[] = {Int64GetDatum(c->id), Int64GetDatum(c->n), Int64GetDatum(c->chain), PointerGetDatum(state)};
    run(STORE, values, NULL);
    c->since = 0;
}

/* Ends a call that changed the policy. */
static void advance(copy *c) {
    const Datum values[] = {Int64GetDatum(c->id), Int64GetDatum(c->n), Int64GetDatum(c->chain)};
    run(ADVANCE, values, NULL);
    if (c->since >= c->every)
        store(c);
    c->valid = true;
}

/* ---- arguments and results -------------------------------------------------------------------------------------- */

static text *name_of(FunctionCallInfo fcinfo) {
    if (PG_ARGISNULL(0))
        ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("tvgp: the name is NULL")));
    return PG_GETARG_TEXT_PP(0);
}

/* Seconds since 1970 unless the argument says. */
static double time_of(FunctionCallInfo fcinfo, int i) {
    return PG_ARGISNULL(i) ? (double)GetCurrentTimestamp() / 1e6 + (POSTGRES_EPOCH_JDATE - UNIX_EPOCH_JDATE) * 86400.
                           : PG_GETARG_FLOAT8(i);
}

static double look(const copy *c, double t) {
    double newest = -INFINITY;
    (void)tvgp_policy_stat(c->policy, "clock", &newest);
    return t > newest ? t : newest;
}

/* The numbers of an array without NULL; n 0: the argument is NULL. */
static const double *numbers_of(FunctionCallInfo fcinfo, int i, size_t *n) {
    *n = 0;
    if (PG_ARGISNULL(i))
        return NULL;
    ArrayType *array = PG_GETARG_ARRAYTYPE_P(i);
    if (ARR_HASNULL(array))
        ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("tvgp: an array has NULL")));
    *n = (size_t)ArrayGetNItems(ARR_NDIM(array), ARR_DIMS(array));
    return (const double *)ARR_DATA_PTR(array);
}

static Datum array_of(size_t n, const double *x) {
    Datum *values = palloc((n + 1) * sizeof *values);
    for (size_t i = 0; i < n; i++)
        values[i] = Float8GetDatum(x[i]);
    return PointerGetDatum(construct_array(values, (int)n, FLOAT8OID, 8, FLOAT8PASSBYVAL, TYPALIGN_DOUBLE));
}

static TupleDesc result_type(FunctionCallInfo fcinfo) {
    TupleDesc type;
    if (get_call_result_type(fcinfo, NULL, &type) != TYPEFUNC_COMPOSITE)
        elog(ERROR, "tvgp: the result is no record");
    return BlessTupleDesc(type);
}

/* ---- functions -------------------------------------------------------------------------------------------------- */

PG_FUNCTION_INFO_V1(tvgp_pg_create);
Datum tvgp_pg_create(PG_FUNCTION_ARGS) {
    const char *given = text_to_cstring(PG_GETARG_TEXT_PP(1));
    const char *description = strstr(given, "time.clamp=") ? given : psprintf("%s time.clamp=1", given);
    const Datum values[] = {PG_GETARG_DATUM(0), CStringGetTextDatum(description), PG_GETARG_DATUM(2)};
    copy *tried = make(0, description, 1);
    discard(tried);
    begin();
    run(CREATE, values, NULL);
    SPI_finish();
    PG_RETURN_VOID();
}

static void set_candidates(copy *c, size_t size, const double *x, size_t means, const double *mean) {
    const size_t n = size / c->dim;
    if (n * c->dim != size || (means && means != n))
        ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("tvgp: candidates or means have another size")));
    double *both = palloc((size + means + 1) * sizeof *both);
    if (size)
        memcpy(both, x, size * sizeof *x);
    if (means)
        memcpy(both + size, mean, means * sizeof *mean);
    check(c->ctx, tvgp_policy_set_candidates(c->policy, n, n ? both : NULL, means ? both + size : NULL));
    append(c,
           (tvgp_event){.kind = TVGP_EVENT_CANDIDATES,
                        .arm = (int64_t)n,
                        .flags = means ? TVGP_EVENT_MEANS : 0,
                        .size = (int64_t)(size + means)},
           both);
}

/* A number among numbered contexts, or a measured context. */
static void set_context(copy *c, size_t n, const double *z) {
    const tvgp_status status = tvgp_policy_set_context_point(c->policy, z, n);
    if (status != TVGP_ERR_UNSUPPORTED || n != 1) {
        check(c->ctx, status);
        append(c, (tvgp_event){.kind = TVGP_EVENT_CONTEXT_POINT, .size = (int64_t)n}, z);
        return;
    }
    if (z[0] != floor(z[0]) || fabs(z[0]) > 1e9)
        ereport(ERROR,
                (errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("tvgp: context %g is no number of a context", z[0])));
    check(c->ctx, tvgp_policy_set_context(c->policy, (int64_t)z[0]));
    append(c, (tvgp_event){.kind = TVGP_EVENT_CONTEXT, .arm = (int64_t)z[0]}, NULL);
}

static int64 epoch(void) {
    static int64 drawn;
    while (!drawn) {
        if (!pg_strong_random(&drawn, sizeof drawn))
            elog(ERROR, "tvgp: no random numbers");
        drawn &= PG_INT64_MAX;
    }
    return drawn;
}

enum { SLATE_MOST = 32, DIM_MOST = 64 };

/* What an ask gave. */
typedef struct asked {
    size_t slate, n, dim; /* items wanted, 0: one query and no slate; queries, 0: nothing to ask */
    tvgp_query q[SLATE_MOST];
    double x[SLATE_MOST * DIM_MOST];
} asked;

static void append_ask(copy *c, double t, const asked *a) {
    const size_t dim = c->dim, each = dim + 2;
    double items[SLATE_MOST * (DIM_MOST + 2)];
    tvgp_event e = {.kind = TVGP_EVENT_ASK, .arm = -1, .t = t, .slate = (int32_t)a->slate};
    if (a->n) {
        e.id = a->q[0].id;
        e.epoch = epoch();
        e.arm = a->q[0].arm;
        e.t = a->q[0].t;
        e.propensity = a->q[0].propensity;
        e.size = (int64_t)(a->slate ? a->n * each : dim);
    }
    for (size_t i = 0; a->slate && i < a->n; i++) {
        items[i * each] = (double)a->q[i].arm;
        items[i * each + 1] = a->q[i].propensity;
        memcpy(items + i * each + 2, a->x + i * dim, dim * sizeof *items);
    }
    append(c, e, a->slate ? items : a->x);
}

/* Arguments from number `at` on: t, candidates, means, context. */
static void ask(FunctionCallInfo fcinfo, int at, asked *a) {
    size_t n, means, n_z;
    const double *candidates = numbers_of(fcinfo, at + 1, &n), *mean = numbers_of(fcinfo, at + 2, &means),
                 *z = numbers_of(fcinfo, at + 3, &n_z), t = time_of(fcinfo, at);
    begin();
    copy *c = open_policy(name_of(fcinfo), true);
    if (z)
        set_context(c, n_z, z);
    if (candidates)
        set_candidates(c, n, candidates, means, mean);
    const tvgp_status status = a->slate ? tvgp_policy_ask_slate(c->policy, t, a->slate, a->q, a->x, &a->n)
                                        : tvgp_policy_ask_one(c->policy, t, a->q, a->x);
    check(c->ctx, status);
    a->n = status != TVGP_OK ? 0 : a->slate ? a->n : 1;
    append_ask(c, t, a);
    if (candidates)
        set_candidates(c, 0, NULL, 0, NULL);
    advance(c);
    a->dim = c->dim;
    SPI_finish();
}

static void query_values(const asked *a, size_t i, Datum *values) {
    values[0] = Int64GetDatum(a->q[i].id);
    values[1] = Int64GetDatum(epoch());
    values[2] = Int64GetDatum(a->q[i].arm);
    values[3] = array_of(a->dim, a->x + i * a->dim);
    values[4] = Float8GetDatum(a->q[i].propensity);
}

PG_FUNCTION_INFO_V1(tvgp_pg_ask);
Datum tvgp_pg_ask(PG_FUNCTION_ARGS) {
    asked *a = palloc0(sizeof *a);
    TupleDesc type = result_type(fcinfo);
    Datum values[5];
    bool nulls[5] = {false};
    ask(fcinfo, 1, a);
    if (!a->n)
        PG_RETURN_NULL();
    query_values(a, 0, values);
    PG_RETURN_DATUM(HeapTupleGetDatum(heap_form_tuple(type, values, nulls)));
}

PG_FUNCTION_INFO_V1(tvgp_pg_ask_slate);
Datum tvgp_pg_ask_slate(PG_FUNCTION_ARGS) {
    asked *a = palloc0(sizeof *a);
    const int32 wanted = PG_ARGISNULL(1) ? 0 : PG_GETARG_INT32(1);
    InitMaterializedSRF(fcinfo, 0);
    ReturnSetInfo *result = (ReturnSetInfo *)fcinfo->resultinfo;
    if (wanted < 1 || wanted > SLATE_MOST)
        ereport(ERROR,
                (errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("tvgp: slate = %d must be in 1..%d", wanted, SLATE_MOST)));
    a->slate = (size_t)wanted;
    ask(fcinfo, 2, a);
    for (size_t i = 0; i < a->n; i++) {
        Datum values[5];
        bool nulls[5] = {false};
        query_values(a, i, values);
        tuplestore_putvalues(result->setResult, result->setDesc, values, nulls);
    }
    return (Datum)0;
}

/* Whether the query waits for an outcome, so that only then the log is searched for it, from its end. */
static bool is_open(const copy *c, int64 id) {
    size_t n = 0;
    check(c->ctx, tvgp_policy_pending(c->policy, 0, NULL, NULL, &n));
    tvgp_query *q = palloc((n + 1) * sizeof *q);
    check(c->ctx, tvgp_policy_pending(c->policy, n, q, NULL, &n));
    for (size_t i = 0; i < n; i++)
        if (q[i].id == id)
            return true;
    return false;
}

/* Whether the open query was asked in this epoch; also if its event was deleted. */
static bool in_epoch(const copy *c, int64 id, int64 of) {
    const Datum values[] = {Int64GetDatum(c->id), Int64GetDatum(id)};
    tvgp_event e;
    size_t n_x;
    run(EPOCH, values, NULL);
    if (!SPI_processed)
        return true;
    check(c->ctx, tvgp_event_parse(c->ctx, TextDatumGetCString(value_at(0, 1)), 0, &e, NULL, &n_x));
    return e.epoch == of;
}

/* Whether the policy took it. */
static bool tell_event(copy *c, tvgp_event e, const double *x) {
    const tvgp_obs obs = {.id = e.id,
                          .outcome = e.outcome,
                          .flags = e.flags,
                          .y = e.y,
                          .t = e.t,
                          .exposure = e.exposure,
                          .reference = e.reference};
    const tvgp_status status = tvgp_policy_tell(c->policy, &obs, x, 1);
    if (status == TVGP_ERR_TICKET) {
        c->valid = true; /* a call that fails changes nothing */
        return false;
    }
    check(c->ctx, status);
    append(c, e, x);
    advance(c);
    return true;
}

/* An argument that may be NULL, a member of the outcome with this flag. */
static void take_member(FunctionCallInfo fcinfo, int i, uint32 flag, double *member, tvgp_event *e) {
    if (PG_ARGISNULL(i))
        return;
    e->flags |= flag;
    *member = PG_GETARG_FLOAT8(i);
}

PG_FUNCTION_INFO_V1(tvgp_pg_tell);
Datum tvgp_pg_tell(PG_FUNCTION_ARGS) {
    const bool lost = PG_ARGISNULL(2), timed = !PG_ARGISNULL(3);
    const int64 id = PG_ARGISNULL(1) ? 0 : PG_GETARG_INT64(1);
    tvgp_event e = {.kind = TVGP_EVENT_TELL,
                    .id = id,
                    .outcome = lost ? TVGP_SKIPPED : TVGP_VALUE,
                    .flags = timed ? TVGP_OBS_HAS_TIME : 0,
                    .y = lost ? 0 : PG_GETARG_FLOAT8(2),
                    .t = timed ? PG_GETARG_FLOAT8(3) : 0};
    bool taken = false;
    take_member(fcinfo, 5, TVGP_OBS_HAS_EXPOSURE, &e.exposure, &e);
    take_member(fcinfo, 6, TVGP_OBS_HAS_REFERENCE, &e.reference, &e);
    begin();
    copy *c = open_policy(name_of(fcinfo), true);
    if (id < 1 || (!PG_ARGISNULL(4) && (!is_open(c, id) || !in_epoch(c, id, PG_GETARG_INT64(4)))))
        c->valid = true;
    else
        taken = tell_event(c, e, NULL);
    SPI_finish();
    PG_RETURN_BOOL(taken);
}

PG_FUNCTION_INFO_V1(tvgp_pg_observe);
Datum tvgp_pg_observe(PG_FUNCTION_ARGS) {
    size_t n;
    const double *x = numbers_of(fcinfo, 1, &n);
    if (!x || PG_ARGISNULL(2))
        ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("tvgp: observe needs a point and an outcome")));
    tvgp_event e = {.kind = TVGP_EVENT_TELL,
                    .flags = TVGP_OBS_HAS_TIME,
                    .y = PG_GETARG_FLOAT8(2),
                    .t = time_of(fcinfo, 3),
                    .size = (int64_t)n};
    take_member(fcinfo, 4, TVGP_OBS_HAS_EXPOSURE, &e.exposure, &e);
    take_member(fcinfo, 5, TVGP_OBS_HAS_REFERENCE, &e.reference, &e);
    begin();
    copy *c = open_policy(name_of(fcinfo), true);
    if (n != c->dim)
        ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
                        errmsg("tvgp: the point has %zu coordinates, expected %zu", n, c->dim)));
    tell_event(c, e, x);
    SPI_finish();
    PG_RETURN_BOOL(true);
}

/* ---- a budget ----------------------------------------------------------------------------------------------------- */

PG_FUNCTION_INFO_V1(tvgp_pg_set_budget);
Datum tvgp_pg_set_budget(PG_FUNCTION_ARGS) {
    const double b[] = {PG_GETARG_FLOAT8(1), PG_GETARG_FLOAT8(2), PG_GETARG_FLOAT8(3)};
    begin();
    copy *c = open_policy(name_of(fcinfo), true);
    check(c->ctx, tvgp_policy_set_budget(c->policy, b[0], b[1], b[2]));
    append(c, (tvgp_event){.kind = TVGP_EVENT_BUDGET, .size = 3}, b);
    advance(c);
    SPI_finish();
    PG_RETURN_VOID();
}

PG_FUNCTION_INFO_V1(tvgp_pg_set_costs);
Datum tvgp_pg_set_costs(PG_FUNCTION_ARGS) {
    size_t n;
    const double *cost = numbers_of(fcinfo, 1, &n);
    begin();
    copy *c = open_policy(name_of(fcinfo), true);
    check(c->ctx, tvgp_policy_set_costs(c->policy, n, cost));
    append(c, (tvgp_event){.kind = TVGP_EVENT_COSTS, .size = (int64_t)n}, cost);
    advance(c);
    SPI_finish();
    PG_RETURN_VOID();
}

PG_FUNCTION_INFO_V1(tvgp_pg_charge);
Datum tvgp_pg_charge(PG_FUNCTION_ARGS) {
    const tvgp_event e = {.kind = TVGP_EVENT_CHARGE, .id = PG_GETARG_INT64(1), .charge = PG_GETARG_FLOAT8(2)};
    begin();
    copy *c = open_policy(name_of(fcinfo), true);
    const tvgp_status status = tvgp_policy_charge(c->policy, e.id, e.charge);
    if (status == TVGP_ERR_TICKET) {
        c->valid = true; /* a call that fails changes nothing */
    } else {
        check(c->ctx, status);
        append(c, e, NULL);
        advance(c);
    }
    SPI_finish();
    PG_RETURN_BOOL(status == TVGP_OK);
}

/* ---- questions ---------------------------------------------------------------------------------------------------- */

/* uniform, arm=3, or the description of a policy. */
static tvgp_policy *target_of(copy *c, const char *text, int64_t *arm) {
    tvgp_policy *target = NULL;
    *arm = -1;
    if (strncmp(text, "arm=", 4) == 0)
        *arm = strtoll(text + 4, NULL, 10);
    else if (strcmp(text, "uniform") != 0)
        check(c->ctx, tvgp_policy_create_described(c->ctx, text, &target));
    return target;
}

/* All events of a policy from the first on; x: their numbers, which become n_x. */
static tvgp_event *read_events(copy *c, int64 last, size_t *n, double **x, size_t *n_x) {
    const Datum values[] = {Int64GetDatum(c->id), Int64GetDatum(1), Int64GetDatum(last)};
    size_t room = 1024;
    run(EVENTS, values, NULL);
    SPITupleTable *table = SPI_tuptable;
    *n = (size_t)SPI_processed;
    *n_x = 0;
    *x = palloc(room * sizeof **x);
    tvgp_event *e = palloc((*n + 1) * sizeof *e);
    for (size_t i = 0; i < *n; i++) {
        size_t needed;
        SPI_tuptable = table;
        char *line = TextDatumGetCString(value_at(i, 3));
        if (DatumGetInt64(value_at(i, 1)) != (int64)i + 1)
            bad_log((int64)i + 1, "is missing in the log");
        check(c->ctx, tvgp_event_parse(c->ctx, line, 0, &e[i], NULL, &needed));
        while (room < *n_x + needed)
            *x = repalloc_huge(*x, (room *= 2) * sizeof **x);
        check(c->ctx, tvgp_event_parse(c->ctx, line, needed, &e[i], *x + *n_x, &needed));
        *n_x += needed;
        pfree(line);
    }
    return e;
}

PG_FUNCTION_INFO_V1(tvgp_pg_estimate_policy_value);
Datum tvgp_pg_estimate_policy_value(PG_FUNCTION_ARGS) {
    const Datum name[] = {PointerGetDatum(name_of(fcinfo))};
    tvgp_value_estimate v = {.struct_size = sizeof v};
    TupleDesc type = result_type(fcinfo);
    size_t n, n_x;
    double *x;
    int64_t arm;
    begin();
    run(READ, name, NULL);
    if (!SPI_processed)
        ereport(ERROR, (errcode(ERRCODE_UNDEFINED_OBJECT),
                        errmsg("tvgp: no policy '%.60s'", text_to_cstring(DatumGetTextPP(name[0])))));
    const int64 last = DatumGetInt64(value_at(0, 4)), id = DatumGetInt64(value_at(0, 1));
    copy *c = make(0, TextDatumGetCString(value_at(0, 2)), 1); /* not valid: an error leaves it to the next call */
    c->id = id;
    tvgp_event *e = read_events(c, last, &n, &x, &n_x);
    tvgp_policy *target = target_of(c, text_to_cstring(PG_GETARG_TEXT_PP(1)), &arm);
    const tvgp_status status = tvgp_estimate_events(c->policy, target, arm, e, n, x, n_x, PG_GETARG_FLOAT8(2), &v);
    tvgp_policy_destroy(target);
    check(c->ctx, status);
    discard(c);
    SPI_finish();
    Datum values[] = {Int64GetDatum((int64)v.used), Int64GetDatum((int64)v.missing), Float8GetDatum(v.dm),
                      Float8GetDatum(v.dr),         Float8GetDatum(v.dr_se),         Float8GetDatum(v.ips),
                      Float8GetDatum(v.ips_se),     Float8GetDatum(v.snips),         Float8GetDatum(v.snips_se),
                      Float8GetDatum(v.ess),        Float8GetDatum(v.mean_weight),   Float8GetDatum(v.expected),
                      BoolGetDatum(v.reliable != 0)};
    bool nulls[sizeof values / sizeof *values] = {false};
    PG_RETURN_DATUM(HeapTupleGetDatum(heap_form_tuple(type, values, nulls)));
}

/* Questions are put to a twin, because a prediction at another time moves the state by rounding. Its memory belongs to the copy's
 * context and is given back here; an error before that ends with the copy. */
static tvgp_policy *twin_of(copy *c) {
    tvgp_policy *twin = NULL;
    check(c->ctx, tvgp_policy_clone(c->policy, &twin));
    return twin;
}

PG_FUNCTION_INFO_V1(tvgp_pg_best);
Datum tvgp_pg_best(PG_FUNCTION_ARGS) {
    double x[64] = {0}, mean = 0, var = 0;
    int64_t arm = -1;
    TupleDesc type = result_type(fcinfo);
    begin();
    copy *c = open_policy(name_of(fcinfo), false);
    const double t = look(c, time_of(fcinfo, 1));
    tvgp_policy *twin = twin_of(c);
    tvgp_status status = tvgp_policy_best(twin, t, &arm, x);
    if (status == TVGP_OK)
        status = tvgp_policy_predict(twin, t, 1, x, &mean, &var);
    tvgp_policy_destroy(twin);
    check(c->ctx, status);
    const size_t dim = c->dim;
    SPI_finish();
    Datum values[] = {Int64GetDatum(arm), array_of(dim, x), Float8GetDatum(mean), Float8GetDatum(sqrt(var))};
    bool nulls[4] = {false};
    PG_RETURN_DATUM(HeapTupleGetDatum(heap_form_tuple(type, values, nulls)));
}

/* Arms with their mean and standard deviation, or with their probability and share. */
static tvgp_status find_moments(FunctionCallInfo fcinfo, const copy *c, tvgp_policy *twin, double *mean, double *sd) {
    const tvgp_status status = tvgp_policy_predict(twin, look(c, time_of(fcinfo, 1)), c->arms, NULL, mean, sd);
    for (size_t i = 0; status == TVGP_OK && i < c->arms; i++)
        sd[i] = sqrt(sd[i]);
    return status;
}

static tvgp_status find_shares(FunctionCallInfo fcinfo, const copy *c, tvgp_policy *twin, double *p, double *share) {
    const double t = look(c, time_of(fcinfo, 4));
    const tvgp_status status = tvgp_policy_best_probability(twin, t, c->arms, NULL, PG_GETARG_INT64(1), p);
    return status == TVGP_OK ? tvgp_shares(c->arms, p, PG_GETARG_FLOAT8(2), PG_GETARG_FLOAT8(3), share) : status;
}

static void put_arms(FunctionCallInfo fcinfo,
                     tvgp_status (*find)(FunctionCallInfo, const copy *, tvgp_policy *, double *, double *)) {
    tvgp_domain *domain = NULL;
    InitMaterializedSRF(fcinfo, 0);
    ReturnSetInfo *result = (ReturnSetInfo *)fcinfo->resultinfo;
    begin();
    copy *c = open_policy(name_of(fcinfo), false);
    const size_t n = c->arms, dim = c->dim;
    double *first = palloc((n * (dim + 2) + 1) * sizeof *first), *second = first + n, *x = second + n;
    tvgp_policy *twin = twin_of(c);
    tvgp_status status = tvgp_policy_domain(twin, &domain);
    for (size_t i = 0; status == TVGP_OK && i < n; i++)
        status = tvgp_domain_point(domain, (int64_t)i, x + i * dim);
    tvgp_domain_destroy(domain);
    if (status == TVGP_OK)
        status = find(fcinfo, c, twin, first, second);
    tvgp_policy_destroy(twin);
    check(c->ctx, status);
    for (size_t i = 0; i < n; i++) {
        Datum values[] = {Int64GetDatum((int64)i), array_of(dim, x + i * dim), Float8GetDatum(first[i]),
                          Float8GetDatum(second[i])};
        bool nulls[4] = {false};
        tuplestore_putvalues(result->setResult, result->setDesc, values, nulls);
    }
    SPI_finish();
}

PG_FUNCTION_INFO_V1(tvgp_pg_arms);
Datum tvgp_pg_arms(PG_FUNCTION_ARGS) {
    put_arms(fcinfo, find_moments);
    return (Datum)0;
}

PG_FUNCTION_INFO_V1(tvgp_pg_shares);
Datum tvgp_pg_shares(PG_FUNCTION_ARGS) {
    const double power = PG_GETARG_FLOAT8(2), floor_ = PG_GETARG_FLOAT8(3), one = 1;
    double share;
    if (tvgp_shares(1, &one, power, floor_, &share) != TVGP_OK)
        ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
                        errmsg("tvgp: power = %g must be in [0.1, 100], floor = %g in [0, 1]", power, floor_)));
    put_arms(fcinfo, find_shares);
    return (Datum)0;
}

PG_FUNCTION_INFO_V1(tvgp_pg_stat);
Datum tvgp_pg_stat(PG_FUNCTION_ARGS) {
    double value;
    const char *key = text_to_cstring(PG_GETARG_TEXT_PP(1));
    begin();
    copy *c = open_policy(name_of(fcinfo), false);
    check(c->ctx, tvgp_policy_stat(c->policy, key, &value));
    SPI_finish();
    PG_RETURN_FLOAT8(value);
}

PG_FUNCTION_INFO_V1(tvgp_pg_state);
Datum tvgp_pg_state(PG_FUNCTION_ARGS) {
    size_t n = 0;
    begin();
    copy *c = open_policy(name_of(fcinfo), false);
    check(c->ctx, tvgp_policy_save(c->policy, NULL, 0, &n));
    bytea *state = SPI_palloc(VARHDRSZ + n);
    SET_VARSIZE(state, VARHDRSZ + n);
    check(c->ctx, tvgp_policy_save(c->policy, VARDATA(state), n, &n));
    SPI_finish();
    PG_RETURN_BYTEA_P(state);
}

PG_FUNCTION_INFO_V1(tvgp_pg_trim);
Datum tvgp_pg_trim(PG_FUNCTION_ARGS) {
    begin();
    copy *c = open_policy(name_of(fcinfo), true);
    const Datum values[] = {Int64GetDatum(c->id), PG_GETARG_DATUM(1)};
    run(TRIM, values, NULL);
    const int64 deleted = (int64)SPI_processed;
    c->valid = true;
    SPI_finish();
    PG_RETURN_INT64(deleted);
}
