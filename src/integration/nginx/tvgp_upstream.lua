-- SPDX-License-Identifier: MIT
-- A policy for each worker of nginx (docs/guide/nginx.md). With a lua_shared_dict the workers exchange outcomes through a ring of 4,096
-- entries: each writes its own there and reports those of the others to its policy as unsolicited observations. There is no lock,
-- and a worker that is late by more than the ring misses outcomes. Create it in init_worker_by_lua, after the workers were forked.
local tvgp = require "tvgp"

local upstream = {}
upstream.__index = upstream
local RING = 4096

-- names: one for each arm, such as addresses. options: options and kernel of a description. dict: a name, or nil.
function upstream.new(names, options, dict)
    local self = setmetatable({names = names, seen = 0, open = {}}, upstream)
    self.policy = tvgp.create(options .. " time.clamp=1 indices=" .. #names)
    self.dict = dict and assert(ngx.shared[dict], "no lua_shared_dict " .. tostring(dict))
    self.seen = self.dict and self.dict:get("head") or 0
    return self
end

-- Reports what the other workers saw since the last call.
function upstream:catch_up()
    local head = self.dict and self.dict:get("head") or 0
    for n = math.max(self.seen, head - RING) + 1, head do
        local entry = self.dict:get(n % RING)
        local number, worker, arm, t, y = string.match(entry or "", "^(%d+) (%d+) (%d+) (%S+) (%S+)$")
        if tonumber(number) == n and tonumber(worker) ~= ngx.worker.pid() then
            self.policy:observe({tonumber(arm)}, tonumber(y), tonumber(t))
        end
    end
    self.seen = head
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
    self.open[query] = arm
    return self.names[arm + 1], query
end

-- The outcome of a query; y nil: there is none, as after a broken connection.
function upstream:tell(query, y)
    local arm = query and self.open[query]
    if not arm then
        return false
    end
    self.open[query] = nil
    local taken = self.policy:tell(query, y)
    if taken and y and self.dict then
        local n = self.dict:incr("head", 1, 0)
        self.dict:set(n % RING, string.format("%d %d %d %.17g %.17g", n, ngx.worker.pid(), arm, ngx.now(), y))
    end
    return taken
end

return upstream
