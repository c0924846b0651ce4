/* SPDX-License-Identifier: MIT */
/* Policies inside PostgreSQL, as an extension (docs/guide/postgresql.md): a store (tvgp/store.h) in three tables. All functions of
 * SQL are one of C, which makes the call of their name with their arguments, and fills columns by their names. The functions of the
 * store catch the errors of the server, because none may pass through the library; they are raised again when the call has ended. */
#include <postgres.h>

#include <catalog/pg_proc.h>
#include <catalog/pg_type.h>
#include <executor/spi.h>
#include <fmgr.h>
#include <funcapi.h>
#include <miscadmin.h>
#include <utils/array.h>
#include <utils/builtins.h>
#include <utils/lsyscache.h>
#include <utils/syscache.h>
#include <utils/timestamp.h>

#include <math.h>
#include <tvgp.h>
#include <tvgp/store.h>

PG_MODULE_MAGIC;

enum { MOST_BYTES = 256 << 20, MOST_ARMS = 1000000, LINES = 1000, FAILED = -1000, MOST_ARGUMENTS = 16 };

enum { LOCK, READ, EVENTS, APPEND, ADVANCE, LOAD, STORE, CREATE, TRIM, DROP, PLANS };
static const struct {
    const char *text;
    int n;
    Oid type[4];
} plans[PLANS] = {
    [LOCK] = {"SELECT id, n, chain, snapshot_every, description FROM tvgp.policy WHERE name = $1 FOR NO KEY UPDATE",
              1,
              {TEXTOID}},
    [READ] = {"SELECT id, n, chain, snapshot_every, description FROM tvgp.policy WHERE name = $1", 1, {TEXTOID}},
    [EVENTS] = {"SELECT n, chain, line FROM tvgp.event WHERE policy = $1 AND n BETWEEN $2 AND $3 ORDER BY n LIMIT 1000",
                3,
                {INT8OID, INT8OID, INT8OID}},
    [APPEND] =
        {"INSERT INTO tvgp.event VALUES ($1, $2, $3, $4) ON CONFLICT (policy, n) DO UPDATE SET chain = excluded.chain,"
         " line = excluded.line",
         4,
         {INT8OID, INT8OID, INT8OID, TEXTOID}},
    [ADVANCE] = {"UPDATE tvgp.policy SET n = $2, chain = $3 WHERE id = $1", 3, {INT8OID, INT8OID, INT8OID}},
    [LOAD] = {"SELECT n, chain, state FROM tvgp.snapshot WHERE policy = $1", 1, {INT8OID}},
    [STORE] = {"INSERT INTO tvgp.snapshot VALUES ($1, $2, $3, $4) ON CONFLICT (policy)"
               " DO UPDATE SET n = excluded.n, chain = excluded.chain, state = excluded.state",
               4,
               {INT8OID, INT8OID, INT8OID, BYTEAOID}},
    [CREATE] = {"INSERT INTO tvgp.policy(name, description, snapshot_every, chain) VALUES ($1, $2, $3, $4)",
                4,
                {TEXTOID, TEXTOID, INT8OID, INT8OID}},
    [TRIM] = {"DELETE FROM tvgp.event WHERE policy = $1 AND n < $2", 2, {INT8OID, INT8OID}},
    [DROP] = {"WITH e AS (DELETE FROM tvgp.event WHERE policy = $1), s AS (DELETE FROM tvgp.snapshot WHERE policy = $1)"
              " DELETE FROM tvgp.policy WHERE id = $1",
              1,
              {INT8OID}},
};
static SPIPlanPtr prepared[PLANS];
static tvgp_ctx *library;
static tvgp_store *store;
static ErrorData *failure; /* of the server, during a call: the object of the store */

/* ---- the store -------------------------------------------------------------------------------------------------- */

/* What a function of the store was given. */
typedef struct step {
    const char *name;
    int32_t write, status;
    int64_t id, first, last, chain;
    size_t n;
    tvgp_store_row *row;
    const tvgp_store_row *written;
    const char *const *lines;
    const int64_t *chains;
    const void *bytes;
    tvgp_store *reader;
} step;

/* Does the work, and keeps an error of the server for the end of the call. */
static int32_t attempt(void *user, void (*work)(step *), step s) {
    const MemoryContext context = CurrentMemoryContext;
    volatile int32_t failed = 0;
    PG_TRY();
    { work(&s); }
    PG_CATCH();
    {
        MemoryContextSwitchTo(context);
        *(ErrorData **)user = CopyErrorData();
        FlushErrorState();
        failed = FAILED;
    }
    PG_END_TRY();
    return failed ? failed : s.status;
}

static void run(int which, const Datum *values) {
    if (!prepared[which]) {
        SPIPlanPtr plan = SPI_prepare(plans[which].text, plans[which].n, (Oid *)plans[which].type);
        if (!plan || SPI_keepplan(plan) != 0)
            elog(ERROR, "tvgp: statement %d could not be prepared", which);
        prepared[which] = plan;
    }
    const int code = SPI_execute_plan(prepared[which], (Datum *)values, NULL, false, 0);
    if (code < 0)
        elog(ERROR, "tvgp: statement %d: %s", which, SPI_result_code_string(code));
}

static Datum value_at(const SPITupleTable *table, uint64 line, int column) {
    bool null;
    const Datum value = SPI_getbinval(table->vals[line], table->tupdesc, column, &null);
    if (null)
        ereport(ERROR, (errcode(ERRCODE_DATA_CORRUPTED), errmsg("tvgp: column %d is NULL", column)));
    return value;
}

static void find(step *s) {
    const Datum values[] = {CStringGetTextDatum(s->name)};
    run(s->write ? LOCK : READ, values);
    *s->row = (tvgp_store_row){0};
    if (SPI_processed)
        *s->row = (tvgp_store_row){DatumGetInt64(value_at(SPI_tuptable, 0, 1)), DatumGetInt64(value_at(SPI_tuptable, 0, 2)),
                                   DatumGetInt64(value_at(SPI_tuptable, 0, 3)), DatumGetInt64(value_at(SPI_tuptable, 0, 4)),
                                   TextDatumGetCString(value_at(SPI_tuptable, 0, 5))};
}

static int32_t read_description(void *user, const char *name, int32_t write, tvgp_store_row *row) {
    return attempt(user, find, (step){.name = name, .write = write, .row = row});
}

static void pass_lines(step *s) {
    uint64 lines = LINES;
    while (lines == LINES && s->status == 0 && s->first <= s->last) {
        const Datum values[] = {Int64GetDatum(s->id), Int64GetDatum(s->first), Int64GetDatum(s->last)};
        run(EVENTS, values);
        SPITupleTable *table = SPI_tuptable;
        lines = SPI_processed;
        for (uint64 i = 0; i < lines && s->status == 0; i++) {
            char *line = TextDatumGetCString(value_at(table, i, 3));
            s->first = DatumGetInt64(value_at(table, i, 1));
            s->status = tvgp_store_take_event(s->reader, s->first++, DatumGetInt64(value_at(table, i, 2)), line);
            pfree(line);
        }
        SPI_freetuptable(table);
        CHECK_FOR_INTERRUPTS();
    }
    if (s->status > 0)
        s->status = 0;
}

static int32_t read_events(void *user, int64_t id, int64_t first, int64_t last, tvgp_store *reader) {
    return attempt(user, pass_lines, (step){.id = id, .first = first, .last = last, .reader = reader});
}

static void write_lines(step *s) {
    const tvgp_store_row *r = s->written;
    if (r->id == 0) {
        const Datum values[] = {CStringGetTextDatum(s->name), CStringGetTextDatum(r->description),
                                Int64GetDatum(r->snapshot_every), Int64GetDatum(r->chain)};
        run(CREATE, values);
        return;
    }
    for (size_t i = 0; i < s->n; i++) {
        const Datum values[] = {Int64GetDatum(r->id), Int64GetDatum(r->n - (int64)s->n + 1 + (int64)i),
                                Int64GetDatum(s->chains[i]), CStringGetTextDatum(s->lines[i])};
        run(APPEND, values);
    }
    const Datum values[] = {Int64GetDatum(r->id), Int64GetDatum(r->n), Int64GetDatum(r->chain)};
    run(ADVANCE, values);
}

static int32_t append(void *user, const char *name, const tvgp_store_row *row, size_t n, const char *const *lines,
                      const int64_t *chains) {
    return attempt(user, write_lines, (step){.name = name, .written = row, .n = n, .lines = lines, .chains = chains});
}

static void pass_snapshot(step *s) {
    const Datum values[] = {Int64GetDatum(s->id)};
    run(LOAD, values);
    if (!SPI_processed)
        return;
    const bytea *state = DatumGetByteaPP(value_at(SPI_tuptable, 0, 3));
    s->status =
        tvgp_store_take_snapshot(s->reader, DatumGetInt64(value_at(SPI_tuptable, 0, 1)),
                                 DatumGetInt64(value_at(SPI_tuptable, 0, 2)), VARSIZE_ANY_EXHDR(state), VARDATA_ANY(state));
}

static int32_t read_snapshot(void *user, int64_t id, tvgp_store *reader) {
    return attempt(user, pass_snapshot, (step){.id = id, .reader = reader});
}

static bytea *bytea_of(const void *bytes, size_t n) {
    bytea *made = palloc(VARHDRSZ + n);
    SET_VARSIZE(made, VARHDRSZ + n);
    memcpy(VARDATA(made), bytes, n);
    return made;
}

static void keep_snapshot(step *s) {
    const Datum values[] = {Int64GetDatum(s->id), Int64GetDatum(s->last), Int64GetDatum(s->chain),
                            PointerGetDatum(bytea_of(s->bytes, s->n))};
    run(STORE, values);
}

static int32_t write_snapshot(void *user, int64_t id, int64_t n, int64_t chain, size_t size, const void *bytes) {
    return attempt(user, keep_snapshot, (step){.id = id, .last = n, .chain = chain, .bytes = bytes, .n = size});
}

static void delete_lines(step *s) {
    const Datum values[] = {Int64GetDatum(s->id), Int64GetDatum(s->first)};
    run(s->first ? TRIM : DROP, values);
}

static int32_t remove_lines(void *user, int64_t id, int64_t first) {
    return attempt(user, delete_lines, (step){.id = id, .first = first});
}

static double seconds(void *user) {
    (void)user;
    return (double)GetCurrentTimestamp() / 1e6 + (POSTGRES_EPOCH_JDATE - UNIX_EPOCH_JDATE) * 86400.;
}

static int32_t interrupted(void *user) {
    (void)user;
    return InterruptPending && (QueryCancelPending || ProcDiePending);
}

/* ---- errors ----------------------------------------------------------------------------------------------------- */

static const struct {
    tvgp_status status;
    int code;
} codes[] = {{TVGP_ERR_NOTFOUND, ERRCODE_UNDEFINED_OBJECT},
             {TVGP_ERR_STATE, ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE},
             {TVGP_ERR_REENTRANT, ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE},
             {TVGP_ERR_FORMAT, ERRCODE_DATA_CORRUPTED},
             {TVGP_ERR_VERSION, ERRCODE_DATA_CORRUPTED},
             {TVGP_ERR_NOMEM, ERRCODE_OUT_OF_MEMORY},
             {TVGP_ERR_UNSUPPORTED, ERRCODE_FEATURE_NOT_SUPPORTED},
             {TVGP_ERR_NUMERIC, ERRCODE_INTERNAL_ERROR},
             {TVGP_ERR_CALLBACK, ERRCODE_INTERNAL_ERROR}};

/* Raises the error of the call of this name, which begins its message, if there is one. */
static void check(const char *call, tvgp_status status) {
    ErrorData *raised = failure;
    failure = NULL;
    if (raised)
        ReThrowError(raised);
    if (status >= 0)
        return;
    if (status == TVGP_ERR_INTERRUPTED)
        CHECK_FOR_INTERRUPTS();
    const char *text = library ? tvgp_ctx_errmsg(library) : "";
    int code = ERRCODE_INVALID_PARAMETER_VALUE;
    for (size_t i = 0; i < lengthof(codes); i++)
        if (codes[i].status == status)
            code = codes[i].code;
    ereport(ERROR, (errcode(code), errmsg("tvgp%s%s", *call && strncmp(text, call, strlen(call)) == 0 ? "." : ": ",
                                          *text ? text : tvgp_status_name(status))));
}

static void open_store(void) {
    /* no lock: the transaction is the caller's, and an error of the call ends it */
    tvgp_store_type functions = {.struct_size = sizeof functions,
                                 .read_description = read_description,
                                 .read_events = read_events,
                                 .append = append,
                                 .read_snapshot = read_snapshot,
                                 .write_snapshot = write_snapshot,
                                 .remove = remove_lines,
                                 .now = seconds};
    if (!pg_strong_random(&functions.epoch, sizeof functions.epoch))
        elog(ERROR, "tvgp: no random numbers");
    functions.epoch = (functions.epoch & INT64CONST(0x1fffffffffffff)) | 1;
    if (!library)
        check("", tvgp_ctx_create(NULL, &library));
    check("", tvgp_ctx_set_quota(library, MOST_BYTES, MOST_ARMS, 0));
    check("", tvgp_ctx_set_interrupt(library, interrupted, NULL, NULL));
    check("", tvgp_store_open(library, &functions, &failure, NULL, &store));
}

/* ---- arguments -------------------------------------------------------------------------------------------------- */

/* A function of SQL: its name and those of its arguments. */
typedef struct signature {
    char *call;
    int n;
    char *name[MOST_ARGUMENTS];
    Oid type[MOST_ARGUMENTS];
} signature;

static signature *signature_of(FmgrInfo *function) {
    signature *s = function->fn_extra;
    Oid *types;
    char **names, *modes;
    if (s)
        return s;
    const MemoryContext context = MemoryContextSwitchTo(function->fn_mcxt);
    HeapTuple row = SearchSysCache1(PROCOID, ObjectIdGetDatum(function->fn_oid));
    if (!HeapTupleIsValid(row))
        elog(ERROR, "tvgp: no function %u", function->fn_oid);
    s = palloc0(sizeof *s);
    s->call = pstrdup(NameStr(((Form_pg_proc)GETSTRUCT(row))->proname));
    const int n = get_func_arg_info(row, &types, &names, &modes);
    for (int i = 0; i < n && s->n < MOST_ARGUMENTS; i++)
        if (!modes || modes[i] == PROARGMODE_IN) {
            s->name[s->n] = names[i];
            s->type[s->n++] = types[i];
        }
    ReleaseSysCache(row);
    MemoryContextSwitchTo(context);
    return function->fn_extra = s;
}

static void add_numbers(StringInfo text, const double **x, int dims, const int *size) {
    for (int i = 0; i < *size; i++) {
        appendStringInfoString(text, i ? "," : "[");
        if (dims > 1)
            add_numbers(text, x, dims - 1, size + 1);
        else
            appendStringInfo(text, "%.17g", *(*x)++);
    }
    appendStringInfoString(text, *size ? "]" : "[]");
}

/* An array as JSON. */
static char *list_of(ArrayType *array) {
    StringInfoData text;
    const double *x = (const double *)ARR_DATA_PTR(array);
    const int none = 0;
    if (ARR_HASNULL(array))
        ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("tvgp: an array has NULL")));
    initStringInfo(&text);
    add_numbers(&text, &x, ARR_NDIM(array), ARR_NDIM(array) ? ARR_DIMS(array) : &none);
    return text.data;
}

static const char *text_of(Oid type, Datum value) {
    Oid output;
    bool varlena;
    if (type == FLOAT8OID)
        return psprintf("%.17g", DatumGetFloat8(value));
    if (type == BOOLOID)
        return DatumGetBool(value) ? "true" : "false";
    if (type == FLOAT8ARRAYOID)
        return list_of(DatumGetArrayTypeP(value));
    getTypeOutputInfo(type, &output, &varlena);
    return OidOutputFunctionCall(output, value);
}

/* ---- results ---------------------------------------------------------------------------------------------------- */

static Datum array_of(size_t n, const double *x) {
    Datum *values = palloc((n + 1) * sizeof *values);
    for (size_t i = 0; i < n; i++)
        values[i] = Float8GetDatum(x[i]);
    return PointerGetDatum(construct_array(values, (int)n, FLOAT8OID, 8, FLOAT8PASSBYVAL, TYPALIGN_DOUBLE));
}

#define OF(member)                                                                                                          \
    { #member, v->member }

/* Entry i of a reply in the column of this name. */
static Datum column_of(const char *name, const tvgp_store_reply *r, size_t i, bool *null) {
    const tvgp_value_estimate *v = &r->estimate;
    const struct {
        const char *name;
        double value;
    } estimates[] = {OF(dm),    OF(dr),       OF(dr_se), OF(ips),      OF(ips_se),
                     OF(snips), OF(snips_se), OF(ess),   OF(expected), OF(mean_weight)};
    *null = strcmp(name, "action") == 0 && !r->name;
    if (*null)
        return (Datum)0;
    if (strcmp(name, "action") == 0)
        return CStringGetTextDatum(r->name[i]);
    if (strcmp(name, "id") == 0)
        return Int64GetDatum(r->id[i]);
    if (strcmp(name, "epoch") == 0)
        return Int64GetDatum(r->epoch);
    if (strcmp(name, "arm") == 0)
        return Int64GetDatum(r->arm[i]);
    if (strcmp(name, "x") == 0)
        return array_of(r->dim, r->x + i * r->dim);
    if (strcmp(name, "propensity") == 0 || strcmp(name, "mean") == 0 || strcmp(name, "probability") == 0)
        return Float8GetDatum(r->first[i]);
    if (strcmp(name, "sd") == 0 || strcmp(name, "share") == 0)
        return Float8GetDatum(r->second[i]);
    if (strcmp(name, "used") == 0 || strcmp(name, "missing") == 0)
        return Int64GetDatum((int64)(*name == 'u' ? v->used : v->missing));
    for (size_t k = 0; k < lengthof(estimates); k++)
        if (strcmp(name, estimates[k].name) == 0)
            return Float8GetDatum(estimates[k].value);
    return BoolGetDatum(v->reliable != 0);
}

static HeapTuple row_of(TupleDesc type, const tvgp_store_reply *r, size_t i) {
    Datum *values = palloc0(sizeof *values * (size_t)type->natts);
    bool *nulls = palloc0(sizeof *nulls * (size_t)type->natts);
    for (int k = 0; k < type->natts; k++)
        values[k] = column_of(NameStr(TupleDescAttr(type, k)->attname), r, i, &nulls[k]);
    return heap_form_tuple(type, values, nulls);
}

static Datum result_of(FunctionCallInfo fcinfo, const tvgp_store_reply *r) {
    TupleDesc type;
    Oid scalar;
    ReturnSetInfo *result = (ReturnSetInfo *)fcinfo->resultinfo;
    if (r->list) {
        InitMaterializedSRF(fcinfo, 0);
        for (size_t i = 0; i < r->n; i++)
            tuplestore_puttuple(result->setResult, row_of(result->setDesc, r, i));
        return (Datum)0;
    }
    if (get_call_result_type(fcinfo, &scalar, &type) == TYPEFUNC_COMPOSITE) {
        if (r->n == 0 && !r->estimate.struct_size)
            PG_RETURN_NULL();
        PG_RETURN_DATUM(HeapTupleGetDatum(row_of(BlessTupleDesc(type), r, 0)));
    }
    if (scalar == BYTEAOID)
        PG_RETURN_BYTEA_P(bytea_of(r->bytes, r->size));
    if (scalar == FLOAT8OID)
        PG_RETURN_FLOAT8(r->value);
    return scalar == BOOLOID ? BoolGetDatum(r->taken != 0) : Int64GetDatum(r->taken); /* of void, it is not read */
}

PG_FUNCTION_INFO_V1(tvgp_pg_call);
Datum tvgp_pg_call(PG_FUNCTION_ARGS) {
    const signature *s = signature_of(fcinfo->flinfo);
    const char *key[MOST_ARGUMENTS], *value[MOST_ARGUMENTS];
    size_t n = 0;
    const tvgp_store_reply *r;
    if (PG_ARGISNULL(0))
        ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("tvgp: the name is NULL")));
    for (int i = 1; i < s->n; i++)
        if (!PG_ARGISNULL(i)) {
            key[n] = s->name[i];
            value[n++] = text_of(s->type[i], PG_GETARG_DATUM(i));
        }
    if (!store)
        open_store();
    const char *name = text_to_cstring(PG_GETARG_TEXT_PP(0));
    if (SPI_connect() != SPI_OK_CONNECT)
        elog(ERROR, "tvgp: SPI_connect failed");
    check(s->call, tvgp_store_call(store, s->call, name, n, key, value, &r));
    SPI_finish();
    return result_of(fcinfo, r);
}
