/* SPDX-License-Identifier: MIT */
/* A C module for Lua 5.1 to 5.4 and LuaJIT, where `require "ffi"` is missing or the shared library must not be loaded (HAProxy,
 * nginx): local tvgp = require "tvgp". Policies are created from descriptions (docs/reference/protocol.md#descriptions-a-policy-in-one-line); an error of the library is an
 * error of Lua with its message.
 *   p = tvgp.create("tv-gp-ucb grid=0:1:11 se=.2")
 *   id, arm, x, propensity = p:ask(t)    nil: nothing can be asked now
 *   items = p:ask_slate(t, k)            up to k tables with id, arm, x and propensity
 *   taken = p:tell(id, y, t, exposure, reference)    y nil: no outcome will come; those after it may be left out
 *   p:observe(x, y, t)                   an outcome that was not asked for
 *   arm, x, mean, sd = p:best(t)
 *   mean, sd = p:predict(t)              of all arms
 *   share, probability = p:shares(t, draws, power, floor)    defaults: 1024, 1, 0
 *   arm = tvgp.assign(share, key, seed)  the arm of the user with this key; seed 0 unless given
 *   p:set_budget(budget, period, asks); p:set_costs(costs); charged = p:charge(id, cost)
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

static int create(lua_State *L) {
    const char *text = luaL_checkstring(L, 1);
    tvgp_domain *domain = NULL;
    object *o = lua_newuserdata(L, sizeof *o);
    memset(o, 0, sizeof *o);
    luaL_getmetatable(L, TYPE);
    lua_setmetatable(L, -2);
    check(L, o, tvgp_ctx_create(NULL, &o->ctx));
    check(L, o, tvgp_policy_create_described(o->ctx, text, &o->policy));
    check(L, o, tvgp_policy_domain(o->policy, &domain));
    tvgp_domain_dim(domain, &o->dim);
    tvgp_domain_size(domain, &o->arms);
    tvgp_domain_destroy(domain);
    return 1;
}

static int destroy(lua_State *L) {
    object *o = self(L);
    tvgp_policy_destroy(o->policy);
    tvgp_ctx_destroy(o->ctx);
    o->policy = NULL;
    o->ctx = NULL;
    return 0;
}

static int ask(lua_State *L) {
    object *o = self(L);
    tvgp_query q;
    double x[64];
    const tvgp_status status = tvgp_policy_ask_one(o->policy, luaL_checknumber(L, 2), &q, x);
    check(L, o, status);
    if (status != TVGP_OK)
        return lua_pushnil(L), 1;
    lua_pushnumber(L, (lua_Number)q.id); /* below 2^53 */
    lua_pushnumber(L, (lua_Number)q.arm);
    push_list(L, o->dim, x);
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
    return taken(L, o, tvgp_policy_tell(o->policy, &obs, NULL, 1));
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
    double x[64];
    check_list(L, 2, o->dim, x);
    const tvgp_obs obs = {.flags = TVGP_OBS_HAS_TIME, .y = luaL_checknumber(L, 3), .t = luaL_checknumber(L, 4)};
    check(L, o, tvgp_policy_tell(o->policy, &obs, x, 1));
    return 0;
}

static int set_budget(lua_State *L) {
    object *o = self(L);
    const double budget = luaL_checknumber(L, 2), period = luaL_checknumber(L, 3), asks = luaL_checknumber(L, 4);
    check(L, o, tvgp_policy_set_budget(o->policy, budget, period, asks));
    return 0;
}

static int set_costs(lua_State *L) {
    object *o = self(L);
    const size_t n = length(L, 2);
    double *cost = room(L, n);
    check_list(L, 2, n, cost);
    check(L, o, tvgp_policy_set_costs(o->policy, n, cost));
    return 0;
}

static int charge(lua_State *L) {
    object *o = self(L);
    return taken(L, o, tvgp_policy_charge(o->policy, check_id(L, 2), luaL_checknumber(L, 3)));
}

static int best(lua_State *L) {
    object *o = self(L);
    double x[64], mean, var;
    int64_t arm;
    const double t = luaL_checknumber(L, 2);
    check(L, o, tvgp_policy_best(o->policy, t, &arm, x));
    check(L, o, tvgp_policy_predict(o->policy, t, 1, x, &mean, &var));
    lua_pushnumber(L, (lua_Number)arm);
    push_list(L, o->dim, x);
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
    check(L, o, tvgp_policy_best_probability(o->policy, t, o->arms, NULL, (int64_t)draws, p));
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
    check(L, o, tvgp_policy_save(o->policy, NULL, 0, &n));
    double *bytes = room(L, n / sizeof *bytes + 1);
    check(L, o, tvgp_policy_save(o->policy, bytes, n, &n));
    lua_pushlstring(L, (const char *)bytes, n);
    return 1;
}

static int load(lua_State *L) {
    object *o = self(L);
    size_t n;
    const char *bytes = luaL_checklstring(L, 2, &n);
    check(L, o, tvgp_policy_load(o->policy, bytes, n));
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
    check(L, o, tvgp_policy_apply(o->policy, &e, 1, n ? x : NULL, n));
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
    add(L, "observe", observe);
    add(L, "best", best);
    add(L, "predict", predict);
    add(L, "shares", shares);
    add(L, "set_budget", set_budget);
    add(L, "set_costs", set_costs);
    add(L, "charge", charge);
    add(L, "stat", stat);
    add(L, "save", save);
    add(L, "load", load);
    add(L, "apply", apply);
    lua_newtable(L);
    add(L, "create", create);
    add(L, "assign", assign);
    lua_pushstring(L, tvgp_version());
    lua_setfield(L, -2, "version");
    return 1;
}
