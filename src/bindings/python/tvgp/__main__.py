# SPDX-License-Identifier: MIT
"""python3 -m tvgp dashboard URL [--host HOST] [--port PORT]: shows the policies of a database in the browser."""
import argparse
import threading

from ._dashboard import dashboard


def main() -> None:
    parser = argparse.ArgumentParser(prog="python3 -m tvgp", description="Time-varying Gaussian-process bandits.")
    commands = parser.add_subparsers(dest="command", required=True)
    shown = commands.add_parser("dashboard", help="show the policies of a database in the browser")
    shown.add_argument("url", help="sqlite:///FILE or postgresql://USER@HOST/DATABASE")
    shown.add_argument("--host", default="127.0.0.1", help="address to listen on, and the only host that is served (127.0.0.1)")
    shown.add_argument("--port", type=int, default=8000, help="port to listen on; 0: a free one (8000)")
    given = parser.parse_args()
    try:
        server = dashboard(given.url, given.host, given.port)
        print(f"http://{given.host}:{server.server_address[1]}/  (Ctrl-C ends it)", flush=True)
        threading.Event().wait()
    except (OSError, ValueError) as error:
        parser.exit(1, f"tvgp dashboard: {error}\n")
    except KeyboardInterrupt:
        pass


main()
