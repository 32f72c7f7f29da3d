"""requests and sqlite3's executemany."""

from fetch import crawl
from store import Store
from work import run_peer

run_peer(Store, crawl)
