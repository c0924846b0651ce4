# SPDX-License-Identifier: MIT
"""load.py SECONDS: six connections ask nginx for each location in turn; prints medians of the latency and how they compare."""
import http.client
import statistics
import sys
import threading
import time

SECONDS = float(sys.argv[1])


def connection(path, end, found):
    client = http.client.HTTPConnection("127.0.0.1", 18080)
    while time.time() < end:
        begin = time.time()
        client.request("GET", path)
        response = client.getresponse()
        response.read()
        assert response.status == 200, response.status
        found.append(time.time() - begin)


def load(path):
    found, end = [], time.time() + SECONDS / 2
    threads = [threading.Thread(target=connection, args=(path, end, found)) for _ in range(6)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    print(f"{path[1:]:>10}: median {1000 * statistics.median(found):5.1f} ms, {len(found) / SECONDS * 2:4.0f} requests/s", flush=True)
    return statistics.median(found)


for _ in range(100):
    try:
        http.client.HTTPConnection("127.0.0.1", 18080).connect()
        break
    except OSError:
        time.sleep(.05)
else:
    sys.exit("nginx does not answer")
print("the policy: http://127.0.0.1:18080/policy", flush=True)
least, chosen = load("/least_conn"), load("/chosen")
print(f"ratio {chosen / least:.2f}")
