-- SPDX-License-Identifier: MIT
-- The C module for Lua: the same game in every version prints the same bytes.
local tvgp = require "tvgp"
local function fails(said, run, ...)
    local ok, message = pcall(run, ...)
    assert(not ok and string.find(message, said, 1, true), message)
end
local p = tvgp.create("tv-gp-ucb grid=0:1:11 se=.2 noise=.01")
local saved
for t = 1, 40 do
    local id, arm, x, propensity = p:ask(t)
    assert(id == t and x[1] == arm / 10 and propensity == 1)
    if t % 5 == 0 then
        assert(p:tell(id, nil))
    else
        assert(p:tell(id, (t * 0.618034) % 1, t % 3 == 0 and t - .5 or nil))
        assert(not p:tell(id, 1))
    end
    if t == 20 then saved = p:save() end
end
p:observe({0.5}, 1, 40)
local q = tvgp.create("tv-gp-ucb grid=0:1:11 se=.2 noise=.01")
q:load(saved)
assert(q:stat("asked") == 20)
q:apply('{"n":1,"call":"tell","id":0,"t":20,"y":1,"x":[0.3]}')
local mean, sd = q:predict(21)
assert(#mean == 11 and sd[4] < .2)
local arm, x = q:best(21)
assert(x[1] == arm / 10)
fails("no domain", tvgp.create, "gp-ucb")
fails("unknown statistic", p.stat, p, "nope")
fails("newest time", p.ask, p, 1)
fails("tvgp_policy_load", p.load, p, "")
fails("byte", p.apply, p, "{}")
fails("tvgp.policy", p.ask, {}, 1)
q = nil
-- slates, shares, budgets, counts and ratios
local s = tvgp.create("tv-gp-ucb grid=0:1:11 se=.2 noise=.01")
local items = s:ask_slate(1, 3)
assert(#items == 3 and items[3].id == 3 and items[1].arm ~= items[2].arm and items[2].x[1] == items[2].arm / 10)
for i, item in ipairs(items) do assert(s:tell(item.id, i)) end
local share, probability = s:shares(2, 2000, 2, .1)
local total = 0
for i = 1, 11 do
    total = total + share[i]
    assert(share[i] >= .1 / 11 and probability[i] >= 0)
end
assert(math.abs(total - 1) < 1e-12 and probability[items[3].arm + 1] > .3)
local kept = {.5, .3, .2, 0}
for key, arm in ipairs({0, 1, 1, 2, 2, 0, 0, 0, 0, 2, 1, 0}) do assert(tvgp.assign(kept, key, 7) == arm) end
s:set_budget(4, 10, 10)
s:set_costs({.1, .1, .1, .1, .1, 1, 1, 1, 1, 1, 1})
local paid = s:ask(3)
assert(s:charge(paid, 2) and not s:charge(paid, 2) and s:stat("budget.spent") == 2)
assert(s:tell(paid, 1))
local counts = tvgp.create("tv-gp-ucb grid=0:1:11 se=.2 outcome.type=binomial")
assert(counts:tell(counts:ask(1), 3, nil, 10))
local shop = tvgp.create("auto-gp-ucb names=a,b,c outcome.type=binomial")
shop:set_payoffs({9, 11, 13.5})
fails("payoffs", shop.set_payoffs, shop, {1, 2})
fails("number", shop.set_payoffs, shop, {1, "a", 2})
shop:set_payoffs({})
shop:set_costs({1, 2, 3})
shop:set_cost_weight(.5)
assert(shop:stat("cost.weight") == .5)
fails("weight", shop.set_cost_weight, shop, -1)
assert(shop:fit() == true and shop:fit(1) == true)
assert(tvgp.create("tv-gp-ucb grid=0:1:11 se=.2 fit=off"):fit() == true)
fails("pieces", shop.fit, shop, 0)
fails("pieces", shop.fit, shop, 1.5)
local ratios = tvgp.create("tv-gp-ucb grid=0:1:11 se=.2 outcome.type=ratio")
assert(ratios:tell(ratios:ask(1), 3, nil, nil, 2))
fails("k = ", s.ask_slate, s, 4, 0)
fails("draws", s.shares, s, 4, 0)
fails("power", s.shares, s, 4, 10, 0)
fails("shares must", tvgp.assign, {0, 0}, 1)
fails("key", tvgp.assign, {1, 1}, -1)
fails("costs", s.set_costs, s, {1, 2})
fails("budget", s.set_budget, s, 0, 1, 1)
fails("number", s.set_costs, s, {1, "a"})
-- the most coordinates: arms of `n` in contexts of `m`; more than the library takes are refused
local function wide(n, m)
    local function point(v) return string.rep(v .. ":", n - 1) .. v end
    local contexts = m == 1 and "2" or string.rep("0:1,", m - 1) .. "0:1"
    local ok, w = pcall(tvgp.create, "gp-ucb arms=" .. point("0") .. "," .. point(".5") .. "," .. point("1") .. " contexts=" .. contexts .. " se=1")
    return ok and w
end
for _, size in ipairs({{64, 64}, {64, 1}, {63, 1}}) do
    local w = wide(size[1], size[2])
    assert(w or size[1] == 64)
    if w and size[2] == 1 then
        local id, _, x = w:ask(1)
        local dim, point = size[1] + size[2], select(2, w:best(1))
        assert(#x == dim and #point == dim)
        point[dim] = 1
        w:observe(point, 1, 1)
        point[dim + 1] = 1
        fails("numbers", w.observe, w, point, 1, 2)
        assert(#w:ask_slate(2, 2) == 2)
    elseif w then
        local point = {}
        for i = 1, 128 do point[i] = .5 end
        w:observe(point, 1, 1)
    end
end
-- the most names, the longest name and many arms
local most, names = 2^20 - 1 - #"random names=", {}
for i = 1, math.floor((most + 1) / 7) do names[i] = string.format("%06x", i) end
names[1] = names[1] .. string.rep("n", (most + 1) % 7)
local text = "random names=" .. table.concat(names, ",")
fails("a description of 1048576 bytes, at most 1048575", tvgp.create, text .. "a")
for _, w in ipairs({tvgp.create(text), tvgp.create("random names=" .. string.rep("n", most - 2) .. ",b"), tvgp.create("random indices=1000000")}) do
    local id, arm = w:ask(1)
    assert(id == 1 and arm >= 0 and w:tell(id, 1) and w:ask(2) == 2)
end
-- pending and failed queries
local w = tvgp.create("gp-ucb indices=3")
for t = 1, 3 do w:ask(t) end
local ids = w:pending()
assert(#ids == 3 and ids[1] == 1 and w:fail(1) and not w:fail(1) and w:pending()[1] == 2)
-- the value of another policy: the golden numbers of tests/test_serve.c
local log = {{0, 1, 2, 3, 5, 6, 7, 8}, {0, 1, 0, 2, 1, 0, 1, 0}, {1, .4, .8, .1, .5, 1.2, .3, .9}, {.9, .05, .9, .05, .9, .05, .9, .9}}
local target, model = {}, {{.9, .5, .3}, {1, .4, .3}, {1, .4, .2}, {.9, .5, .2}, {.9, .5, .1}, {.8, .5, .1}, {1.1, .5, .1}, {1.1, .4, .1}}
for i = 1, 8 do target[i] = i <= 4 and {.2, .7, .1} or {0, 1, 0} end
local function near(a, b) assert(math.abs(a - b) < 1e-6, a) end
local v = tvgp.off_policy_value(log, target, model)
near(v.dm, .5025) near(v.ips, .8861111) near(v.snips_se, .0358074) near(v.dr, .4469444) near(v.dr_se, .0348977)
assert(v.used == 8 and v.missing == 0 and not v.reliable)
near(tvgp.off_policy_value(log, target, model, 8, 2).dr, .4060227)
assert(tvgp.off_policy_value(log, target).dm == 0)
assert(tvgp.off_policy_value({{0}, {0}, {1}, {.5}}, {{1, 0}}).ips == 2)
fails("log[2]", tvgp.off_policy_value, {log[1], {0}, log[3], log[4]}, target)
fails("target[8]", tvgp.off_policy_value, log, {target[1], target[1], target[1], target[1], target[1], target[1], target[1], {1}})
fails("model has", tvgp.off_policy_value, log, target, {})
fails("now", tvgp.off_policy_value, log, target, model, 7)
fails("half_life", tvgp.off_policy_value, log, target, model, 8, 0)
fails("arm", tvgp.off_policy_value, {log[1], {0, 1, 0, 2.5, 1, 0, 1, 0}, log[3], log[4]}, target)
fails("table", tvgp.off_policy_value, log)
collectgarbage()
local sum = 0
for i, byte in ipairs({string.byte(p:save(), 1, 4000)}) do sum = (sum * 31 + byte) % 2147483647 end
print(sum)
