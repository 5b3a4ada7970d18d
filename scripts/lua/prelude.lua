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
    if not string.find(text, '[%c"\\]') then return '"' .. text .. '"' end
    return '"' .. string.gsub(text, '[%c"\\]', function(one)
        return escapes[one] or string.format("\\u%04x", string.byte(one))
    end) .. '"'
end

-- Keys in order, so that the same value is the same text. An empty table is written as an array. `special` writes what is no plain table.
-- Many parts of an answer are one and the same table: the last that had no others inside is not written again.
local leaf, leafText
-- Objects of one kind have the same keys: put in order and written once for all of them, as long as there are not too many kinds.
local kinds, kindCount = {}, 0
local function kindOf(found, size)
    local name = table.concat(found, "\0")
    local known = kinds[name]
    if known and known.size == size then return known end
    local keys, opening = {}, {}
    for i = 1, size do keys[i] = found[i] end
    table.sort(keys)
    for i = 1, size do opening[i] = escaped(keys[i]) .. ":" end
    local made = { size = size, keys = keys, opening = opening }
    -- Keys that have in them what stands between them are not known by their name.
    local _, marks = string.gsub(name, "%z", "")
    if marks == size - 1 and kindCount < 256 then
        kinds[name], kindCount = made, kindCount + 1
    end
    return made
end
local function encode(value, special)
    local kind = type(value)
    if kind == "string" then return escaped(value) end
    if kind == "number" then return numeral(value) end
    if kind == "boolean" then return tostring(value) end
    if kind ~= "table" then return "null" end
    if value == leaf then return leafText end
    -- Asked only about what may be a task: one that was read has a metatable, one that is not stored yet has its fields alone.
    local told = special and (getmetatable(value) or value.readyAtMs) and special(value)
    if told then return told end
    local count = #value
    if count > 0 or next(value) == nil then
        local parts = {}
        for i = 1, count do
            if i > 1 and value[i] == value[i - 1] then parts[i] = parts[i - 1]
            else parts[i] = encode(value[i], special) end
        end
        return "[" .. table.concat(parts, ",") .. "]"
    end
    local found, size, isLeaf = {}, 0, true
    for key, one in next, value do
        size = size + 1
        found[size] = key
        if type(one) == "table" then isLeaf = false end
    end
    local kind = kindOf(found, size)
    local keys, opening, parts = kind.keys, kind.opening, {}
    for i = 1, size do
        local one = value[keys[i]]
        parts[i] = opening[i] .. (type(one) == "string" and escaped(one) or encode(one, special))
    end
    local text = "{" .. table.concat(parts, ",") .. "}"
    if isLeaf then leaf, leafText = value, text end
    return text
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

-- Maps and sets that keep the order of arrival, as in JavaScript; those of the compiler's library are several times slower, above all when
-- they are gone through. What was deleted leaves a hole in the order. Where each key stands there is known from the first deletion on: most
-- of them never see one.
local hole = {}
local ordered = {}
function ordered.____constructor(self, values)
    self.items, self.order, self.places, self.last, self.size = {}, {}, false, 0, 0
    if values then self:fill(values) end
end
function ordered.has(self, key) return self.items[key] ~= nil end
function ordered.get(self, key) return self.items[key] end
function ordered.set(self, key, value)
    local items = self.items
    if items[key] == nil then
        local last = self.last + 1
        self.last, self.order[last], self.size = last, key, self.size + 1
        if self.places then self.places[key] = last end
    end
    items[key] = value
    return self
end
function ordered.add(self, key) return self:set(key, key) end
function ordered.delete(self, key)
    if self.items[key] == nil then return false end
    if not self.places then
        self.places = {}
        for i = 1, self.last do self.places[self.order[i]] = i end
    end
    local place = self.places[key]
    self.order[place], self.places[key], self.items[key], self.size = hole, nil, nil, self.size - 1
    return true
end
function ordered.clear(self) ordered.____constructor(self) end

-- What can be gone through: a map, a set or a list, and what each step tells.
local view = {}
local function stepKeys(of, at)
    local from = of.from
    local order, key = from.order, nil
    repeat
        at = at + 1
        key = order[at]
    until key ~= hole
    if key ~= nil then return at, key end
end
local function stepValues(of, at)
    local key
    at, key = stepKeys(of, at)
    if at then return at, of.from.items[key] end
end
local function stepEntries(of, at)
    local key
    at, key = stepKeys(of, at)
    if at then return at, { key, of.from.items[key] } end
end
local function stepList(of, at)
    local value = of.from[at + 1]
    if value ~= nil then return at + 1, { at, value } end
end
local function viewOf(from, step) return setmetatable({ from = from, step = step }, view) end
function ordered.keys(self) return viewOf(self, stepKeys) end
function ordered.values(self) return viewOf(self, stepValues) end
function ordered.entries(self) return viewOf(self, stepEntries) end

local mapKind, setKind = { prototype = {} }, { prototype = {} }
for _, kind in ipairs({ mapKind, setKind }) do
    for name, method in pairs(ordered) do kind.prototype[name] = method end
    kind.prototype.__index, kind.prototype.constructor = kind.prototype, kind
end
local function iterate(values)
    local kind = getmetatable(values)
    if kind == view then return values.step, values, 0 end
    if kind == mapKind.prototype then return stepEntries, { from = values }, 0 end
    if kind == setKind.prototype then return stepKeys, { from = values }, 0 end
    return ipairs(values)
end
function mapKind.prototype.fill(self, values) for _, entry in iterate(values) do self:set(entry[1], entry[2]) end end
function setKind.prototype.fill(self, values) for _, value in iterate(values) do self:add(value) end end

-- Parts of the compiler's library that mean something else, or are slower than they need be.
local function replaceIn(library)
    library.Map, library.Set, library.__TS__Iterator = mapKind, setKind, iterate
    library.__TS__ArrayEntries = function(list) return viewOf(list, stepList) end
    library.__TS__Spread = function(values)
        local list = {}
        for _, value in iterate(values) do list[#list + 1] = value end
        return unpack(list)
    end
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
    library.__TS__ArrayPush = function(list, first, second, ...)
        local count = #list
        list[count + 1], list[count + 2] = first, second
        for i = 1, select("#", ...) do list[count + 2 + i] = select(i, ...) end
        return #list
    end
    library.__TS__ObjectAssign = function(target, ...)
        for i = 1, select("#", ...) do
            local source = select(i, ...)
            if source then for key, value in pairs(source) do target[key] = value end end
        end
        return target
    end
end
