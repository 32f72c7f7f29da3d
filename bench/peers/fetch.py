"""Follows lists with requests: one after another, or a thread for each of several. One thread at a time stores."""

from concurrent.futures import ThreadPoolExecutor
from threading import Lock, local

import requests

from work import path_of, read_page

TIMEOUT_SECONDS = 60


def crawl(url, key, sets, chains, store):
    for targets in sets:
        crawl_lists(url, key, targets, chains, store)


def crawl_lists(url, key, targets, chains, store):
    storing = Lock()
    own = local()

    def session():
        if not hasattr(own, "session"):
            own.session = requests.Session()
            own.session.headers["x-api-key"] = key
            # Proxies and credentials are not looked for at every request.
            own.session.trust_env = False
        return own.session

    def follow(target):
        cursor = None
        while True:
            response = session().get(url + path_of(target, cursor), timeout=TIMEOUT_SECONDS)
            response.raise_for_status()
            page = read_page(response.content)
            with storing:
                store(target, response.content, page)
            cursor = page[-1]
            if cursor is None:
                return

    if chains == 1:
        for target in targets:
            follow(target)
    else:
        with ThreadPoolExecutor(chains) as threads:
            list(threads.map(follow, targets))
