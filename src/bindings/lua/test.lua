-- SPDX-License-Identifier: MIT
local tvgp = require("tvgp")

local options = { noise = 0.02, seed = 3, ["width.schedule"] = "igp" }
local policy = tvgp.policy("tv-gp-ucb", tvgp.grid(0, 1, 11), tvgp.se(0.3), options)
local first = policy:ask(1)
assert(first.kind == "action" and first.x[1] == first.arm / 10)
policy:tell(first, 0.5)
policy:observe(0.5, 0.7, { t = 1.5, noise_var = 0.1 })
local second = policy:ask_many(2, 1)
assert(#second == 1)
policy:tell(second[1], nil, { outcome = "skipped" })
assert(policy:stat("values") == 1 and policy:stat("unsolicited") == 1 and policy:stat("skipped") == 1)
local mean, var = policy:predict(2, { 0.5, 1.0 })
assert(#mean == 2 and var[1] < var[2])
local means, vars = policy:predict(2)
assert(#means == 11 and means[6] == mean[1] and vars[11] == var[2])
local best, arm = policy:best(2)
assert(best[1] == arm / 10)
local mask = {}
for i = 1, 11 do mask[i] = i == 8 end
policy:set_available(mask)
assert(policy:ask(3).arm == 7)

local function fails(name, text, call, ...)
    local good, e = pcall(call, ...)
    assert(not good and e.name == name and tostring(e):find(text, 1, true), tostring(e))
end
fails("TVGP_ERR_TICKET", "tell", policy.tell, policy, first, 1)
fails("TVGP_ERR_STATE", "after the first ask", policy.set, policy, { noise = 1 })
fails("TVGP_ERR_NOTFOUND", "nearest is 'tv-gp-ucb'", tvgp.policy, "tv-gp-ucp", tvgp.grid(0, 1, 3))
fails("TVGP_ERR_OPTION", "noise", tvgp.policy, "gp-ucb", tvgp.grid(0, 1, 3), tvgp.se(1), { noise = -1 })
assert(not pcall(policy.tell, policy, 1, "1"))

local twin = tvgp.policy("tv-gp-ucb", tvgp.grid(0, 1, 11), tvgp.se(0.3))
twin:load(policy:save())
assert(twin:ask(4).arm == policy:ask(4).arm and twin:stat("values") == 1)
fails("TVGP_ERR_FORMAT", "", twin.load, twin, "nothing")

local plane = tvgp.policy("gp-ucb", tvgp.box({ 0, 0 }, { 1, 2 }), tvgp.matern(0.5, { dim = 2 }), { sense = "min" })
assert(plane:ask(0).arm == -1 and #plane:ask(0).x == 2)

local levels, loads = tvgp.grid(0, 1, 3), tvgp.grid(0, 10, 2)
local joint = tvgp.product(levels, loads)
local busy = tvgp.policy("gp-ucb", joint, tvgp.se({ 0.3, 3 }), { noise = 0.1 })
busy:set_prior_mean({ 0, 0, 0, 0, 0, 9 })
busy:set_context(1)
local asked = busy:ask(0)
local action, context = tvgp.split(joint, asked.arm)
assert(asked.arm == 5 and action == 2 and context == 1 and asked.x[1] == 1 and asked.x[2] == 10)
busy:tell(asked, 1)
busy:extend(tvgp.product(tvgp.append(levels, { 2 }), loads), { 20, 20 })
asked = busy:ask(1)
assert(asked.arm == 7 and asked.x[1] == 2)
fails("TVGP_ERR_ARG", "does not begin", busy.extend, busy, joint)
assert(not pcall(busy.extend, busy, joint, { 0 }))
local measured = tvgp.policy("gp-ucb", tvgp.product(levels, tvgp.box(0, 10)), tvgp.se({ 0.3, 3 }))
fails("TVGP_ERR_STATE", "set_context_point", measured.ask, measured, 0)
measured:set_context_point(2.5)
asked = measured:ask(0)
assert(asked.x[1] == asked.arm / 2 and asked.x[2] == 2.5)
assert(tvgp.policy("random", tvgp.indices(4)):ask(0).propensity == 0.25) -- chance needs no kernel

-- A program that has the bytes alone.
local corner = tvgp.box({ 0, 2 }, { 1, 4 })
local lower, upper = tvgp.bounds(corner)
assert(tvgp.type_of(corner) == "box" and lower[1] == 0 and lower[2] == 2 and upper[1] == 1 and upper[2] == 4)
local before = tvgp.policy("gp-ucb", corner, tvgp.se(0.5, { dim = 2 }))
assert(#before:pending() == 0)
local under_way = { before:ask(0), before:ask(0) }
local after = tvgp.restore(before:save(true))
assert(after:name() == "gp-ucb" and tvgp.type_of(after.domain) == "box" and after.dim == 2 and #after:pending() == 2)
for i, query in ipairs(after:pending()) do
    assert(query.id == under_way[i].id and query.x[2] == under_way[i].x[2] and query.score == under_way[i].score)
    before:tell(query, 1)
    after:tell(query, 1)
end
assert(#after:pending() == 0 and after:ask(1).x[1] == before:ask(1).x[1])

-- Each call is refused, with a text in which `wanted` occurs.
local function refused(wanted, calls)
    for i, call in ipairs(calls) do
        local good, e = pcall(call)
        assert(not good and tostring(e):find(wanted), ("call %d: %s"):format(i, tostring(e)))
    end
end

local function wrong_kind_of_object()
    local where, kernel = tvgp.grid(0, 1, 5), tvgp.se(0.3)
    local p = tvgp.policy("gp-ucb", where, kernel)
    refused("is not a domain", {
        function() tvgp.policy("gp-ucb", kernel, kernel) end, function() tvgp.policy("gp-ucb", p, kernel) end,
        function() tvgp.policy("gp-ucb", 8, kernel) end, function() tvgp.policy("gp-ucb", nil, kernel) end,
        function() tvgp.product(kernel, where) end, function() tvgp.product(where, kernel) end,
        function() tvgp.append(kernel, { 1 }) end, function() tvgp.split(kernel, 0) end, function() p:extend(kernel) end })
    refused("is not a kernel", {
        function() tvgp.policy("gp-ucb", where, where) end, function() tvgp.policy("gp-ucb", where, where.handle) end,
        function() tvgp.policy("gp-ucb", where, 8) end, function() tvgp.policy("gp-ucb", where, false) end })
    refused("is not a", {
        function() p:load(8) end, function() p:load({ 1, 2 }) end, function() p:observe("0.5", 1) end, function() p:set_prior_mean("1") end,
        function() p:stat(8) end, function() p:tell("1", 1) end, function() p:tell(nil, 1) end, function() p:set_prior_mean(false) end })
    assert(p:stat("values") == 0)
end

local function ragged_and_short_arrays()
    local plane = tvgp.arms({ { 0, 1 }, { 2, 3 } })
    local p = tvgp.policy("gp-ucb", plane, tvgp.se(0.5, { dim = 2 }))
    refused("a point has %d+ coordinates, not %d+", {
        function() tvgp.arms({ { 0, 1 }, { 2 } }) end, function() tvgp.arms({ { 0, 1 }, { 2, 3, 4, 5 } }) end,
        function() tvgp.arms({ 0, { 1, 2 } }) end, function() tvgp.arms({ {}, {} }) end,
        function() tvgp.append(plane, { { 1 }, { 2 } }) end, function() tvgp.append(plane, { { 0, 1 }, { 2 } }) end,
        function() p:predict(0, { { 0, 1, 1 }, { 0 } }) end, function() tvgp.table({ { 1, 0, 0 }, { 1 } }) end,
        function() p:observe({ 1 }, 1) end })
    refused("numbers are n", {
        function() tvgp.append(plane, { 1, 2, 3 }) end, function() p:predict(0, { 1, 2, 3 }) end,
        function() tvgp.table({ { 1, 0.5 }, { 0.5 } }) end, function() tvgp.table({ 1, 2, 3, 4, 5 }) end })
    refused("is not a number", {
        function() tvgp.arms({ { 0, 1 }, nil, { 2, 3 } }) end, function() tvgp.arms({ 0, nil, 2 }) end,
        function() tvgp.append(plane, { { nil, 1 } }) end, function() p:set_prior_mean({ nil, 1 }) end })
    refused("1, 1, 2", { function() tvgp.grid(0, 1, { 5, 5 }) end })
    refused("2, 1", { function() tvgp.box({ 0, 0 }, 1) end })
    refused("is not true or false", {
        function() p:set_available({ true, nil, true }) end, function() p:set_available({ true, 0 }) end })
    refused("mean has %d+ values for 1 new arms", {
        function() p:extend(tvgp.append(plane, { 4, 5 }), {}) end, function() p:extend(tvgp.append(plane, { 4, 5 }), { 1, 2 }) end })
    fails("TVGP_ERR_DIM", "0", p.set_available, p, {})
    fails("TVGP_ERR_DIM", "0", p.set_prior_mean, p, {})
    assert(p:stat("values") == 0)
end

local function numbers_and_names()
    local where = tvgp.grid(0, 1, 11)
    local pairs_of, p = tvgp.product(where, where), tvgp.policy("gp-ucb", where, tvgp.se(1))
    local id = p:ask(0).id
    refused("is no whole number", {
        function() tvgp.split(pairs_of, 1.5) end, function() tvgp.split(pairs_of, 2 ^ 64) end, function() tvgp.split(pairs_of, 2 ^ 70) end,
        function() tvgp.indices(2.5) end, function() tvgp.indices(-1) end, function() tvgp.indices(2 ^ 64 + 4096) end,
        function() tvgp.grid(0, 1, 10.5) end, function() tvgp.grid(0, 1, 2 ^ 64 + 4096) end, function() tvgp.se(1, { dim = 1.5 }) end,
        function() tvgp.matern(1, { dim = 2 ^ 64 }) end, function() p:tell(id + 0.5, 1) end, function() p:tell(2 ^ 64, 1) end,
        function() p:set_context(-2) end, function() p:ask_many(1, 0) end, function() p:ask_many(1, -1) end,
        function() tvgp.random_normal(-1, 1000, 0, 1) end, function() tvgp.random_normal(1, 1000.5, 0, 1) end })
    refused("2%^32", { function() tvgp.random_normal(1, 2 ^ 32 + 1000, 0, 1) end })
    refused("holds a NUL", {
        function() tvgp.policy("gp-ucb\0x", where, tvgp.se(1)) end, function() p:stat("values\0x") end,
        function() tvgp.policy("gp-ucb", where, tvgp.se(1), { sense = "min\0x" }) end,
        function() tvgp.policy("gp-ucb", where, tvgp.se(1), { ["noise\0x"] = 1 }) end })
    assert(p:stat("values") == 0 and p:stat("asked") == 1)
end

-- Functions by their names in C: what cannot be is refused before the call.
do
    local c = tvgp.c
    local p = tvgp.policy("gp-ucb", tvgp.grid(0, 1, 5), tvgp.se(0.3))
    assert(c.policy_predict(p, 0)[3] == p:predict(0)[3])
    local function refused(text, ...)
        local fine, why = pcall(...)
        assert(not fine and tostring(why):find(text, 1, true), tostring(why))
    end
    refused("t is missing", c.policy_predict, p)
    refused("no policy", c.policy_predict, tvgp.se(1), 0)
    refused("takes 3 arguments", c.policy_ask, p, 0, 1, 2)
    refused("not 2", c.kernel_param_gradient, tvgp.se(1), { 1, 2 }, { 1 }, { 1 })
    refused("no whole number", c.policy_ask, p, 0, 1.5)
    refused("has no why", c.policy_tell, p, { { id = 0, why = 1 } })
    refused("not a point of the domain", c.policy_tell, p, { { id = 0, y = 1, flags = 2, t = 0 } }, { 0.3 })
    assert(p:stat("values") == 0)
end

-- Regression against numbers of NumPy (the third case of python/tests/gp.json), and diverse subsets.
do
    local function near(found, wanted)
        for i, v in ipairs(wanted) do assert(math.abs(found[i] - v) < 1e-9, found[i]) end
    end
    local gp, at = tvgp.gp(tvgp.se(0.3), { noise = 0.01 }), { 0.2, 0.6 }
    gp:add({ 0.1, 0.5, 0.8 }, { 0.2, 0.9, 0.4 })
    local mean, var = gp:predict(at)
    local joint, covariance = gp:predict_covariance(at)
    near(mean, { 0.42530931740700206, 0.8106208571719197 })
    near(joint, mean)
    near(covariance, { 0.04562032909478475, -0.01802570908566764, -0.01802570908566764, 0.023929432820190444 })
    near(var, { covariance[1], covariance[4] })
    near({ gp:log_marginal_likelihood() }, { -2.869429965463431 })
    local draws = gp:sample(at, { draws = 3, seed = 7 })
    assert(#draws == 6 and gp:sample(at, { seed = 7 })[2] == draws[2])
    local again = tvgp.gp_restore(gp:save())
    assert(again:size() == 3 and again:predict(at)[1] == mean[1])
    gp:drop(1)
    gp:set_prior_mean(1)
    assert(type(gp:fit(20)) == "number" and gp:size() == 2)
    assert(not pcall(gp.add, gp, { 0.1 }, { 1, 2 }) and not pcall(tvgp.gp, tvgp.grid(0, 1, 3)))
    local far = tvgp.kdpp_sample(tvgp.se(0.3), { 0, 0.1, 1 }, 2, { steps = 0 })
    table.sort(far)
    assert(#far == 2 and far[1] == 0 and far[2] == 2)
end

for _, test in ipairs({ wrong_kind_of_object, ragged_and_short_arrays, numbers_and_names }) do test() end
policy, plane = nil, nil
collectgarbage()
