/* SPDX-License-Identifier: MIT */
/* A C module for Lua 5.1 to 5.4 and LuaJIT, where `require "ffi"` is missing or the shared library must not be loaded (HAProxy,
 * nginx): local tvgp = require "tvgp". Policies are created from descriptions (docs/reference/protocol.md#descriptions-a-policy-in-one-line); an error of the library is an
 * error of Lua with its message.
 *   p = tvgp.create("tv-gp-ucb grid=0:1:11 se=.2")
 *   id, arm, x, propensity = p:ask(t)    nil: nothing can be asked now
 *   items = p:ask_slate(t, k)            up to k tables with id, arm, x and propensity
 *   taken = p:tell(id, y, t, exposure, reference)    y nil: no outcome will come; those after it may be left out
 *   taken = p:fail(id)                   the evaluation failed
 *   ids = p:pending()                    queries without an outcome, oldest first
 *   p:observe(x, y, t)                   an unsolicited observation
 *   arm, x, mean, sd = p:best(t)
 *   mean, sd = p:predict(t)              of all arms
 *   share, probability = p:shares(t, draws, power, floor)    defaults: 1024, 1, 0
 *   arm = tvgp.assign(share, key, seed)  the arm of the user with this key; seed 0 unless given
 *   p:set_budget(budget, period, asks); p:set_costs(costs); charged = p:charge(id, cost)
 *   p:set_cost_weight(weight)
 *   done = p:fit(pieces)                 does work of later asks, 8 pieces unless given; false: more is left
 *   p:set_payoffs(list)                  of the actions; {}: 1 for all
 *   value = tvgp.off_policy_value(log, target, model, now, half_life)    as in Python; log holds the lists t, arm, y, propensity
 *   value = p:stat(key); bytes = p:save(); p:load(bytes); p:apply(line) */
#include <lauxlib.h>
#include <lua.h>

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <tvgp.h>

static const char TYPE[] = "tvgp.policy";

typedef struct object {
    tvgp_ctx *ctx;
    tvgp_policy *policy;
    size_t dim, arms;
    double *x; /* room for a point */
} object;

static object *self(lua_State *L) {
    return luaL_checkudata(L, 1, TYPE);
}

static void check(lua_State *L, const object *o, tvgp_status status) {
    if (status < 0)
        luaL_error(L, "%s", o->ctx && *tvgp_ctx_errmsg(o->ctx) ? tvgp_ctx_errmsg(o->ctx) : tvgp_status_name(status));
}

/* Memory of Lua, so that an error on the way gives it back. */
static double *room(lua_State *L, size_t n) {
    return lua_newuserdata(L, (n + 1) * sizeof(double));
}

static void push_list(lua_State *L, size_t n, const double *x) {
    lua_createtable(L, (int)n, 0);
    for (size_t i = 0; i < n; i++) {
        lua_pushnumber(L, x[i]);
        lua_rawseti(L, -2, (int)i + 1);
    }
}

/* A context that Lua collects, without a policy yet. */
static object *new_object(lua_State *L) {
    object *o = lua_newuserdata(L, sizeof *o);
    memset(o, 0, sizeof *o);
    luaL_getmetatable(L, TYPE);
    lua_setmetatable(L, -2);
    check(L, o, tvgp_ctx_create(NULL, &o->ctx));
    return o;
}

static int create(lua_State *L) {
    const char *text = luaL_checkstring(L, 1);
    tvgp_domain *domain = NULL;
    object *o = new_object(L);
    check(L, o, tvgp_policy_create_described(o->ctx, text, &o->policy));
    check(L, o, tvgp_policy_domain(o->policy, &domain));
    tvgp_domain_dim(domain, &o->dim);
    tvgp_domain_size(domain, &o->arms);
    tvgp_domain_destroy(domain);
    o->x = malloc((o->dim + 1) * sizeof *o->x);
    if (!o->x)
        luaL_error(L, "out of memory");
    return 1;
}

static int destroy(lua_State *L) {
    object *o = self(L);
    tvgp_policy_destroy(o->policy);
    tvgp_ctx_destroy(o->ctx);
    free(o->x);
    memset(o, 0, sizeof *o);
    return 0;
}

static int ask(lua_State *L) {
    object *o = self(L);
    tvgp_query q;
    const tvgp_status status = tvgp_policy_ask_one(o->policy, luaL_checknumber(L, 2), &q, o->x);
    check(L, o, status);
    if (status != TVGP_OK)
        return lua_pushnil(L), 1;
    lua_pushnumber(L, (lua_Number)q.id); /* below 2^53 */
    lua_pushnumber(L, (lua_Number)q.arm);
    push_list(L, o->dim, o->x);
    lua_pushnumber(L, q.propensity);
    return 4;
}

static void set_number(lua_State *L, const char *key, double value) {
    lua_pushnumber(L, value);
    lua_setfield(L, -2, key);
}

enum { SLATE_MOST = 32 };

static int ask_slate(lua_State *L) {
    object *o = self(L);
    const double t = luaL_checknumber(L, 2), k = luaL_checknumber(L, 3);
    tvgp_query q[SLATE_MOST];
    size_t n = 0;
    if (!(k >= 1 && k <= SLATE_MOST && k == floor(k)))
        return luaL_error(L, "k = %f must be an integer in 1..%d", k, SLATE_MOST);
    double *x = room(L, (size_t)k * o->dim);
    check(L, o, tvgp_policy_ask_slate(o->policy, t, (size_t)k, q, x, &n));
    lua_createtable(L, (int)n, 0);
    for (size_t i = 0; i < n; i++) {
        lua_newtable(L);
        set_number(L, "id", (lua_Number)q[i].id);
        set_number(L, "arm", (lua_Number)q[i].arm);
        push_list(L, o->dim, x + i * o->dim);
        lua_setfield(L, -2, "x");
        set_number(L, "propensity", q[i].propensity);
        lua_rawseti(L, -2, (int)i + 1);
    }
    return 1;
}

/* An id of this policy, or one that no query has. */
static int64_t check_id(lua_State *L, int i) {
    const double id = luaL_checknumber(L, i);
    return id >= 1 && id < 0x1p53 ? (int64_t)id : -1;
}

/* Whether the library took an outcome or a cost of the query, which may be closed. */
static int taken(lua_State *L, const object *o, tvgp_status status) {
    if (status != TVGP_ERR_TICKET)
        check(L, o, status);
    lua_pushboolean(L, status == TVGP_OK);
    return 1;
}

/* An argument that may be nil, a member of the outcome with this flag. */
static void take_member(lua_State *L, int i, uint32_t flag, double *member, tvgp_obs *obs) {
    if (lua_isnoneornil(L, i))
        return;
    obs->flags |= flag;
    *member = luaL_checknumber(L, i);
}

static int tell(lua_State *L) {
    object *o = self(L);
    tvgp_obs obs = {.id = check_id(L, 2)};
    if (lua_isnoneornil(L, 3))
        obs.outcome = TVGP_SKIPPED;
    else
        obs.y = luaL_checknumber(L, 3);
    take_member(L, 4, TVGP_OBS_HAS_TIME, &obs.t, &obs);
    take_member(L, 5, TVGP_OBS_HAS_EXPOSURE, &obs.exposure, &obs);
    take_member(L, 6, TVGP_OBS_HAS_REFERENCE, &obs.reference, &obs);
    return taken(L, o, tvgp_policy_tell(o->policy, 1, &obs, NULL));
}

static int fail(lua_State *L) {
    object *o = self(L);
    const tvgp_obs obs = {.id = check_id(L, 2), .outcome = TVGP_FAILED};
    return taken(L, o, tvgp_policy_tell(o->policy, 1, &obs, NULL));
}

static int pending(lua_State *L) {
    object *o = self(L);
    size_t n = 0;
    check(L, o, tvgp_policy_pending(o->policy, 0, NULL, NULL, &n));
    tvgp_query *q = lua_newuserdata(L, (n + 1) * sizeof *q);
    check(L, o, tvgp_policy_pending(o->policy, n, q, NULL, &n));
    lua_createtable(L, (int)n, 0);
    for (size_t i = 0; i < n; i++) {
        lua_pushnumber(L, (lua_Number)q[i].id);
        lua_rawseti(L, -2, (int)i + 1);
    }
    return 1;
}

/* The first n numbers of a list. */
static void check_list(lua_State *L, int i, size_t n, double *x) {
    luaL_checktype(L, i, LUA_TTABLE);
    for (size_t d = 0; d < n; d++) {
        lua_rawgeti(L, i, (int)d + 1);
        x[d] = luaL_checknumber(L, -1);
        lua_pop(L, 1);
    }
}

static size_t length(lua_State *L, int i) {
    luaL_checktype(L, i, LUA_TTABLE);
#if LUA_VERSION_NUM >= 502
    return lua_rawlen(L, i);
#else
    return lua_objlen(L, i);
#endif
}

static int observe(lua_State *L) {
    object *o = self(L);
    if (length(L, 2) != o->dim)
        return luaL_error(L, "x has %d numbers, and a point has %d", (int)length(L, 2), (int)o->dim);
    check_list(L, 2, o->dim, o->x);
    const tvgp_obs obs = {.flags = TVGP_OBS_HAS_TIME, .y = luaL_checknumber(L, 3), .t = luaL_checknumber(L, 4)};
    check(L, o, tvgp_policy_tell(o->policy, 1, &obs, o->x));
    return 0;
}

static int set_budget(lua_State *L) {
    object *o = self(L);
    const double budget = luaL_checknumber(L, 2), period = luaL_checknumber(L, 3), asks = luaL_checknumber(L, 4);
    check(L, o, tvgp_policy_set_budget(o->policy, budget, period, asks));
    return 0;
}

static int set_of_arms(lua_State *L, tvgp_status (*set)(tvgp_policy *, size_t, const double *)) {
    object *o = self(L);
    const size_t n = length(L, 2);
    double *value = room(L, n);
    check_list(L, 2, n, value);
    check(L, o, set(o->policy, n, value));
    return 0;
}

static int set_costs(lua_State *L) {
    return set_of_arms(L, tvgp_policy_set_costs);
}

static int set_cost_weight(lua_State *L) {
    object *o = self(L);
    check(L, o, tvgp_policy_set_cost_weight(o->policy, luaL_checknumber(L, 2)));
    return 0;
}

static int fit(lua_State *L) {
    object *o = self(L);
    const lua_Number pieces = luaL_optnumber(L, 2, 8);
    size_t evals;
    luaL_argcheck(L, pieces >= 1 && pieces <= INT32_MAX && pieces == floor(pieces), 2,
                  "pieces must be an integer in 1..2147483647");
    const tvgp_status status = tvgp_policy_fit(o->policy, (size_t)pieces, &evals);
    if (status != TVGP_ERR_UNSUPPORTED && status != TVGP_ERR_STATE) /* nothing is learned */
        check(L, o, status);
    lua_pushboolean(L, status != TVGP_AGAIN);
    return 1;
}

static int set_payoffs(lua_State *L) {
    return set_of_arms(L, tvgp_policy_set_payoffs);
}

static int charge(lua_State *L) {
    object *o = self(L);
    return taken(L, o, tvgp_policy_charge(o->policy, check_id(L, 2), luaL_checknumber(L, 3)));
}

static int best(lua_State *L) {
    object *o = self(L);
    double mean, var;
    int64_t arm;
    const double t = luaL_checknumber(L, 2);
    check(L, o, tvgp_policy_best(o->policy, t, &arm, o->x));
    check(L, o, tvgp_policy_predict(o->policy, t, 1, o->x, &mean, &var));
    lua_pushnumber(L, (lua_Number)arm);
    push_list(L, o->dim, o->x);
    lua_pushnumber(L, mean);
    lua_pushnumber(L, sqrt(var));
    return 4;
}

static int predict(lua_State *L) {
    object *o = self(L);
    const double t = luaL_checknumber(L, 2);
    double *mean = room(L, 2 * o->arms), *var = mean + o->arms;
    check(L, o, tvgp_policy_predict(o->policy, t, o->arms, NULL, mean, var));
    for (size_t i = 0; i < o->arms; i++)
        var[i] = sqrt(var[i]);
    push_list(L, o->arms, mean);
    push_list(L, o->arms, var);
    return 2;
}

static int shares(lua_State *L) {
    object *o = self(L);
    const double t = luaL_checknumber(L, 2), draws = luaL_optnumber(L, 3, 1024);
    const double power = luaL_optnumber(L, 4, 1), least = luaL_optnumber(L, 5, 0);
    double *p = room(L, 2 * o->arms), *share = p + o->arms;
    if (!(fabs(draws) < 0x1p53))
        return luaL_error(L, "draws = %f must be below 2^53", draws);
    check(L, o, tvgp_policy_best_probability(o->policy, t, o->arms, NULL, (size_t)draws, p));
    if (tvgp_shares(o->arms, p, power, least, share) != TVGP_OK)
        return luaL_error(L, "power = %f must be in [0.1, 100], floor = %f in [0, 1]", power, least);
    push_list(L, o->arms, share);
    push_list(L, o->arms, p);
    return 2;
}

static int assign(lua_State *L) {
    const size_t n = length(L, 1);
    const double key = luaL_checknumber(L, 2), seed = luaL_optnumber(L, 3, 0);
    double *share = room(L, n);
    int64_t arm;
    check_list(L, 1, n, share);
    if (!(key >= 0 && key < 0x1p53 && seed >= 0 && seed < 0x1p53))
        return luaL_error(L, "key = %f and seed = %f must be in 0..2^53", key, seed);
    if (tvgp_assign(n, share, (uint64_t)seed, (uint64_t)key, &arm) != TVGP_OK)
        return luaL_error(L, "shares must be finite and >= 0, and one above 0");
    lua_pushnumber(L, (lua_Number)arm);
    return 1;
}

/* Refuses a list at index i that has not one entry for each of the n records. */
static void check_records(lua_State *L, int i, size_t n, const char *name) {
    if (length(L, i) != n)
        luaL_error(L, "%s has %d entries, and the log has %d records", name, (int)length(L, i), (int)n);
}

static double *check_column(lua_State *L, int i, size_t n, const char *name) {
    check_records(L, i, n, name);
    double *x = room(L, n);
    check_list(L, i, n, x);
    return x;
}

/* A list of n lists of `columns` numbers, row-major. */
static double *check_rows(lua_State *L, int i, size_t n, size_t columns, const char *name) {
    check_records(L, i, n, name);
    double *x = room(L, n * columns);
    for (size_t k = 0; k < n; k++) {
        lua_rawgeti(L, i, (int)k + 1);
        if (length(L, lua_gettop(L)) != columns)
            luaL_error(L, "%s[%d] has %d entries, and target[1] has %d", name, (int)k + 1, (int)length(L, lua_gettop(L)),
                       (int)columns);
        check_list(L, lua_gettop(L), columns, x + k * columns);
        lua_pop(L, 1);
    }
    return x;
}

static int off_policy_value(lua_State *L) {
    static const char *const LOG[] = {"log[1] (t)", "log[2] (arm)", "log[3] (y)", "log[4] (propensity)"};
    tvgp_value_estimate v = {.struct_size = sizeof v};
    double *log[4], newest = -INFINITY;
    lua_settop(L, 5);
    luaL_checktype(L, 1, LUA_TTABLE);
    lua_rawgeti(L, 1, 1);
    const size_t n = length(L, 6);
    for (int k = 0; k < 4; k++) {
        lua_rawgeti(L, 1, k + 1);
        log[k] = check_column(L, lua_gettop(L), n, LOG[k]);
    }
    int64_t *arm = lua_newuserdata(L, (n + 1) * sizeof *arm);
    for (size_t i = 0; i < n; i++) {
        arm[i] = log[1][i] >= 0 && log[1][i] < 0x1p53 && log[1][i] == floor(log[1][i]) ? (int64_t)log[1][i] : -1;
        newest = fmax(newest, log[0][i]);
    }
    luaL_checktype(L, 2, LUA_TTABLE);
    lua_rawgeti(L, 2, 1);
    const size_t arms = n ? length(L, lua_gettop(L)) : 0;
    const double *target = check_rows(L, 2, n, arms, "target"),
                 *model = lua_isnil(L, 3) ? NULL : check_rows(L, 3, n, arms, "model");
    object *o = new_object(L);
    check(L, o,
          tvgp_off_policy_value(o->ctx, n, arms, log[0], arm, log[2], log[3], target, model, luaL_optnumber(L, 4, newest),
                                luaL_optnumber(L, 5, INFINITY), &v));
    lua_newtable(L);
    set_number(L, "used", (lua_Number)v.used);
    set_number(L, "missing", (lua_Number)v.missing);
    set_number(L, "dm", v.dm);
    set_number(L, "ips", v.ips);
    set_number(L, "ips_se", v.ips_se);
    set_number(L, "snips", v.snips);
    set_number(L, "snips_se", v.snips_se);
    set_number(L, "dr", v.dr);
    set_number(L, "dr_se", v.dr_se);
    set_number(L, "ess", v.ess);
    set_number(L, "mean_weight", v.mean_weight);
    set_number(L, "expected", v.expected);
    lua_pushboolean(L, v.reliable);
    lua_setfield(L, -2, "reliable");
    return 1;
}

static int stat(lua_State *L) {
    object *o = self(L);
    double value;
    check(L, o, tvgp_policy_stat(o->policy, luaL_checkstring(L, 2), &value));
    lua_pushnumber(L, value);
    return 1;
}

static int save(lua_State *L) {
    object *o = self(L);
    size_t n = 0;
    check(L, o, tvgp_policy_save(o->policy, 0, NULL, &n));
    double *bytes = room(L, n / sizeof *bytes + 1);
    check(L, o, tvgp_policy_save(o->policy, n, bytes, &n));
    lua_pushlstring(L, (const char *)bytes, n);
    return 1;
}

static int load(lua_State *L) {
    object *o = self(L);
    size_t n;
    const char *bytes = luaL_checklstring(L, 2, &n);
    check(L, o, tvgp_policy_load(o->policy, n, bytes));
    return 0;
}

static int apply(lua_State *L) {
    object *o = self(L);
    const char *line = luaL_checkstring(L, 2);
    tvgp_event e;
    size_t n;
    check(L, o, tvgp_event_parse(o->ctx, line, 0, &e, NULL, &n));
    double *x = room(L, n);
    check(L, o, tvgp_event_parse(o->ctx, line, n, &e, x, &n));
    check(L, o, tvgp_policy_apply(o->policy, 1, &e, n, n ? x : NULL));
    return 0;
}

static void add(lua_State *L, const char *name, lua_CFunction run) {
    lua_pushcfunction(L, run);
    lua_setfield(L, -2, name);
}

int luaopen_tvgp(lua_State *L);
int luaopen_tvgp(lua_State *L) {
    luaL_newmetatable(L, TYPE);
    lua_pushvalue(L, -1);
    lua_setfield(L, -2, "__index");
    add(L, "__gc", destroy);
    add(L, "ask", ask);
    add(L, "ask_slate", ask_slate);
    add(L, "tell", tell);
    add(L, "fail", fail);
    add(L, "pending", pending);
    add(L, "observe", observe);
    add(L, "best", best);
    add(L, "predict", predict);
    add(L, "shares", shares);
    add(L, "set_budget", set_budget);
    add(L, "set_costs", set_costs);
    add(L, "set_cost_weight", set_cost_weight);
    add(L, "fit", fit);
    add(L, "set_payoffs", set_payoffs);
    add(L, "charge", charge);
    add(L, "stat", stat);
    add(L, "save", save);
    add(L, "load", load);
    add(L, "apply", apply);
    lua_newtable(L);
    add(L, "create", create);
    add(L, "assign", assign);
    add(L, "off_policy_value", off_policy_value);
    lua_pushstring(L, tvgp_version());
    lua_setfield(L, -2, "version");
    return 1;
}
