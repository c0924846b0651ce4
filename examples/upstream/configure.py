# SPDX-License-Identifier: MIT
"""configure.py PREFIX WORK: writes nginx.conf for run.sh."""
import pathlib
import sys

prefix, work = (pathlib.Path(word) for word in sys.argv[1:3])
modules = "".join(f"load_module {prefix}/usr/lib/nginx/modules/{name}_module.so;\n" for name in ("ndk_http", "ngx_http_lua"))
temporary = "".join(f"    {kind}_temp_path {work}/{kind};\n" for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
upstreams = "".join(f"""    server {{ listen 127.0.0.1:{18081 + i}; location / {{ content_by_lua_block {{
        ngx.sleep(0.005 + 0.02 * (1 + math.sin(2 * math.pi * (ngx.now() / 20 + {i} / 3)))) ngx.say({i}) }} }} }}
""" for i in range(3))
(work / "nginx.conf").write_text(f"""{modules}worker_processes 2;
daemon off;
pid {work}/pid;
error_log {work}/error.log notice;
events {{}}
http {{
    access_log off;
{temporary}    lua_package_path "{work}/?.lua;{prefix}/usr/share/lua/5.1/?.lua;;";
    lua_package_cpath "{work}/?.so;;";
    lua_shared_dict outcomes 2m;
    init_worker_by_lua_block {{
        chooser = require("tvgp_upstream").new({{"127.0.0.1:18081", "127.0.0.1:18082", "127.0.0.1:18083"}},
            "tv-gp-ucb se=.5 noise=.01 half_life=5 sense=min", "outcomes")
    }}
    upstream balanced {{ least_conn; server 127.0.0.1:18081; server 127.0.0.1:18082; server 127.0.0.1:18083; }}
{upstreams}    server {{
        listen 127.0.0.1:18080;
        location /least_conn {{ proxy_pass http://balanced; }}
        location /chosen {{
            set $backend "";
            access_by_lua_block {{ ngx.var.backend, ngx.ctx.query = chooser:ask() }}
            proxy_pass http://$backend;
            log_by_lua_block {{
                local seconds = tonumber(ngx.var.upstream_response_time)
                chooser:tell(ngx.ctx.query, seconds and math.log(seconds + 0.001) / 2 + 1.8 or nil)
            }}
        }}
        location = /policy {{
            default_type text/html;
            content_by_lua_block {{
                local now = math.max(ngx.now(), chooser.policy:stat("clock"))
                local mean, sd = chooser.policy:predict(now)
                ngx.say("<meta http-equiv=refresh content=1><title>Upstreams</title><table><tr><th>upstream<th>expected latency, ms<th>now, ms")
                for arm, name in ipairs(chooser.names) do
                    ngx.say(string.format("<tr><td>%s<td>%.1f<td>%.1f", name, 1000 * (math.exp(2 * (mean[arm] - 1.8)) - 0.001),
                        5 + 20 * (1 + math.sin(2 * math.pi * (now / 20 + (arm - 1) / 3)))))
                end
                ngx.say("</table>")
            }}
        }}
    }}
}}
""", encoding="utf-8")
