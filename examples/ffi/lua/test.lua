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
busy:set_mean({ 0, 0, 0, 0, 0, 9 })
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
fails("TVGP_ERR_STATE", "set_context_x", measured.ask, measured, 0)
measured:set_context_x(2.5)
asked = measured:ask(0)
assert(asked.x[1] == asked.arm / 2 and asked.x[2] == 2.5)
assert(tvgp.policy("random", tvgp.indices(4)):ask(0).propensity == 0.25) -- chance needs no kernel
policy, plane = nil, nil
collectgarbage()
