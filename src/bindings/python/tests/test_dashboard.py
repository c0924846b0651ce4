# SPDX-License-Identifier: MIT
"""The dashboard of docs/guide/monitoring.md: what it serves by day; by night (TVGP_TESTS=all) the page in chromium, at 1280 and 390
pixels."""
import json
import os
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile
import threading
import time
import unittest
import urllib.error
import urllib.request

import tvgp
from tvgp import _dashboard

REPORT = """<script>setInterval(() => fetch("/seen", {method: "POST", body: JSON.stringify({n: document.body.dataset.n, t: document.body.dataset.t,
  rows: [...document.querySelectorAll("#rows tr")].map(tr => [tr.children[0].textContent, tr.querySelector("[data-share]").dataset.share, tr.children[5].textContent]),
  asked: document.querySelector("[data-stat=asked]")?.textContent, marks: document.querySelectorAll("#asked circle").length, error: document.getElementById("error").textContent,
  width: innerWidth, needed: document.documentElement.scrollWidth, ground: getComputedStyle(document.body).backgroundColor})}), 100)</script>"""


def play(shop, n, rng):
    for _ in range(n):
        q = shop.ask()
        shop.tell(q, int(q.name) * (rng.random() < 1 - int(q.name) / 20))


class Test(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)  # the browser may still write
        self.addCleanup(self.folder.cleanup)
        self.url = f"sqlite:///{self.folder.name}/shop.db"
        self.shop = tvgp.open(self.url, "price", ["9", "11", "13"])
        play(self.shop, 20, random.Random(1))

    def serve(self):
        server = tvgp.dashboard(self.url, port=0)
        self.addCleanup(server.server_close)
        self.addCleanup(server.shutdown)
        return server, f"http://127.0.0.1:{server.server_address[1]}"

    def get(self, url, **headers):
        try:
            with urllib.request.urlopen(urllib.request.Request(url, headers=headers)) as answer:
                return answer.status, answer.read().decode()
        except urllib.error.HTTPError as error:
            with error:
                return error.code, error.read().decode()

    def test_numbers(self):
        _, at = self.serve()
        for _ in range(2):
            self.shop.ask()  # by a connection that the dashboard does not use
            found = json.loads(self.get(at + "/policy?policy=price")[1])
            self.assertEqual([(r["arm"], r["name"], r["x"], r["probability"], r["share"]) for r in found["rows"]], [tuple(r) for r in self.shop.shares(found["t"])])
            self.assertEqual([(r["mean"], r["sd"]) for r in found["rows"]], [(a.mean, a.sd) for a in self.shop.arms(found["t"])])
            self.assertEqual([found["stats"][key] for key in ("asked", "pending", "surprise")], [self.shop.stat(key) for key in ("asked", "pending", "surprise")])
            self.assertEqual((found["n"], len(found["events"])), (len(self.shop.events()), len(self.shop.events())))
        value = self.shop.off_policy_value("uniform")
        self.assertEqual(json.loads(self.get(at + "/policy?policy=price")[1])["uniform"], [value.dr, value.dr_se])

    def test_other_policies(self):
        tvgp.open(self.url, "empty", ["a"])
        box = tvgp.open(self.url, "box", "auto-gp-ucb box=0:1")
        box.tell(box.ask(1), 1)
        _, at = self.serve()
        self.assertEqual(json.loads(self.get(at + "/policies")[1])["policies"], ["box", "empty", "price"])
        self.assertEqual(json.loads(self.get(at + "/policy?policy=empty")[1])["n"], 0)
        self.assertEqual(json.loads(self.get(at + "/policy?policy=box")[1])["best"]["mean"], box.best(1).mean)
        box.drop()
        self.assertEqual(self.get(at + "/policy?policy=box")[0], 404)
        self.assertEqual(json.loads(self.get(at + "/policies")[1])["policies"], ["empty", "price"])

    def test_metrics(self):
        tvgp.open(self.url, "second", ["a", "b"])
        lines = self.get(self.serve()[1] + "/metrics")[1].splitlines()
        self.assertEqual(lines[-1], "# EOF")
        kinds = [line.split()[2] for line in lines if line.startswith("# TYPE")]
        self.assertEqual(len(kinds), len(set(kinds)), "each family is one block")
        self.assertIn('tvgp_pending{policy="auto-gp-ucb",name="price"} 0.0', lines)
        self.assertEqual(sum(line.startswith("tvgp_pending{") for line in lines), 2)
        dashboard = json.loads((pathlib.Path(__file__).parents[4] / "docs/guide/grafana.json").read_text(encoding="utf-8"))
        for panel in dashboard["panels"]:
            for target in panel["targets"]:
                self.assertTrue(any(line.startswith(name) for line in lines for name in [target["expr"].split("{")[0].removeprefix("increase(")]), target)

    def test_hosts_and_paths(self):
        _, at = self.serve()
        status, said = self.get(at, Host="evil.example")
        self.assertEqual((status, said), (403, "host evil.example is not served; --host evil.example serves it\n"))
        self.assertEqual(self.get(at, Host="localhost:1")[0], 200)
        self.assertEqual(self.get(at + "/tvgp/_native.py")[0], 404)
        self.assertEqual(self.get(at + "/policy?policy=none")[0], 404)
        with self.assertRaises(urllib.error.HTTPError) as refused:
            with urllib.request.urlopen(at, data=b"x"):
                pass
        refused.exception.close()
        self.assertEqual(refused.exception.code, 501, "it only reads")

    def test_program(self):
        with subprocess.Popen([sys.executable, "-B", "-m", "tvgp", "dashboard", self.url, "--port", "0"], stdout=subprocess.PIPE, text=True) as program:
            at = program.stdout.readline().split()[0]
            self.assertIn("tvgp dashboard", self.get(at)[1])
            program.terminate()
        found = subprocess.run([sys.executable, "-B", "-m", "tvgp", "dashboard", "mysql://x"], capture_output=True, text=True, check=False)
        self.assertEqual((found.returncode, found.stderr.count("\n")), (1, 1), found.stderr)

    def test_few_connections(self):
        """A database with more policies than it has connections."""
        for i in range(20):
            tvgp.open(self.url, f"policy {i}", ["a"]).close()
        view = _dashboard._View(self.url)
        for _ in range(2):
            self.assertTrue(view.metrics().endswith("# EOF\n"))
            self.assertEqual(len(view.open), _dashboard._CONNECTIONS)
        self.assertEqual(view.policy("policy 7")["n"], 0)

    @unittest.skipUnless(os.environ.get("TVGP_TESTS") == "all" and shutil.which("chromium"), "by night, with chromium")
    def test_page(self):
        """Numbers of shares() on the page within two seconds of the call that changed them; nothing is wider than the page; light and dark."""
        seen, grounds = [], set()

        class Handler(_dashboard._Handler):
            view, hosts = _dashboard._View(self.url), ("127.0.0.1",)

            def do_POST(self):  # pylint: disable=invalid-name
                seen.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
                self.answer(200, "text/plain", "")

            def answer(self, status, kind, text):
                super().answer(status, kind, text.replace("</body>", REPORT + "</body>") if kind == "text/html" else text)
        server = _dashboard.http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        at = f"http://127.0.0.1:{server.server_address[1]}/"
        for width in (1280, 390):
            for dark in ([], ["--force-dark-mode", "--enable-features=WebContentsForceDark"]):
                frame = pathlib.Path(self.folder.name, "frame.html")
                frame.write_text(f"<meta name=color-scheme content='light dark'><iframe src='{at}' style='border:0;width:{width}px;height:900px'></iframe>", encoding="utf-8")
                seen.clear()
                with subprocess.Popen(["chromium", "--headless=new", "--no-sandbox", "--disable-gpu", "--window-size=1400,1000", "--remote-debugging-port=0", *dark,
                                       f"--user-data-dir={self.folder.name}/profile{width}{len(dark)}", str(frame)], stderr=subprocess.DEVNULL) as browser:
                    try:
                        self.follow(seen, width, 60)
                        for _ in range(3):
                            play(self.shop, 5, random.Random(2))
                            self.follow(seen, width, 2)
                    finally:
                        browser.terminate()
                grounds.add(seen[-1]["ground"])
        server.shutdown()
        server.server_close()
        self.assertEqual(grounds, {"rgb(255, 255, 255)", "rgb(21, 25, 27)"})

    def follow(self, seen, width, seconds):
        n, end = str(len(self.shop.events())), time.monotonic() + seconds
        while not seen or seen[-1].get("n") != n or not seen[-1]["asked"]:
            self.assertLess(time.monotonic(), end, seen[-1:])
            time.sleep(.02)
        page = seen[-1]
        shares = self.shop.shares(float(page["t"]))
        self.assertEqual([(name, float(share)) for name, share, _ in page["rows"]], [(row.name, row.share) for row in shares])
        for (_, _, text), row in zip(page["rows"], shares):
            self.assertLessEqual(abs(float(text.removesuffix(" %")) - 100 * row.share), .0500001)
        self.assertEqual((page["error"], page["asked"], page["marks"]), ("", f"{self.shop.stat('asked'):.0f}", self.shop.stat("asked")))
        self.assertEqual(page["width"], width)
        self.assertLessEqual(page["needed"], width)


if __name__ == "__main__":
    unittest.main()
