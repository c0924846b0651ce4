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


def configuration(place, port, slow):
    """The page's own blocks, with ports and folders of the test; three upstreams that sleep."""
    blocks = store.page("nginx.md", "nginx")
    assert len(blocks) == 2
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
    (place / "nginx.conf").write_text(
        f"{modules}worker_processes 2;\ndaemon off;\npid {place}/pid;\nerror_log {place}/error.log notice;\nevents {{}}\nhttp {{\n"
        f"access_log off;\n" + "".join(f"{kind}_temp_path {place}/{kind};\n" for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")) +
        text + servers + "}\n", encoding="utf-8")


def main():
    binary = shutil.which("nginx") if PREFIX == pathlib.Path("/") else str(PREFIX / "usr/sbin/nginx")
    if not binary or not found("usr/lib/nginx/modules/ngx_http_lua_module.so"):
        store.skip("no nginx with the Lua module (libnginx-mod-http-lua, or TVGP_NGINX_ROOT)")
    place, port, slow = pathlib.Path(tempfile.mkdtemp()), free_port(), (.02, .002, .03)
    os.chmod(place, 0o777)
    configuration(place, port, slow)
    libraries = ":".join(str(p.parent) for p in found("usr/lib/*/libluajit*.so.2"))
    server = subprocess.Popen([binary, "-p", str(place), "-c", str(place / "nginx.conf")], env={**os.environ, "LD_LIBRARY_PATH": libraries})
    try:
        for _ in range(100):
            try:
                socket.create_connection(("127.0.0.1", port)).close()
                break
            except OSError:
                time.sleep(.05)
        answers = collections.Counter()
        for _ in range(1000 if store.ALL else 300):
            client = http.client.HTTPConnection("127.0.0.1", port)
            client.request("GET", "/")
            response = client.getresponse()
            assert response.status == 200, (response.status, (place / "error.log").read_text(encoding="utf-8"))
            answers[int(response.read())] += 1
        client = http.client.HTTPConnection("127.0.0.1", port)
        client.request("GET", "/policy")
        shown = client.getresponse().read().decode()
        means = [float(v) for v in re.findall(r"mean (\S+)", shown)]
        assert max(answers, key=answers.get) == 1 and answers[1] > .5 * sum(answers.values()), answers
        assert len(means) == 3 and min(range(3), key=means.__getitem__) == 1, shown
    finally:
        server.terminate()
        assert server.wait() == 0
        log = (place / "error.log").read_text(encoding="utf-8")
        shutil.rmtree(place)
    assert "[error]" not in log and "[alert]" not in log, log


main()
