-- SPDX-License-Identifier: MIT
-- What the game of calls.py needs in Lua; every.py writes the calls behind it.
local ffi = require("ffi")
local c = require("tvgp").c
jit.off() -- functions that C calls back must not be called from compiled code

local double = ffi.new("union { double d; struct { uint32_t low, high; } u; }")
local function one(code, value)
    if code == "d" then
        double.d = value
        return ("%08x%08x"):format(double.u.high, double.u.low)
    elseif code == "o" then
        return value == nil and "none" or "object"
    elseif code == "b" then
        local sum = 0
        for i = 1, #value do sum = sum + value:byte(i) end
        return ("%d bytes, sum %d"):format(#value, sum)
    end
    return type(value) == "number" and ("%d"):format(value) or tostring(value)
end
local function show(name, code, value, fields)
    if code == "r" then
        for _, record in ipairs(#value > 0 and value or next(value) and { value } or {}) do
            for _, field in ipairs(fields) do show(name .. "." .. field[1], field[2], record[field[1]]) end
        end
        return
    end
    local parts = { name }
    for _, item in ipairs(type(value) == "table" and code ~= "o" and value or { value == nil and "none" or value }) do
        parts[#parts + 1] = item == "none" and item or one(code, item)
    end
    print(table.concat(parts, " "))
end

local function logger() end
local function interrupt() return 0 end
local function destroyed() end
local function mean(_, n, X, out, gradient)
    for i = 0, tonumber(n) - 1 do
        out[i] = 0.5 * X[i]
        if gradient ~= nil then gradient[i] = 0.5 end
    end
end
local function feasible(_, n, X, ok)
    for i = 0, tonumber(n) - 1 do ok[i] = X[i] <= 0.7 and 1 or 0 end
end
local function block(_, n, X, m, Z, K, ldk)
    for i = 0, tonumber(n) - 1 do
        for j = 0, tonumber(m) - 1 do K[i * tonumber(ldk) + j] = 1 / (1 + (X[i] - Z[j]) ^ 2) end
    end
end
local function points(_, n, dim, X)
    for i = 0, tonumber(n * dim) - 1 do X[i] = math.sqrt(i) end
end
local comm = { rank = 0, size = 1, bcast = function() return 0 end, max = function() return 0 end }
local kernel_type = { name = "every-kernel", block = block }
local domain_type = { name = "every-domain", points = points }
local policy_type = { name = "every-policy", start = function() return 0 end, ask = function(_, _, _, q) q[0].arm = 2 end }
local v = {}

