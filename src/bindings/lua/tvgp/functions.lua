-- SPDX-License-Identifier: MIT
--- Every function of the library by its name in C without tvgp_, for tvgp.c: tvgp.c.policy_ask_one(policy, t). What the C
-- function is given is given here in the same order, but for the lengths of arrays, which are known; what it writes is returned.
-- Functions to be called back get what C gives them (pointers are indexed from 0). Roles of arguments: tvgp/signatures.lua.
local ffi = require("ffi")
local signatures = require("tvgp.signatures")

local given_roles = { handle = true, number = true, text = true, array = true, bytes = true, table = true, values = true, callback = true, pointer = true }
local kept = {} -- functions and records that C may still read

local function find(list, test)
    for _, item in ipairs(list) do
        if test(item) then return item end
    end
end

--- A function for C. An error must not leave through it: a status says that there was one.
local function callback(type, fn)
    local made = ffi.cast(type, function(...)
        local fine, result = pcall(fn, ...)
        if not fine then io.stderr:write(tostring(result), "\n") end
        return fine and (result or 0) or -1000
    end)
    kept[#kept + 1] = made
    return made
end
-- One that returns nothing.
local function procedure(type, fn)
    local made = ffi.cast(type, function(...) pcall(fn, ...) end)
    kept[#kept + 1] = made
    return made
end
local function called(field, fn) return (field.returns == "void" and procedure or callback)(field.pointer, fn) end

--- A record of C from a table; lists in it are arrays of records.
local function record(kind, values, into)
    local fields = signatures.structs[kind]
    local made = into or ffi.new(kind)
    if fields[1].name == "struct_size" then made.struct_size = ffi.sizeof(kind) end
    for key, value in pairs(values) do
        local field = find(fields, function(f) return f.name == key end)
        if not field then error(kind .. " has no " .. key, 0) end
        if field.pointer then
            made[key] = called(field, value)
        elseif type(value) == "table" then
            local list = ffi.new(field.base .. "[?]", #value)
            for i, one in ipairs(value) do record(field.base, one, list[i - 1]) end
            kept[#kept + 1] = list
            made[key] = list
        else
            if type(value) == "string" then kept[#kept + 1] = value end
            made[key] = value
        end
    end
    return made
end

local function texts(list)
    if list == nil then return nil end
    local found = {}
    while list[#found] ~= nil do found[#found + 1] = ffi.string(list[#found]) end
    return found
end

--- A record as a table: texts as strings, lists of texts as tables.
local function read(kind, from)
    local found = {}
    for _, field in ipairs(signatures.structs[kind]) do
        local value = from[field.name]
        if field.type == "const char *" then
            found[field.name] = value ~= nil and ffi.string(value) or nil
        elseif field.type == "const char *const *" then
            found[field.name] = texts(value)
        elseif not field.type:find("*", 1, true) and field.count == 1 then
            found[field.name] = tonumber(value)
        end
    end
    return found
end

--- The functions. `of` says how C and the binding belong together: of.address(class, object, what) is the address of an object,
-- of.made(class, address) an object, of.check(status) raises an error, of.flatten(values, into) a list of numbers, of.whole(what, value,
-- lower) and of.text(what, value) refuse what C would change.
return function(C, of)
    local c = {}
    local sizes = {
        dim = function(class, v)
            if class == "gp" then return c.kernel_dim((c.gp_kernels(v))) end
            return c[class .. "_dim"](v)
        end,
        arms = function(class, v) return c.domain_size(class == "policy" and c.policy_domain(v) or v) end,
        parameters = function(class, v)
            if class ~= "gp" then return c.kernel_param_count(v) end
            local space, time = c.gp_kernels(v)
            return c.kernel_param_count(space) + (time and c.kernel_param_count(time) or 0) + 1
        end,
    }

    local function run(name, spec, ...)
        local value, class, wanted, n = {}, {}, {}, select("#", ...)
        local arguments = { ... }
        for _, arg in ipairs(spec.args) do
            if given_roles[arg.role] then
                wanted[#wanted + 1] = arg.name
                value[arg.name] = arguments[#wanted]
                class[arg.name] = arg.class
                if arguments[#wanted] == nil and not (arg.optional or arg.role == "callback" or arg.role == "pointer") then
                    error(("%s: %s is missing"):format(name, arg.name), 0)
                end
            end
        end
        if n > #wanted then error(("%s(%s) takes %d arguments, not %d"):format(name, table.concat(wanted, ", "), #wanted, n), 0) end
        local counts, passed, ctx = {}, {}, nil
        for _, arg in ipairs(spec.args) do
            if arg.role == "handle" and value[arg.name] ~= nil then ctx = ctx or of.context(value[arg.name]) end
        end

        local function counted(factor)
            local arg = find(spec.args, function(a) return a.role == "count" and a.name == factor end)
            return arg and arg.of
        end
        local function factor(text)
            local more, less = text:match("^(.-)%-(.*)$")
            if more then return factor(more) - factor(less) end
            local object, size = text:match("^(.-)%.(.*)$")
            if object then return sizes[size](class[object], value[object]) end
            return counts[text] or value[text]
        end
        local function product(arg, but)
            local result = 1
            for _, f in ipairs(arg.length) do
                if not but or counted(f) ~= but then result = result * factor(f) end
            end
            return result
        end
        local function measure(arg, size)
            local known = product(arg, arg.name)
            local tells = find(arg.length, function(f) return counted(f) == arg.name end)
            if tells and (known == 0 or size % known ~= 0) or not tells and size ~= known then
                error(("%s: %s has %d entries, %s %d"):format(name, arg.name, size, tells and "no multiple of" or "not", known), 0)
            end
            if tells then counts[tells] = size / known end
        end
        local function array(arg)
            local list, made = value[arg.name], nil
            if list == nil then return nil end
            if signatures.structs[arg.base] then
                made = ffi.new(arg.base .. "[?]", math.max(#list, 1))
                for i, one in ipairs(list) do record(arg.base, one, made[i - 1]) end
            else
                list = of.flatten(list, {})
                if arg.base ~= "double" then
                    for _, v in ipairs(list) do of.whole(name .. ": " .. arg.name, v, -2 ^ 53) end
                end
                made = ffi.new(arg.base .. "[?]", math.max(#list, 1), list)
            end
            measure(arg, #list)
            return made
        end
        for pass = 1, 2 do -- arrays that tell a count first
            for _, arg in ipairs(spec.args) do
                local tells = find(spec.args, function(a) return a.role == "count" and a.of == arg.name end)
                if (tells ~= nil) == (pass == 1) then
                    if arg.role == "array" then passed[arg.name] = array(arg) end
                    if arg.role == "bytes" then
                        passed[arg.name] = value[arg.name]
                        counts[tells.name] = #value[arg.name]
                    end
                    for _, count in ipairs(spec.args) do
                        if count.of == arg.name and not counts[count.name] then -- no array was given
                            local function fill(a) return a.role == "out" and find(a.length, function(f) return f == count.name end) end
                            local fills = find(spec.args, function(a) return fill(a) or a.members and find(a.members, fill) end)
                            counts[count.name] = fills and factor(spec.args[1].name .. ".arms") or 0
                        end
                    end
                end
            end
        end

        local function output(arg)
            local kind = arg.role == "made" and "tvgp_" .. arg.class .. " *" or arg.base == "char" and "const char *" or arg.base
            local made = ffi.new(kind .. "[?]", math.max(arg.length and #arg.length > 0 and product(arg) or 1, 1))
            if signatures.structs[arg.base] and arg.role == "out" then record(arg.base, {}, made[0]) end
            return made
        end
        local function argument(arg)
            local v = value[arg.name]
            if arg.role == "handle" then
                if v == nil and arg.optional then return nil end
                return of.address(arg.class, v, name .. ": " .. arg.name)
            elseif arg.role == "number" then
                return arg.type == "double" and v or of.whole(name .. ": " .. arg.name, v, (arg.type == "size_t" or arg.type:sub(1, 1) == "u") and 0 or -2 ^ 53)
            elseif arg.role == "text" then
                return of.text(name .. ": " .. arg.name, v)
            elseif arg.role == "table" then
                if v == nil then return nil end
                passed[arg.name] = record(arg.base, v)
                kept[#kept + 1] = passed[arg.name]
                return passed[arg.name]
            elseif arg.role == "values" then
                local made = record(arg.base, {})
                for word in v:gmatch("%S+") do
                    local member = find(arg.members, function(m) return m.name == word end)
                    if not member then error(("%s has no %s"):format(name, word), 0) end
                    passed[word] = output({ role = "out", base = "double", length = member.length })
                    made[word] = passed[word]
                end
                return made
            elseif arg.role == "callback" then
                return v ~= nil and called(signatures.callbacks[arg.base], v) or nil
            elseif arg.role == "count" then
                return counts[arg.name]
            elseif arg.role == "out" or arg.role == "made" or arg.role == "written" then
                passed[arg.name] = output(arg)
                return passed[arg.name]
            end
            return passed[arg.name] or v
        end
        local function written(arg)
            local out = passed[arg.name]
            if arg.role == "made" then return out[0] ~= nil and of.made(arg.class, out[0], ctx) or nil end
            if arg.base == "char" then return out[0] ~= nil and ffi.string(out[0]) or nil end
            local take = signatures.structs[arg.base] and function(v) return read(arg.base, v) end or tonumber
            if #arg.length == 0 then return take(out[0]) end
            local count = product(arg)
            local limit = find(spec.args, function(a)
                return a.role == "written" and find(arg.length, function(f) return f == a.limit end)
            end)
            if limit then count = value[limit.limit] == 0 and 0 or count / value[limit.limit] * tonumber(passed[limit.name][0]) end
            local list = {}
            for i = 1, count do list[i] = take(out[i - 1]) end
            return list
        end

        local call, taken, last = C["tvgp_" .. name], {}, #spec.args
        local buffer = find(spec.args, function(a) return a.role == "buffer" end)
        if buffer then
            for i = 1, last - 3 do taken[i] = argument(spec.args[i]) end
            local size = ffi.new("size_t[1]")
            taken[last - 2], taken[last - 1], taken[last] = 0, nil, size
            of.check(call(unpack(taken, 1, last)), ctx)
            local bytes = ffi.new("uint8_t[?]", size[0])
            taken[last - 2], taken[last - 1] = size[0], bytes
            of.check(call(unpack(taken, 1, last)), ctx)
            return ffi.string(bytes, size[0])
        end
        for i = 1, last do taken[i] = argument(spec.args[i]) end
        local status = call(unpack(taken, 1, last))
        if spec.returns ~= "tvgp_status" then return spec.returns == "const char *" and ffi.string(status) or nil end
        of.check(status, ctx)
        local outputs, m = {}, 0
        for _, arg in ipairs(spec.args) do
            if arg.role == "out" or arg.role == "made" then
                m = m + 1
                outputs[m] = written(arg)
            end
            for _, member in ipairs(arg.members or {}) do
                m = m + 1
                outputs[m] = passed[member.name] and written({ name = member.name, role = "out", base = "double", length = member.length }) or {}
            end
        end
        if spec.again then
            m = m + 1
            outputs[m] = status
        end
        return unpack(outputs, 1, m)
    end

    for name, spec in pairs(signatures.functions) do
        c[name] = of.own[name] or function(...) return run(name, spec, ...) end
    end
    return c
end
