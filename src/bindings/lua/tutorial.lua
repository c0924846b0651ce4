-- SPDX-License-Identifier: MIT
-- The program of docs/start/tutorial.md in Lua: luajit tutorial.lua PRICES_CSV
local tvgp = require("tvgp")
local PRICES, LAST, END = 41, 120, 240

local function profit(price, day)
    local phase = day % 160 / 80
    local away = price - (10 + 8 * (phase < 1 and phase or 2 - phase))
    return 200 - 80 * away * away / (away * away + 16)
end

local policy = tvgp.policy("auto-gp-ucb", tvgp.grid(5, 25, PRICES))
for line in io.lines(arg[1] or "prices.csv") do
    local day, price, value = line:match("^([%d.]+),([%d.]+),([%d.]+)")
    if day then policy:observe(tonumber(price), tonumber(value), { t = tonumber(day) }) end
end

local noise = tvgp.random_normal(1, 1000, 0, END + 1)
local earned, possible = 0, 0
for day = LAST + 1, END do
    local query, highest = policy:ask(day), 0
    local price = query.x[1]
    policy:tell(query, profit(price, day) + 5 * noise[day + 1])
    for i = 0, PRICES - 1 do highest = math.max(highest, profit(5 + i * 0.5, day)) end
    earned, possible = earned + profit(price, day), possible + highest
    io.write(("%.1f"):format(price), day % 20 ~= 0 and " " or "\n")
end
local best = policy:best(END)
local mean, var = policy:predict(END, best)
print(("tomorrow %.1f, for %.0f +- %.0f; surprise %.1f; earned %.0f of %.0f"):format(
    best[1], mean[1], math.sqrt(var[1]), policy:stat("surprise"), earned, possible))
