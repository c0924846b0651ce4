-- SPDX-License-Identifier: MIT
--- libtvgp for LuaJIT. Declarations are those of the headers (examples/ffi/lua/tvgp/cdef.lua); the library is the one that the
-- environment variable TVGP_LIBRARY names, else libtvgp.so.0.2 of the system.
local ffi = require("ffi")
require("tvgp.cdef")
local C = ffi.load(os.getenv("TVGP_LIBRARY") or "libtvgp.so.0.2")

local tvgp = { C = C, version = ffi.string(C.tvgp_version()) }
local outcomes = { value = 0, skipped = 1, failed = 2, cancelled = 3 }
local kinds = { [0] = "action", "side", "init" }
local OBS_NOISE, OBS_TIME = 1, 2

-- Errors are tables {status, name, message} that print as their message. Nothing has happened then.
local Error = { __tostring = function(e) return e.message end }

local ctx
local function check(status)
    if status >= 0 then return status end
    local text = ctx and ffi.string(C.tvgp_ctx_errmsg(ctx)) or ""
    local name = ffi.string(C.tvgp_status_name(status))
    error(setmetatable({ status = status, name = name, message = text ~= "" and text or name }, Error), 0)
end

-- A handle that the garbage collector releases; handles may go in any order.
local function create(kind, call, ...)
    local out = ffi.new("tvgp_" .. kind .. " *[1]")
    local arguments = { ... }
    arguments[select("#", ...) + 1] = out
    check(call(unpack(arguments, 1, select("#", ...) + 1)))
    return ffi.gc(out[0], C["tvgp_" .. kind .. "_destroy"])
end
ctx = create("ctx", C.tvgp_ctx_create, nil)

local function flatten(values, into)
    if type(values) ~= "table" then
        into[#into + 1] = values
    else
        for _, value in ipairs(values) do flatten(value, into) end
    end
    return into
end

local function doubles(values)
    local flat = flatten(values, {})
    return ffi.new("double[?]", math.max(#flat, 1), flat), #flat
end

local function list(array, n)
    local values = {}
    for i = 1, n do values[i] = array[i - 1] end
    return values
end

-- ---- domains and kernels

local function domain(dim, handle) return { dim = dim, handle = handle } end

--- Equally spaced values between both bounds, included: grid(0, 1, 101), or lists with one entry for each coordinate.
function tvgp.grid(lower, upper, points)
    local l, n = doubles(lower)
    local u, m = doubles(upper)
    local flat = flatten(points, {})
    if n ~= m or n ~= #flat then error("tvgp.grid: lower, upper and points differ in length", 2) end
    return domain(n, create("domain", C.tvgp_domain_grid, ctx, n, l, u, ffi.new("size_t[?]", n, flat)))
end

function tvgp.indices(n) return domain(1, create("domain", C.tvgp_domain_indices, ctx, n)) end

--- A list of points, each a list of coordinates.
function tvgp.arms(points)
    local dim = type(points[1]) == "table" and #points[1] or 1
    return domain(dim, create("domain", C.tvgp_domain_arms, ctx, #points, dim, (doubles(points))))
end

function tvgp.box(lower, upper)
    local l, n = doubles(lower)
    local u, m = doubles(upper)
    if n ~= m then error("tvgp.box: lower and upper differ in length", 2) end
    return domain(n, create("domain", C.tvgp_domain_box, ctx, n, l, u))
end

--- The domain with further arms behind those there are, for Policy:extend.
function tvgp.append(where, points)
    return domain(where.dim, create("domain", C.tvgp_domain_append, where.handle, #points, (doubles(points))))
end

--- Every pair of an action and a context: see Policy:set_context, or with a box of contexts Policy:set_context_x.
function tvgp.product(actions, contexts)
    local handle = create("domain", C.tvgp_domain_product, ctx, actions.handle, contexts.handle)
    return domain(actions.dim + contexts.dim, handle)
end

local function size(where)
    local n = ffi.new("size_t[1]")
    check(C.tvgp_domain_size(where.handle, n))
    return tonumber(n[0])
end

--- Action and context of an arm of a product.
function tvgp.split(where, arm)
    local pair = ffi.new("int64_t[2]")
    check(C.tvgp_domain_split(where.handle, arm, pair, pair + 1))
    return tonumber(pair[0]), tonumber(pair[1])
end

--- Squared exponential; given = {variance = 1, dim = number of lengthscales}.
function tvgp.se(lengthscale, given)
    local l, n = doubles(lengthscale)
    given = given or {}
    return create("kernel", C.tvgp_kernel_se, ctx, given.dim or n, given.variance or 1, l, n)
end

--- Matern; given = {nu = 2.5, variance = 1, dim}.
function tvgp.matern(lengthscale, given)
    local l, n = doubles(lengthscale)
    given = given or {}
    return create("kernel", C.tvgp_kernel_matern, ctx, given.dim or n, given.nu or 2.5, given.variance or 1, l, n)
end

--- A covariance of arms: a list of rows.
function tvgp.table(K)
    local k, n = doubles(K)
    return create("kernel", C.tvgp_kernel_table, ctx, math.sqrt(n), k)
end

-- ---- policies

local Policy = {}
Policy.__index = Policy

--- Without a kernel (nil) kernel, noise, mean and scale are learned. options: {noise = .01, ["width.schedule"] = "igp"}.
function tvgp.policy(name, where, kernel, options)
    local handle = create("policy", C.tvgp_policy_create, ctx, name, where.handle, kernel)
    local policy = setmetatable({ handle = handle, dim = where.dim, domain = where }, Policy)
    policy:set(options or {})
    return policy
end

function Policy:set(options)
    for key, value in pairs(options) do
        if type(value) == "string" then
            check(C.tvgp_policy_set_str(self.handle, key, value))
        else
            check(C.tvgp_policy_set_f64(self.handle, key, value == true and 1 or value or 0))
        end
    end
end

--- The query for time t, a table {id, kind, arm, x, t, noise_var, score, propensity}; nil when nothing can be asked before answers come.
function Policy:ask(t) return self:ask_many(t, 1)[1] end

function Policy:ask_many(t, cap)
    local q, x, n = ffi.new("tvgp_query[?]", cap), ffi.new("double[?]", cap * self.dim), ffi.new("size_t[1]")
    check(C.tvgp_policy_ask(self.handle, t, cap, q, x, n))
    local queries = {}
    for i = 1, tonumber(n[0]) do
        local r = q[i - 1]
        queries[i] = { id = tonumber(r.id), kind = kinds[r.kind], arm = tonumber(r.arm), t = r.t, noise_var = r.noise_var,
                       score = r.score, propensity = r.propensity, x = list(x + (i - 1) * self.dim, self.dim) }
    end
    return queries
end

local function tell(self, id, y, given, x)
    given = given or {}
    local outcome = outcomes[given.outcome or "value"]
    if not outcome then error("tell: outcome must be value, skipped, failed or cancelled", 3) end
    if outcome == 0 and type(y) ~= "number" then error("tell: y must be a number", 3) end
    local obs = ffi.new("tvgp_obs[1]")
    obs[0].id, obs[0].outcome, obs[0].y = id, outcome, y or 0
    obs[0].flags = (given.noise_var and OBS_NOISE or 0) + (given.t and OBS_TIME or 0)
    obs[0].noise_var, obs[0].t = given.noise_var or 0, given.t or 0
    check(C.tvgp_policy_tell(self.handle, obs, x, 1))
end

--- The answer to a query or its id; given = {outcome = "value", noise_var, t}.
function Policy:tell(query, y, given) tell(self, type(query) == "table" and query.id or query, y, given) end

--- An observation nobody asked for; given = {noise_var, t}.
function Policy:observe(x, y, given)
    local point, n = doubles(x)
    if n ~= self.dim then error("observe: a point has " .. self.dim .. " coordinates", 2) end
    tell(self, 0, y, given, point)
end

--- Means and variances at a list of points.
function Policy:predict(t, points)
    local x, n = doubles(points)
    n = n / self.dim
    if n ~= math.floor(n) then error("predict: points have " .. self.dim .. " coordinates", 2) end
    local mean, var = ffi.new("double[?]", n), ffi.new("double[?]", n)
    check(C.tvgp_policy_predict(self.handle, t, n, x, mean, var))
    return list(mean, n), list(var, n)
end

--- Point and arm of best posterior mean.
function Policy:best(t)
    local arm, x = ffi.new("int64_t[1]"), ffi.new("double[?]", self.dim)
    check(C.tvgp_policy_best(self.handle, t, arm, x))
    return list(x, self.dim), tonumber(arm[0])
end

function Policy:stat(key)
    local value = ffi.new("double[1]")
    check(C.tvgp_policy_stat(self.handle, key, value))
    return value[0]
end

--- All that the policy knows, as a string, and back into a policy of the same name, domain and kernel.
function Policy:save()
    local size = ffi.new("size_t[1]")
    check(C.tvgp_policy_save(self.handle, nil, 0, size))
    local bytes = ffi.new("uint8_t[?]", size[0])
    check(C.tvgp_policy_save(self.handle, bytes, size[0], size))
    return ffi.string(bytes, size[0])
end

function Policy:load(bytes) check(C.tvgp_policy_load(self.handle, bytes, #bytes)) end

--- A list of truth values, one for each arm; nil: all exist.
function Policy:set_available(mask)
    if not mask then return check(C.tvgp_policy_set_available(self.handle, nil, 0)) end
    local bytes = ffi.new("uint8_t[?]", #mask)
    for i, value in ipairs(mask) do bytes[i - 1] = value and 1 or 0 end
    check(C.tvgp_policy_set_available(self.handle, bytes, #mask))
end

--- Prior mean: a value, or a list with one for each arm; nil: zero.
function Policy:set_mean(mean)
    if not mean then return check(C.tvgp_policy_set_mean(self.handle, nil, 0)) end
    check(C.tvgp_policy_set_mean(self.handle, doubles(mean)))
end

--- On a product: from now on within this context; -1: any. With a box of contexts: in the context measured as z.
function Policy:set_context(context) check(C.tvgp_policy_set_context(self.handle, context)) end

function Policy:set_context_x(z) check(C.tvgp_policy_set_context_x(self.handle, doubles(z))) end

--- Arms that came: what was learned holds for those that `larger` has behind the old ones; mean: their prior means.
function Policy:extend(larger, mean)
    local values, n = doubles(mean or {})
    if mean and n ~= size(larger) - size(self.domain) then error("extend: mean has a value for each new arm", 2) end
    check(C.tvgp_policy_extend(self.handle, larger.handle, mean and values))
    self.domain = larger
end

--- n standard normal draws, the same in every language.
function tvgp.random_normal(seed, purpose, step, n)
    local draws = ffi.new("double[?]", n)
    check(C.tvgp_random_normal(seed, purpose, step, n, draws))
    return list(draws, n)
end

return tvgp
