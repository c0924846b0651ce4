# SPDX-License-Identifier: MIT
"""test_nginx.py LUA_MODULE: a policy for each worker of nginx chooses the upstream (docs/guide/nginx.md). Needs nginx with the Lua
module, installed, or unpacked in the folder TVGP_NGINX_ROOT (its package conflicts with luajit)."""
import collections
import http.client
import os
import pathlib
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import time

import store

MODULE = pathlib.Path(sys.argv[1]).resolve()
PREFIX = pathlib.Path(os.environ.get("TVGP_NGINX_ROOT", "/"))


def found(pattern):
    return sorted(PREFIX.glob(pattern))


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def configuration(place, port, blocks, slow=(.02, .002, .03)):
    """Blocks of the page, with ports and folders of the test; three upstreams that sleep."""
    text = "".join(blocks).replace("/usr/local/lib/lua/5.1", str(MODULE.parent)).replace("/usr/local/share/tvgp", str(store.ROOT / "src/integration/nginx"))
    text = text.replace("listen 80;", f"listen 127.0.0.1:{port};")
    backends = [free_port() for _ in slow]
    for i, backend in enumerate(backends):
        text = text.replace(f"10.0.0.{i + 1}:8080", f"127.0.0.1:{backend}")
    servers = "".join(f"server {{ listen 127.0.0.1:{b}; location / {{ content_by_lua_block {{ ngx.sleep({s}) ngx.say({i}) }} }} }}\n"
                      for i, (b, s) in enumerate(zip(backends, slow)))
    resty = "".join(f"{p.parent}/?.lua;" for p in found("usr/share/lua/5.1/resty"))
    text = text.replace('lua_package_path "', f'lua_package_path "{resty}')
    modules = "".join(f"load_module {p};\n" for name in ("ndk_http", "ngx_http_lua") for p in found(f"usr/lib/nginx/modules/{name}_module.so"))
    user = "user root;\n" if os.getuid() == 0 else ""  # workers that may read the tree, such as one in /root
    (place / "nginx.conf").write_text(
        f"{modules}{user}worker_processes 2;\ndaemon off;\npid {place}/pid;\nerror_log {place}/error.log notice;\nevents {{}}\nhttp {{\n"
        f"access_log off;\n" + "".join(f"{kind}_temp_path {place}/{kind};\n" for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")) +
        text + servers + "}\n", encoding="utf-8")


def get(port, path, place):
    """The body of a reply."""
    client = http.client.HTTPConnection("127.0.0.1", port)
    client.request("GET", path)
    response = client.getresponse()
    assert response.status == 200, (response.status, (place / "error.log").read_text(encoding="utf-8"))
    return response.read().decode()


def upstreams(port, place):
    """Requests go to the fastest upstream."""
    answers = collections.Counter()
    for _ in range(1000 if store.ALL else 300):
        answers[int(get(port, "/", place))] += 1
    shown = get(port, "/policy", place)
    means = [float(v) for v in re.findall(r"mean (\S+)", shown)]
    assert max(answers, key=answers.get) == 1 and answers[1] > .5 * sum(answers.values()), answers
    assert len(means) == 3 and min(range(3), key=means.__getitem__) == 1, shown


# Two workers report 50,000 outcomes each, never more than 1,000 ahead of the other. Then each asks 1,000 times without an outcome.
EXCHANGE = """
lua_shared_dict outcomes 2m;
lua_shared_dict found 1m;
init_worker_by_lua_block {
    local upstream = require "tvgp_upstream"
    local chooser = upstream.new({"a", "b", "c"}, "gp-ucb se=.5 noise=.05 pending.limit=16", "outcomes")
    local found, me, total, n, got, sum = ngx.shared.found, ngx.worker.id(), 50000, 0, 0, 0
    local other, policy = 1 - me, chooser.policy
    chooser.policy = setmetatable({observe = function(_, x, y, t)
        got, sum = got + 1, sum + y
        policy:observe(x, y, t)
    end}, {__index = function(_, name) return function(_, ...) return policy[name](policy, ...) end end})
    local function play()
        found:set("at" .. me, 0)
        while n < total do
            local ahead = found:get("at" .. other)
            if ahead and n - ahead < 1000 then
                for _ = 1, 50 do
                    n = n + 1
                    local _, query = chooser:ask()
                    assert(chooser:tell(query, n / total))
                end
                found:set("at" .. me, n)
            end
            ngx.sleep(ahead and 0 or .001)
        end
        while found:get("at" .. other) < total do
            chooser:catch_up()
            ngx.sleep(.001)
        end
        chooser:catch_up()
        for _ = 1, 1000 do chooser:ask() end
        local open = 0
        for _ in pairs(chooser.open) do open = open + 1 end
        found:set("end" .. me, string.format("%d %.6f %d", got, sum, open))
    end
    ngx.timer.at(0, function()
        local ok, why = pcall(play)
        if not ok then found:set("end" .. me, why) end
    end)
}
server {
    listen 80;
    location / {
        content_by_lua_block { ngx.say(ngx.shared.found:get("end0"), "|", ngx.shared.found:get("end1")) }
    }
}
"""


def exchange(port, place):
    """No outcome of the other worker is lost or reported twice; the table of queries holds about as many as are pending."""
    for _ in range(600):
        ends = get(port, "/", place).strip().split("|")
        if "nil" not in ends:
            break
        time.sleep(.1)
    for text in ends:
        assert re.fullmatch(r"\d+ \S+ \d+", text), text
        got, total, pending = text.split()
        assert int(got) == 50000 and abs(float(total) - 25000.5) < .01, f"{got} of 50000 outcomes, sum {total} instead of 25000.5"
        assert int(pending) <= 200, f"{pending} queries are kept, 16 are pending"


def run(binary, part, blocks):
    """Runs a part in a server with these blocks."""
    place, port = pathlib.Path(tempfile.mkdtemp()), free_port()
    os.chmod(place, 0o777)
    configuration(place, port, blocks)
    libraries = ":".join(str(p.parent) for p in found("usr/lib/*/libluajit*.so.2"))
    server = subprocess.Popen([binary, "-p", str(place), "-c", str(place / "nginx.conf")], env={**os.environ, "LD_LIBRARY_PATH": libraries})
    try:
        for _ in range(100):
            try:
                socket.create_connection(("127.0.0.1", port)).close()
                break
            except OSError:
                time.sleep(.05)
        part(port, place)
    finally:
        server.terminate()
        assert server.wait() == 0
        log = (place / "error.log").read_text(encoding="utf-8")
        shutil.rmtree(place)
    assert "[error]" not in log and "[alert]" not in log, log


def main():
    binary = shutil.which("nginx") if PREFIX == pathlib.Path("/") else str(PREFIX / "usr/sbin/nginx")
    if not binary or not found("usr/lib/nginx/modules/ngx_http_lua_module.so"):
        store.skip("no nginx with the Lua module (libnginx-mod-http-lua, or TVGP_NGINX_ROOT)")
    blocks = store.page("nginx.md", "nginx")
    assert len(blocks) == 2
    run(binary, exchange, [blocks[0].split("lua_shared_dict")[0], EXCHANGE])
    run(binary, upstreams, blocks)


main()
