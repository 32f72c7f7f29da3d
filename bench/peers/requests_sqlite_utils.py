"""In the style of twitter-to-sqlite: requests, and sqlite-utils' upsert_all for the rows of each page."""

import json
import sqlite3
import zlib

import sqlite_utils

from fetch import crawl
from store import prepare
from work import now, run_peer

FIELDS = (
    "screen_name",
    "name",
    "description",
    "profile_image_url",
    "verified",
    "followers_count",
    "following_count",
)


class PageConnection(sqlite3.Connection):
    """sqlite-utils commits after each of its calls, by `with connection:`; here only the page commits."""

    def __enter__(self):
        return self

    def __exit__(self, *_):
        return False


class Store:
    def __init__(self, file):
        self.connection = sqlite3.connect(file, factory=PageConnection, check_same_thread=False)
        prepare(self.connection)
        self.db = sqlite_utils.Database(self.connection)

    def store(self, target, body, owner, users, cursor):
        """Stores a page with everything of it, or nothing."""
        try:
            self.upsert(target, body, owner, users, cursor)
            self.connection.commit()
        except BaseException:
            self.connection.rollback()
            raise

    def upsert(self, target, body, owner, users, cursor):
        at = now()
        names = {field: owner.get(field) for field in ("screen_name", "name")}
        self.db["users"].upsert({"rest_id": target, **names, "seen_at": at}, pk="rest_id")
        rows = [
            {"rest_id": user.get("rest_id") or user["id"], **{field: user.get(field) for field in FIELDS}, "seen_at": at}
            for user in users
        ]
        self.db["users"].upsert_all(rows, pk="rest_id")

        rest_ids = json.dumps([target, *(row["rest_id"] for row in rows)])
        found = self.db.execute(
            "select rest_id, id from users where rest_id in (select value from json_each(?))", [rest_ids]
        )
        ids = dict(found.fetchall())
        self.db["follows"].upsert_all(
            ({"followee_id": ids[target], "follower_id": ids[row["rest_id"]], "last_seen": at} for row in rows),
            pk=("followee_id", "follower_id"),
        )

        self.db["raw_pages"].insert({"target": target, "fetched_at": at, "body": zlib.compress(body, 1)})
        before = next(self.db["checkpoints"].rows_where("target = ?", [target]), {"pages": 0, "items": 0})
        self.db["checkpoints"].insert(
            {
                "target": target,
                "cursor": cursor,
                "pages": before["pages"] + 1,
                "items": before["items"] + len(users),
                "updated_at": at,
            },
            pk="target",
            replace=True,
        )


run_peer(Store, crawl)
