-- The steps of Sluice, compiled from TypeScript: see docs/internals/redis.md. Nothing here was written by hand but this opening.

local math, string, table, type, tostring, tonumber = math, string, table, type, tostring, tonumber
local pairs, ipairs, next, select, unpack, error, pcall = pairs, ipairs, next, select, unpack, error, pcall
local setmetatable, getmetatable, cjson, cmsgpack = setmetatable, getmetatable, cjson, cmsgpack

-- The key of the latest command: where a step fails on what it has read, that is where to look.
local latestKey = ""
local call = redis.call
local redis = {
    call = function(command, key, ...)
        if key == nil then return call(command) end
        latestKey = key
        return call(command, key, ...)
    end,
    latestKey = function() return latestKey end,
}

local modules, loaded = {}, {}
local function use(name)
    local found = loaded[name]
    if found == nil then
        found = modules[name]()
        loaded[name] = found
    end
    return found
end

local function require(name) return use(name) end

-- A number as JavaScript writes it: whole ones without a fraction, others so that they are read back the same.
local function numeral(value)
    if value ~= value or value == math.huge or value == -math.huge then error("a number that nobody has written: " .. tostring(value)) end
    if value == math.floor(value) and value > -9007199254740993 and value < 9007199254740993 then return string.format("%.0f", value) end
    local short = string.format("%.15g", value)
    if tonumber(short) == value then return short end
    return string.format("%.17g", value)
end

local escapes = { ['"'] = '\\"', ["\\"] = "\\\\", ["\n"] = "\\n", ["\r"] = "\\r", ["\t"] = "\\t" }
local function escaped(text)
    return '"' .. string.gsub(text, '[%c"\\]', function(one)
        return escapes[one] or string.format("\\u%04x", string.byte(one))
    end) .. '"'
end

-- Keys in order, so that the same value is the same text. An empty table is written as an array. `special` writes what is no plain table.
local function encode(value, special)
    local kind = type(value)
    if kind == "string" then return escaped(value) end
    if kind == "number" then return numeral(value) end
    if kind == "boolean" then return tostring(value) end
    if kind ~= "table" then return "null" end
    local told = special and special(value)
    if told then return told end
    local count = #value
    if count > 0 or next(value) == nil then
        local parts = {}
        for i = 1, count do parts[i] = encode(value[i], special) end
        return "[" .. table.concat(parts, ",") .. "]"
    end
    local keys = {}
    for key in pairs(value) do keys[#keys + 1] = key end
    table.sort(keys)
    local parts = {}
    for i, key in ipairs(keys) do parts[i] = escaped(key) .. ":" .. encode(value[key], special) end
    return "{" .. table.concat(parts, ",") .. "}"
end

local JSON = {
    stringify = function(_, value) return encode(value) end,
    parse = function(_, text) return cjson.decode(text) end,
}

local function append(list, value) list[#list + 1] = value end
local function appendAll(list, values)
    local count = #list
    for i = 1, #values do list[count + i] = values[i] end
end
local function minOf(values)
    local least = math.huge
    for i = 1, #values do if values[i] < least then least = values[i] end end
    return least
end
local function maxOf(values)
    local most = -math.huge
    for i = 1, #values do if values[i] > most then most = values[i] end end
    return most
end

-- Parts of the compiler's library that mean something else, or are slower than they need be.
local function replaceIn(library)
    -- Stable, as in JavaScript.
    library.__TS__ArraySort = function(list, compare)
        local count = #list
        if count < 2 then return list end
        local before = compare
            and function(a, b) return compare(nil, a, b) <= 0 end
            or function(a, b) return a <= b end
        local from, to, width = list, {}, 1
        while width < count do
            local at = 1
            while at <= count do
                local left, middle, right = at, math.min(at + width, count + 1), math.min(at + 2 * width, count + 1)
                local i, j = left, middle
                for k = left, right - 1 do
                    if i < middle and (j >= right or before(from[i], from[j])) then
                        to[k], i = from[i], i + 1
                    else
                        to[k], j = from[j], j + 1
                    end
                end
                at = right
            end
            from, to, width = to, from, width * 2
        end
        if from ~= list then for i = 1, count do list[i] = from[i] end end
        return list
    end
    library.__TS__ObjectAssign = function(target, ...)
        for i = 1, select("#", ...) do
            local source = select(i, ...)
            if source then for key, value in pairs(source) do target[key] = value end end
        end
        return target
    end
end
