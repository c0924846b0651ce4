# SPDX-License-Identifier: MIT
"""dashboard.py OUT.png: the picture of the dashboard in docs/guide/monitoring.md, by chromium: 200 visitors, the best of three prices changes
after 100. Needs TVGP_LIBRARY and PYTHONPATH of the package, and Pillow, which makes the file small."""
import datetime
import subprocess
import sys
import tempfile

from PIL import Image
import tvgp

BUYS = {"9": (.8, .8), "11": (.75, .3), "13": (.3, .75)}  # before and after the change
with tempfile.TemporaryDirectory() as folder:
    url, start = f"sqlite:///{folder}/shop.db", datetime.datetime(2026, 3, 2, 9, tzinfo=datetime.timezone.utc).timestamp()
    shop = tvgp.open(url, "price", list(BUYS))
    shop.connection.execute("PRAGMA synchronous=off")
    draws = tvgp.random_uniform(seed=1, purpose=1000, step=0, n=400)
    for visitor in range(200):
        query, t = shop.ask(start + 300 * visitor), start + 300 * visitor + 60
        if draws[200 + visitor] < .95:  # the others are still looking
            shop.tell(query, int(query.name) * (draws[visitor] < BUYS[query.name][visitor >= 100]), t=t)
    server = tvgp.dashboard(url, port=0)
    view = server.RequestHandlerClass.view
    view.shared("price")
    view.url = "sqlite:///shop.db"  # not the folder of this run
    subprocess.run(["chromium", "--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", f"--user-data-dir={folder}/profile", "--window-size=1000,780",
                    "--virtual-time-budget=8000", f"--screenshot={folder}/page.png", f"http://127.0.0.1:{server.server_address[1]}/"], check=True, capture_output=True)
    server.shutdown()
    Image.open(f"{folder}/page.png").convert("RGB").quantize(32).save(sys.argv[1], optimize=True)
