/* SPDX-License-Identifier: MIT */
/* A C module for Lua 5.1 to 5.4 and LuaJIT, where `require "ffi"` is missing or the shared library must not be loaded (HAProxy,
 * nginx): local tvgp = require "tvgp". Policies are created from descriptions (docs/reference/protocol.md#descriptions-a-policy-in-one-line); an error of the library is an
 * error of Lua with its message.
 *   p = tvgp.create("tv-gp-ucb grid=0:1:11 se=.2")
 *   id, arm, x, propensity = p:ask(t)    nil: nothing can be asked now
 *   taken = p:tell(id, y, t)             y nil: no outcome will come; t may be left out
 *   p:observe(x, y, t)                   an outcome that was not asked for
 *   arm, x, mean, sd = p:best(t)
 *   mean, sd = p:predict(t)              of all arms
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

static int tell(lua_State *L) {
    object *o = self(L);
    const double id = luaL_checknumber(L, 2);
    tvgp_obs obs = {.id = id >= 1 && id < 0x1p53 ? (int64_t)id : -1};
    if (lua_isnoneornil(L, 3))
        obs.outcome = TVGP_SKIPPED;
    else
        obs.y = luaL_checknumber(L, 3);
    if (!lua_isnoneornil(L, 4)) {
        obs.flags = TVGP_OBS_HAS_TIME;
        obs.t = luaL_checknumber(L, 4);
    }
    const tvgp_status status = tvgp_policy_tell(o->policy, &obs, NULL, 1);
    if (status != TVGP_ERR_TICKET)
        check(L, o, status);
    lua_pushboolean(L, status == TVGP_OK);
    return 1;
}

static int observe(lua_State *L) {
    object *o = self(L);
    double x[64];
    luaL_checktype(L, 2, LUA_TTABLE);
    for (size_t d = 0; d < o->dim; d++) {
        lua_rawgeti(L, 2, (int)d + 1);
        x[d] = luaL_checknumber(L, -1);
        lua_pop(L, 1);
    }
    const tvgp_obs obs = {.flags = TVGP_OBS_HAS_TIME, .y = luaL_checknumber(L, 3), .t = luaL_checknumber(L, 4)};
    check(L, o, tvgp_policy_tell(o->policy, &obs, x, 1));
    return 0;
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
    add(L, "tell", tell);
    add(L, "observe", observe);
    add(L, "best", best);
    add(L, "predict", predict);
    add(L, "stat", stat);
    add(L, "save", save);
    add(L, "load", load);
    add(L, "apply", apply);
    lua_newtable(L);
    add(L, "create", create);
    lua_pushstring(L, tvgp_version());
    lua_setfield(L, -2, "version");
    return 1;
}
