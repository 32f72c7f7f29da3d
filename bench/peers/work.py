"""What the peers of Python have in common: their arguments, the service's pages, the clock and the line at the end."""

import argparse
import json
import sys
import time
from urllib.parse import urlencode

PATH = "/api/microblog/followers"


def path_of(target, cursor=None):
    """The address of a page of a list, without the service's. The first page has no cursor."""
    query = {"restId": target} if cursor is None else {"restId": target, "cursor": cursor}
    return f"{PATH}?{urlencode(query)}"


def read_page(body):
    """Takes a page apart: whose list it is, who is on it, and the cursor of the next page; None at the end."""
    data = json.loads(body)["data"]
    users = []
    cursor = None
    for instruction in data["followers"]["timeline"]["instructions"]:
        users += [entry["content"]["user"] for entry in instruction.get("entries", ()) if "user" in entry["content"]]
        cursor = (instruction.get("cursor") or {}).get("value") or cursor
    return data["user"], users, cursor


def now():
    return time.time_ns() // 1_000_000


def run_peer(open_store, crawl):
    """
    Runs a peer. `crawl` is given the arguments, sets of lists to crawl one after the other, and
    `store(target, body, page)`, for a body and what `read_page` made of it. The sets are the lists of the warm-up, if there
    are any, and those of the measurement. The clock runs from the start of the last set, when the tables are there, to its
    last commit.
    """
    parser = argparse.ArgumentParser()
    for name in ("url", "key", "db", "targets"):
        parser.add_argument(f"--{name}", required=True)
    parser.add_argument("--chains", type=int, default=1)
    parser.add_argument("--warm", default="")
    arguments = parser.parse_args()
    sets = [text.split(",") for text in (arguments.warm, arguments.targets) if text]
    pages = open_store(arguments.db)
    line = {}
    wall_before = cpu_before = 0

    def start_sets():
        nonlocal wall_before, cpu_before
        for targets in sets:
            line["pages"] = 0
            wall_before, cpu_before = time.perf_counter(), time.process_time()
            yield targets

    def store(target, body, page):
        pages.store(target, body, *page)
        line["pages"] += 1
        # Looking at the clocks costs something too: only where a list ends.
        if page[-1] is None:
            line["wallMs"] = (time.perf_counter() - wall_before) * 1000
            line["cpuMs"] = (time.process_time() - cpu_before) * 1000

    crawl(arguments.url, arguments.key, start_sets(), arguments.chains, store)

    def count(sql):
        return pages.connection.execute(sql).fetchone()[0]

    ended = count("select count(*) from checkpoints where cursor is null")
    lists = sum(map(len, sets))
    if ended != lists:
        sys.exit(f"{ended} of {lists} lists came to their end")
    line["users"] = count("select count(*) from follows")
    line["distinctUsers"] = count("select count(*) from users")
    pages.connection.close()
    print(json.dumps(line))
