-- SPDX-License-Identifier: MIT
-- values.lua TABLE: tries the rows of values.txt in Lua.
local tvgp = require("tvgp")

local p = tvgp.policy("tv-gp-ucb", tvgp.grid(0, 1, 11), tvgp.se(0.3), { noise = 0.01 })
local query
local function fresh(options) return tvgp.policy("gp-ucb", tvgp.grid(0, 1, 3), tvgp.se(1), options) end
local calls = {
    y = function(v)
        query = p:ask(p:stat("asked"))
        p:tell(query, v)
    end,
    query = function(v) p:tell(v, 1) end,
    noise_var = function(v) p:observe(0.5, 1, { t = 1e10, noise_var = v }) end,
    t = function(v) p:ask(v) end,
    exposure = function(v) p:observe(0.5, 1, { t = 1e10, exposure = v }) end,
    outcome = function(v) p:tell(query, nil, { outcome = v }) end,
    member = function(v) p:tell(query, 1, { [v] = 1 }) end,
    x = function(v) p:observe(v, 1, { t = 2e9 }) end,
    plane = function(v) tvgp.append(tvgp.arms({ { 0, 1 }, { 2, 3 } }), v) end,
    cap = function(v) p:ask_many(1e10, v) end,
    ["option noise"] = function(v) fresh({ noise = v }) end,
    ["option nosie"] = function(v) fresh({ nosie = v }) end,
    ["policy tv-gp-ucp"] = function() tvgp.policy("tv-gp-ucp", tvgp.indices(2)) end,
    ["statistic valeus"] = function() p:stat("valeus") end,
    mask = function(v) p:set_available(v) end,
    mean = function(v) p:set_prior_mean(v) end,
    ["grid points"] = function(v) tvgp.grid(0, 1, v) end,
}
local values = {
    ["whole number"] = 3, nan = 0 / 0, infinity = math.huge, ["text 12,5"] = "12,5", ["text 7"] = "7", ["text abc"] = "abc",
    ["list of two"] = { 1, 2 }, ["fraction of an id"] = 1.5, ["2^64"] = 2 ^ 64, ["minus one"] = -1, ["text 2026-01-31"] = "2026-01-31", fail = "fail",
    noisevar = "noisevar", rounded = 0.30000001192092896, ["between two points"] = 0.33, ["two coordinates"] = { 0.1, 0.2 },
    ragged = { { 1, 2 }, { 3 } }, ["one coordinate"] = { { 1 }, { 2 } }, zero = 0, number = 1, two = { true, 2 }, short = { true, false },
}
local special = { ["mean nan"] = {}, ["mean short"] = { 1, 2 }, ["cap fraction"] = 1.5, ["grid points fraction"] = 2.5 }
for i = 1, 11 do special["mean nan"][i] = 0 / 0 end
-- Where nil is the absence of an argument, it is refused too.
local none = { ["y nothing"] = true, ["query nothing"] = true, ["t nothing"] = true, ["x nothing"] = true }

local function state() return p:stat("values") .. " " .. p:stat("unsolicited") .. " " .. p:stat("pending") end

local rows, tried = 0, 0
for line in io.lines(arg[1]) do
    local call, value, result = line:match("^([^#\t][^\t]*)\t([^\t]*)\t(.*)$")
    rows = rows + (call and 1 or 0)
    local key = call and call .. " " .. value
    if call and (values[value] ~= nil or special[key] ~= nil or none[key]) then
        local before, given = state(), special[key]
        if given == nil then given = values[value] end
        local good, e = pcall(calls[call], given)
        local said = good and "taken" or tostring(e)
        if not good then
            if call == "y" then p:tell(query, nil, { outcome = "cancelled" }) end
            assert(state() == before, key)
        end
        local found = false
        for part in result:gmatch("[^|]+") do found = found or said:find(part, 1, true) ~= nil end
        assert(found, key .. ": " .. said)
        tried = tried + 1
    end
end
print(("lua: %d of %d rows"):format(tried, rows))
assert(tried >= 47)
