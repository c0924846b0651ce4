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
collectgarbage()
local sum = 0
for i, byte in ipairs({string.byte(p:save(), 1, 4000)}) do sum = (sum * 31 + byte) % 2147483647 end
print(sum)
