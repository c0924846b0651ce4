-- SPDX-License-Identifier: MIT
-- A policy for each worker of nginx (docs/guide/nginx.md). With a lua_shared_dict the workers exchange outcomes: each adds its own
-- and reports those of the others to its policy as unsolicited observations. Entry n is added under the key n in one step, after all
-- earlier ones, so a reader that finds no entry n behind the head has read everything. The last 4,096 entries are kept. There is no lock.
-- Create it in init_worker_by_lua, after the workers were forked.
local tvgp = require "tvgp"

local upstream = {}
upstream.__index = upstream
local KEPT = 4096

-- names: one for each arm, such as addresses. options: options and kernel of a description. dict: a name, or nil.
function upstream.new(names, options, dict)
    local self = setmetatable({names = names, seen = 0, open = {}, count = 0}, upstream)
    self.policy = tvgp.create(options .. " time.clamp=1 indices=" .. #names)
    self.dict = dict and assert(ngx.shared[dict], "no lua_shared_dict " .. tostring(dict))
    self.seen = self.dict and self.dict:get("head") or 0
    return self
end

-- Reports the outcomes that other workers added since the last call. Missing entries up to `head` were deleted.
function upstream:catch_up()
    if not self.dict then
        return
    end
    local head = self.dict:get("head") or 0
    local n = math.max(self.seen, head - KEPT) + 1
    local entry = self.dict:get(n)
    while entry or n <= head do
        local worker, arm, t, y = string.match(entry or "", "^(%d+) (%d+) (%S+) (%S+)$")
        if worker and tonumber(worker) ~= ngx.worker.pid() then
            self.policy:observe({tonumber(arm)}, tonumber(y), tonumber(t))
        end
        n = n + 1
        entry = self.dict:get(n)
    end
    self.seen = n - 1
end

-- Adds an outcome behind the last one. A worker that was stopped while others added half of the kept entries may have found a deleted
-- number free: it begins again at the end. Returns nil and the reason if there is no memory.
local function publish(dict, entry)
    local n, ok, why
    repeat
        if n then
            dict:delete(n)
        end
        n = dict:get("head") or 0
        repeat
            n = n + 1
            ok, why = dict:add(n, entry)
        until ok or why ~= "exists"
    until not ok or (dict:get("head") or 0) - n < KEPT / 2
    if ok then
        dict:incr("head", 1, 0)
        dict:delete(n - KEPT)
    end
    return ok, why
end

-- Forgets the queries that the policy has closed.
function upstream:forget()
    local open = {}
    local ids = self.policy:pending()
    for _, query in ipairs(ids) do
        open[query] = self.open[query]
    end
    self.open, self.count = open, #ids
end

-- The name to use, and the query to report on. If nothing can be asked, the best name so far and nil.
function upstream:ask()
    self:catch_up()
    local now = ngx.now()
    local query, arm = self.policy:ask(now)
    if not query then
        arm = self.policy:best(math.max(now, self.policy:stat("clock")))
        return self.names[arm + 1], nil
    end
    if self.count > 2 * self.policy:stat("pending") + 64 then
        self:forget()
    end
    self.open[query] = arm
    self.count = self.count + 1
    return self.names[arm + 1], query
end

-- The outcome of a query; y nil: there is none, as after a broken connection. Call it in log_by_lua, after the reply: it also does the
-- work for new hyperparameters, so that asks need not.
function upstream:tell(query, y)
    local arm = query and self.open[query]
    if not arm then
        return false
    end
    self.open[query] = nil
    self.count = self.count - 1
    local taken = self.policy:tell(query, y)
    self.policy:fit()
    if taken and y and self.dict then
        local ok, why = publish(self.dict, string.format("%d %d %.17g %.17g", ngx.worker.pid(), arm, ngx.now(), y))
        if not ok then
            ngx.log(ngx.ERR, "tvgp: other workers miss an outcome: ", why)
        end
    end
    return taken
end

return upstream
