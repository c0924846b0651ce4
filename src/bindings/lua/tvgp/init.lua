-- SPDX-License-Identifier: MIT
--- libtvgp for LuaJIT. Declarations are those of the headers (cdef.lua); what has no method is a function of tvgp.c, by its name in C
-- (functions.lua). The library is the one that the
-- environment variable TVGP_LIBRARY names, else libtvgp.so.1 of the system.
local ffi = require("ffi")
require("tvgp.cdef")
local C = ffi.load(os.getenv("TVGP_LIBRARY") or "libtvgp.so.1")

local tvgp = { C = C, version = ffi.string(C.tvgp_version()) }
local outcomes = { value = 0, skipped = 1, failed = 2, cancelled = 3 }
local kinds = { [0] = "action", "side", "init" }
local OBS_HAS_NOISE, OBS_HAS_TIME, OBS_HAS_EXPOSURE, OBS_HAS_REFERENCE, OBS_PARTIAL = 1, 2, 4, 8, 16

-- Errors are tables {status, name, message} that print as their message. Nothing has happened then.
local Error = { __tostring = function(e) return e.message end }

local ctx
local function check(status, of)
    if status >= 0 then return status end
    local text = ctx and ffi.string(C.tvgp_ctx_errmsg(of or ctx)) or ""
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

local function said(value) return type(value) == "string" and "'" .. value .. "'" or tostring(value) end

-- A number; C would take a cdata or refuse a string without its name.
local function number(what, value)
    if type(value) ~= "number" then error(("%s = %s is not a number"):format(what, said(value)), 0) end
    return value
end

local function distance(a, b)
    local row = {}
    for j = 0, #b do row[j] = j end
    for i = 1, #a do
        local before = row[0]
        row[0] = i
        for j = 1, #b do
            local change = before + (a:byte(i) == b:byte(j) and 0 or 1)
            before = row[j]
            row[j] = math.min(row[j] + 1, row[j - 1] + 1, change)
        end
    end
    return row[#b]
end

-- The table, which must have no members but these.
local function members(what, given, names)
    if given == nil then return {} end
    if type(given) ~= "table" then error(("%s = %s must be a table"):format(what, said(given)), 0) end
    for key in pairs(given) do
        local near, known = names[1], false
        for _, name in ipairs(names) do
            known = known or name == key
            if distance(tostring(key), name) < distance(tostring(key), near) then near = name end
        end
        if not known then error(("%s has no member '%s'; nearest is '%s'"):format(what, tostring(key), near), 0) end
    end
    return given
end

-- A whole number from 0 (or lower) to 2^53. Conversion to C would take 2^64 + 4096 for 4096, and 2.5 for 2.
local function whole(what, value, lower)
    number(what, value)
    if value ~= math.floor(value) or value < (lower or 0) or value > 2 ^ 53 then
        error(("%s = %.17g is no whole number from %g to 2^53"):format(what, value, lower or 0), 0)
    end
    return value
end

-- A text that does not end early.
local function text(what, value)
    if type(value) ~= "string" then error(("%s = %s is not a string"):format(what, said(value)), 0) end
    if value:find("\0", 1, true) then error(what .. " holds a NUL", 0) end
    return value
end

-- The numbers in lists of lists, in order. A hole in a list is an error.
-- `what` is the argument that a message names.
local function flatten(values, into, what)
    if type(values) == "number" then
        into[#into + 1] = values
    elseif type(values) == "table" then
        for i = 1, table.maxn(values) do flatten(values[i], into, what and ("%s[%d]"):format(what, i)) end
    else
        error(("%s = %s is not a number"):format(what or "a value", said(values)), 0)
    end
    return into
end

local function array(flat) return ffi.new("double[?]", math.max(#flat, 1), flat), #flat end

local function doubles(values, what) return array(flatten(values, {}, what)) end

-- Points of dim coordinates, a list of them or numbers in a row, dim at a time: the numbers, and how many points.
local function points_of(points, dim, what)
    local flat, nested = flatten(points, {}, what or "points"), false
    for _, point in ipairs(type(points) == "table" and points or {}) do nested = nested or type(point) == "table" end
    for _, point in ipairs(nested and points or {}) do
        local n = #flatten(point, {})
        if n ~= dim then error(("a point has %d coordinates, not %d"):format(n, dim), 0) end
    end
    if #flat % dim ~= 0 then error(("%d numbers are not points of %d coordinates"):format(#flat, dim), 0) end
    return array(flat), #flat / dim
end

local function same_length(what, ...)
    local lengths = { ... }
    for _, n in ipairs(lengths) do
        if n ~= lengths[1] then error(what .. ": arrays differ in length: " .. table.concat(lengths, ", "), 0) end
    end
    return lengths[1]
end

local function list(array, n)
    local values = {}
    for i = 1, n do values[i] = array[i - 1] end
    return values
end

-- ---- domains and kernels

local function domain(dim, handle) return { dim = dim, handle = handle } end

-- The handle of a domain.
local function handle_of(where, what)
    if type(where) ~= "table" or not ffi.istype("tvgp_domain *", where.handle) then error(what .. " is not a domain", 0) end
    return where.handle
end

--- Equally spaced values between both bounds, included: grid(0, 1, 101), or lists with one entry for each coordinate.
function tvgp.grid(lower, upper, points)
    local l, n = doubles(lower, "lower")
    local u, m = doubles(upper, "upper")
    local counts = flatten(points, {}, "points")
    same_length("tvgp.grid", n, m, #counts)
    for _, count in ipairs(counts) do whole("points", count) end
    return domain(n, create("domain", C.tvgp_domain_grid, ctx, n, l, u, ffi.new("size_t[?]", n, counts)))
end

function tvgp.indices(n) return domain(1, create("domain", C.tvgp_domain_indices, ctx, whole("tvgp.indices: n", n))) end

--- A list of points, each a list of coordinates.
function tvgp.arms(points)
    if type(points) ~= "table" then error(("points = %s must be a list of points"):format(said(points)), 0) end
    local dim = type(points[1]) == "table" and math.max(#points[1], 1) or 1
    local x, n = points_of(points, dim)
    return domain(dim, create("domain", C.tvgp_domain_arms, ctx, n, dim, x))
end

function tvgp.box(lower, upper)
    local l, n = doubles(lower, "lower")
    local u, m = doubles(upper, "upper")
    return domain(same_length("tvgp.box", n, m), create("domain", C.tvgp_domain_box, ctx, n, l, u))
end

--- The domain with further arms after the present ones, for Policy:extend.
function tvgp.append(where, points)
    local handle = handle_of(where, "tvgp.append: the first argument")
    local x, n = points_of(points, where.dim)
    return domain(where.dim, create("domain", C.tvgp_domain_append, handle, n, x))
end

--- Every pair of an action and a context: see Policy:set_context, or with a box of contexts Policy:set_context_point.
function tvgp.product(actions, contexts)
    local a, z = handle_of(actions, "tvgp.product: actions"), handle_of(contexts, "tvgp.product: contexts")
    return domain(actions.dim + contexts.dim, create("domain", C.tvgp_domain_product, ctx, a, z))
end

local function size(where)
    local n = ffi.new("size_t[1]")
    check(C.tvgp_domain_size(where.handle, n))
    return tonumber(n[0])
end

local function dimension(handle)
    local n = ffi.new("size_t[1]")
    check(C.tvgp_domain_dim(handle, n))
    return tonumber(n[0])
end

local function name_of(call, handle)
    local name = ffi.new("const char *[1]")
    check(call(handle, name))
    return ffi.string(name[0])
end

--- What a domain is: "arms", "indices", "grid", "box", "product".
function tvgp.type_of(where) return name_of(C.tvgp_domain_type_name, handle_of(where, "tvgp.type_of: the domain")) end

--- The smallest and the largest value of each coordinate: two lists.
function tvgp.bounds(where)
    local handle = handle_of(where, "tvgp.bounds: the domain")
    local dim = dimension(handle)
    local both = ffi.new("double[?]", 2 * dim)
    check(C.tvgp_domain_bounds(handle, both, both + dim))
    return list(both, dim), list(both + dim, dim)
end

--- Action and context of an arm of a product.
function tvgp.split(where, arm)
    local pair = ffi.new("int64_t[2]")
    check(C.tvgp_domain_split(handle_of(where, "tvgp.split: the domain"), whole("tvgp.split: arm", arm), pair, pair + 1))
    return tonumber(pair[0]), tonumber(pair[1])
end

--- Squared exponential; given = {variance = 1, dim = number of lengthscales}.
function tvgp.se(lengthscale, given)
    local l, n = doubles(lengthscale, "lengthscale")
    given = members("given", given, { "variance", "dim" })
    return create("kernel", C.tvgp_kernel_se, ctx, whole("dim", given.dim or n), number("variance", given.variance or 1), n, l)
end

--- Matern; given = {nu = 2.5, variance = 1, dim}.
function tvgp.matern(lengthscale, given)
    local l, n = doubles(lengthscale, "lengthscale")
    given = members("given", given, { "nu", "variance", "dim" })
    local dim, nu, variance = whole("dim", given.dim or n), number("nu", given.nu or 2.5), number("variance", given.variance or 1)
    return create("kernel", C.tvgp_kernel_matern, ctx, dim, nu, variance, n, l)
end

--- A covariance of arms: a list of rows.
function tvgp.table(K)
    local _, size = doubles(K, "K")
    local n = math.sqrt(size)
    if n ~= math.floor(n) then error(("tvgp.table: %d numbers are no square"):format(size), 0) end
    return create("kernel", C.tvgp_kernel_table, ctx, n, (points_of(K, math.max(n, 1))))
end

-- ---- policies

local Policy = {}
Policy.__index = Policy

--- Without a kernel (nil) kernel, noise, mean and scale are learned. options: {noise = .01, ["width.schedule"] = "igp"}.
function tvgp.policy(name, where, kernel, options)
    local arms = handle_of(where, "tvgp.policy: the domain")
    if kernel ~= nil and not ffi.istype("tvgp_kernel *", kernel) then error("tvgp.policy: the kernel is not a kernel", 0) end
    local handle = create("policy", C.tvgp_policy_create, ctx, text("tvgp.policy: name", name), arms, kernel)
    local policy = setmetatable({ handle = handle, dim = where.dim, domain = where }, Policy)
    policy:set(options or {})
    return policy
end

--- A policy from the bytes of save(true) alone; policy:name() and policy.domain say what it is.
function tvgp.restore(snapshot)
    if type(snapshot) ~= "string" then error("tvgp.restore: the state is not a string", 2) end
    local handle = create("policy", C.tvgp_policy_restore, ctx, #snapshot, snapshot, nil, nil)
    local where = create("domain", C.tvgp_policy_domain, handle)
    local dim = dimension(where)
    return setmetatable({ handle = handle, dim = dim, domain = domain(dim, where) }, Policy)
end

function Policy:name() return name_of(C.tvgp_policy_name, self.handle) end

function Policy:set(options)
    for key, value in pairs(options) do
        text("set: a key", key)
        if type(value) == "string" then
            check(C.tvgp_policy_set_str(self.handle, key, text(key, value)))
        else
            if type(value) == "boolean" then value = value and 1 or 0 end
            check(C.tvgp_policy_set_f64(self.handle, key, number("option " .. key, value)))
        end
    end
end

--- The query for time t, a table {id, kind, arm, x, t, noise_var, score, propensity, risk}; nil if nothing can be asked before outcomes arrive.
function Policy:ask(t) return self:ask_many(t, 1)[1] end

-- Up to cap queries that call(cap, q, x, n) writes.
local function queries_of(self, cap, call)
    local q, x, n = ffi.new("tvgp_query[?]", cap), ffi.new("double[?]", cap * self.dim), ffi.new("size_t[1]")
    check(call(cap, q, x, n))
    local queries = {}
    for i = 1, tonumber(n[0]) do
        local r = q[i - 1]
        queries[i] = { id = tonumber(r.id), kind = kinds[r.kind], arm = tonumber(r.arm), t = r.t, noise_var = r.noise_var,
                       score = r.score, propensity = r.propensity, risk = r.risk, x = list(x + (i - 1) * self.dim, self.dim) }
    end
    return queries
end

function Policy:ask_many(t, cap)
    whole("cap", cap, 1)
    number("t", t)
    return queries_of(self, cap, function(...) return C.tvgp_policy_ask(self.handle, t, ...) end)
end

--- The pending queries, oldest first.
function Policy:pending()
    local n = ffi.new("size_t[1]")
    check(C.tvgp_policy_pending(self.handle, 0, nil, nil, n))
    return queries_of(self, tonumber(n[0]), function(...) return C.tvgp_policy_pending(self.handle, ...) end)
end

-- Members of an outcome and their flags.
local flags = { noise_var = OBS_HAS_NOISE, t = OBS_HAS_TIME, exposure = OBS_HAS_EXPOSURE, reference = OBS_HAS_REFERENCE }

local sides = { right = 32, left = 64 } -- OBS_RIGHT_CENSORED, OBS_LEFT_CENSORED

local function tell(self, id, y, given, x)
    given = members("given", given, { "outcome", "noise_var", "t", "exposure", "reference", "partial", "censored" })
    local outcome = outcomes[given.outcome == nil and "value" or given.outcome]
    if not outcome then error(("outcome = %s must be value, skipped, failed or cancelled"):format(said(given.outcome)), 0) end
    local obs = ffi.new("tvgp_obs[1]")
    obs[0].id, obs[0].outcome, obs[0].y = whole("query", id), outcome, outcome == 0 and number("y", y) or 0
    for name, flag in pairs(flags) do
        if given[name] ~= nil then
            obs[0][name], obs[0].flags = number(name, given[name]), obs[0].flags + flag
        end
    end
    if type(given.partial or false) ~= "boolean" then error(("partial = %s must be true or false"):format(said(given.partial)), 0) end
    obs[0].flags = obs[0].flags + (given.partial and OBS_PARTIAL or 0)
    local side = given.censored == nil and 0 or sides[given.censored]
    if not side then error(("censored = %s must be right or left"):format(said(given.censored)), 0) end
    obs[0].flags = obs[0].flags + side
    check(C.tvgp_policy_tell(self.handle, 1, obs, x))
end

--- Reports the outcome of a query or its id; given = {outcome = "value", noise_var, t, exposure, reference, partial, censored}.
function Policy:tell(query, y, given) tell(self, type(query) == "table" and query.id or query, y, given) end

--- An unsolicited observation; given = {noise_var, t, exposure, reference, censored}.
function Policy:observe(x, y, given)
    local point, n = doubles(x, "x")
    if n ~= self.dim then error(("observe: a point has %d coordinates, not %d"):format(self.dim, n), 2) end
    tell(self, 0, y, given, point)
end

--- Means and variances at a list of points; without one at all arms.
function Policy:predict(t, points)
    local x, n = nil, points == nil and size(self.domain)
    number("t", t)
    if points ~= nil then x, n = points_of(points, self.dim) end
    local mean, var = ffi.new("double[?]", n), ffi.new("double[?]", n)
    check(C.tvgp_policy_predict(self.handle, t, n, x, mean, var))
    return list(mean, n), list(var, n)
end

--- Point and arm with the highest posterior mean.
function Policy:best(t)
    number("t", t)
    local arm, x = ffi.new("int64_t[1]"), ffi.new("double[?]", self.dim)
    check(C.tvgp_policy_best(self.handle, t, arm, x))
    return list(x, self.dim), tonumber(arm[0])
end

function Policy:stat(key)
    local value = ffi.new("double[1]")
    check(C.tvgp_policy_stat(self.handle, text("key", key), value))
    return value[0]
end

--- All that the policy knows, as a string, and back into a policy of the same name, domain and kernel; with_domain: these too,
-- for tvgp.restore.
function Policy:save(with_domain)
    local write = with_domain and C.tvgp_policy_save_full or C.tvgp_policy_save
    local size = ffi.new("size_t[1]")
    check(write(self.handle, 0, nil, size))
    local bytes = ffi.new("uint8_t[?]", size[0])
    check(write(self.handle, size[0], bytes, size))
    return ffi.string(bytes, size[0])
end

function Policy:load(bytes)
    if type(bytes) ~= "string" then error("load: the state is not a string", 2) end
    check(C.tvgp_policy_load(self.handle, #bytes, bytes))
end

--- A list of truth values, one for each arm; nil: all exist.
function Policy:set_available(mask)
    if mask == nil then return check(C.tvgp_policy_set_available(self.handle, 0, nil)) end
    if type(mask) ~= "table" then error(("mask = %s must be a list"):format(said(mask)), 0) end
    local n = table.maxn(mask)
    local bytes = ffi.new("uint8_t[?]", math.max(n, 1))
    for i = 1, n do
        if type(mask[i]) ~= "boolean" then error(("mask[%d] = %s is not true or false"):format(i, said(mask[i])), 0) end
        bytes[i - 1] = mask[i] and 1 or 0
    end
    check(C.tvgp_policy_set_available(self.handle, n, bytes))
end

--- Prior mean: a value, or a list with one for each arm; nil: zero.
function Policy:set_prior_mean(mean)
    if mean == nil then return check(C.tvgp_policy_set_prior_mean(self.handle, 0, nil)) end
    local values, n = doubles(mean, "mean")
    check(C.tvgp_policy_set_prior_mean(self.handle, n, values))
end

--- On a product: from now on within this context; -1: any. With a box of contexts: in the context measured as z.
function Policy:set_context(context) check(C.tvgp_policy_set_context(self.handle, whole("set_context", context, -1))) end

function Policy:set_context_point(z)
    local point, n = doubles(z, "z")
    check(C.tvgp_policy_set_context_point(self.handle, n, point))
end

--- Adds arms: `larger` is the domain with further arms after the present ones. mean: prior means of the new arms.
function Policy:extend(larger, mean)
    local handle, values, n = handle_of(larger, "extend: larger")
    if mean ~= nil then
        values, n = doubles(mean)
        local came = size(larger) - size(self.domain)
        if n ~= came then error(("extend: mean has %d values for %d new arms"):format(n, came), 2) end
    end
    check(C.tvgp_policy_extend(self.handle, handle, values))
    self.domain = larger
end

--- n standard normal draws, the same in every language.
function tvgp.random_normal(seed, purpose, step, n)
    local draws = ffi.new("double[?]", math.max(whole("random_normal: n", n), 1))
    whole("random_normal: seed", seed)
    whole("random_normal: step", step)
    if whole("random_normal: purpose", purpose) >= 2 ^ 32 then error("random_normal: purpose is at least 2^32", 2) end
    check(C.tvgp_random_normal(seed, purpose, step, n, draws))
    return list(draws, n)
end

-- ---- Gaussian processes: tvgp.c does the work, which is read at the end

local GP = {}
GP.__index = GP

--- Exact Gaussian-process regression; given = {noise = .01, time = a kernel over time}.
function tvgp.gp(kernel, given)
    given = members("given", given, { "noise", "time" })
    return tvgp.c.gp_create(ctx, kernel, given.time, number("noise", given.noise or 0.01))
end

--- From the bytes of save.
function tvgp.gp_restore(snapshot) return tvgp.c.gp_restore(ctx, snapshot) end

--- Number of observations held.
function GP:size() return tvgp.c.gp_size(self) end

--- Prior mean intercept + slope' x.
function GP:set_prior_mean(intercept, slope) tvgp.c.gp_set_prior_mean(self, intercept, slope) end

--- Adds observations, all or none; given = {t, noise_var}, lists.
function GP:add(x, y, given)
    given = members("given", given, { "t", "noise_var" })
    tvgp.c.gp_add(self, x, given.t, y, given.noise_var)
end

--- Drops the n oldest observations.
function GP:drop(n) tvgp.c.gp_drop(self, n) end

--- Lists of means and variances without noise.
function GP:predict(x, t) return tvgp.c.gp_predict(self, x, t or 0) end

--- Means, variances, and their gradients by the point, n x dim numbers each.
function GP:predict_gradient(x, t) return tvgp.c.gp_predict_gradient(self, x, t or 0) end

--- Means and covariances, n x n numbers.
function GP:predict_covariance(x, t) return tvgp.c.gp_predict_covariance(self, x, t or 0) end

--- Functions drawn from the posterior, draws x n numbers; given = {t = 0, draws = 1, seed = 0}.
function GP:sample(x, given)
    given = members("given", given, { "t", "draws", "seed" })
    return tvgp.c.gp_sample(self, x, given.t or 0, given.draws or 1, given.seed or 0)
end

function GP:log_marginal_likelihood() return tvgp.c.gp_log_marginal_likelihood(self) end

--- Optimises the hyperparameters; returns their log posterior.
function GP:fit(max_evals) return (tvgp.c.gp_fit(self, nil, nil, max_evals or 200)) end

--- The posterior with its kernels, as a string.
function GP:save() return tvgp.c.gp_save(self) end

--- k of n points that are far apart in the metric of the kernel: numbers of rows from 0; given = {steps = 1000, seed = 0}.
function tvgp.kdpp_sample(kernel, x, k, given)
    given = members("given", given, { "steps", "seed" })
    return tvgp.c.kdpp_sample(ctx, kernel, x, k, given.steps or 1000, given.seed or 0)
end

-- ---- every function

local contexts = setmetatable({}, { __mode = "k" }) -- of objects that are not of the module's own
local makers = {
    ctx = function(handle) return handle end,
    domain = function(handle) return domain(dimension(handle), handle) end,
    kernel = function(handle) return handle end,
    gp = function(handle) return setmetatable({ handle = handle }, GP) end,
    policy = function(handle)
        local where = create("domain", C.tvgp_policy_domain, handle)
        local dim = dimension(where)
        return setmetatable({ handle = handle, dim = dim, domain = domain(dim, where) }, Policy)
    end,
}

local function address(class, object, what)
    local handle = type(object) == "table" and object.handle or object
    if not ffi.istype("tvgp_" .. class .. " *", handle) or handle == nil then error(what .. " is no " .. class, 0) end
    return handle
end

local own = {}
for class in pairs(makers) do
    own[class .. "_destroy"] = function(object)
        local handle = address(class, object, class .. "_destroy: the object")
        C["tvgp_" .. class .. "_destroy"](ffi.gc(handle, nil))
        if type(object) == "table" then object.handle = nil end
    end
end

tvgp.c = require("tvgp.functions")(C, {
    own = own,
    address = address,
    check = check,
    flatten = flatten,
    whole = whole,
    text = text,
    context = function(object) return ffi.istype("tvgp_ctx *", object) and object or contexts[object] end,
    made = function(class, handle, of)
        local object = makers[class](ffi.gc(handle, C["tvgp_" .. class .. "_destroy"]))
        if of then contexts[object] = of end
        return object
    end,
})

return tvgp
