"""The store of the peers of Python that write SQL themselves: sqlite3 and executemany, a transaction per page."""

import sqlite3
import zlib
from pathlib import Path

from work import now

HERE = Path(__file__).parent

UPSERT_OWNER = """
insert into users (rest_id, screen_name, name, first_seen, seen_at) values (?, ?, ?, ?, ?)
on conflict (rest_id) do update set
  screen_name = excluded.screen_name, name = excluded.name, seen_at = excluded.seen_at
"""
UPSERT_USER = """
insert into users (rest_id, screen_name, name, description, profile_image_url, verified, followers_count,
  following_count, first_seen, seen_at)
values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
on conflict (rest_id) do update set
  screen_name = excluded.screen_name, name = excluded.name, description = excluded.description,
  profile_image_url = excluded.profile_image_url, verified = excluded.verified,
  followers_count = excluded.followers_count, following_count = excluded.following_count, seen_at = excluded.seen_at
"""
UPSERT_FOLLOW = """
insert into follows (followee_id, follower_id, first_seen, last_seen)
select ?, id, ?, ? from users where rest_id = ?
on conflict (followee_id, follower_id) do update set last_seen = excluded.last_seen
"""
SAVE_CHECKPOINT = """
insert into checkpoints (target, cursor, pages, items, updated_at) values (?, ?, 1, ?, ?)
on conflict (target) do update set
  cursor = excluded.cursor, pages = pages + 1, items = items + excluded.items, updated_at = excluded.updated_at
"""
INSERT_RAW = "insert into raw_pages (target, fetched_at, body) values (?, ?, ?)"


def prepare(connection):
    """The same settings and tables for everybody."""
    for name in ("pragmas.sql", "schema.sql"):
        connection.executescript((HERE / name).read_text())


class Store:
    def __init__(self, file):
        self.connection = sqlite3.connect(file, isolation_level=None, check_same_thread=False)
        prepare(self.connection)

    def store(self, target, body, owner, users, cursor):
        """Stores a page with everything of it, or nothing."""
        at = now()
        execute = self.connection.execute
        execute("begin immediate")
        try:
            execute(UPSERT_OWNER, (target, owner.get("screen_name"), owner.get("name"), at, at))
            (followee,) = execute("select id from users where rest_id = ?", (target,)).fetchone()
            ids = [user.get("rest_id") or user["id"] for user in users]
            rows = [
                (
                    rest_id,
                    user.get("screen_name"),
                    user.get("name"),
                    user.get("description"),
                    user.get("profile_image_url"),
                    user.get("verified"),
                    user.get("followers_count"),
                    user.get("following_count"),
                    at,
                    at,
                )
                for rest_id, user in zip(ids, users)
            ]
            self.connection.executemany(UPSERT_USER, rows)
            self.connection.executemany(UPSERT_FOLLOW, [(followee, at, at, rest_id) for rest_id in ids])
            execute(INSERT_RAW, (target, at, zlib.compress(body, 1)))
            execute(SAVE_CHECKPOINT, (target, cursor, len(users), at))
            execute("commit")
        except BaseException:
            execute("rollback")
            raise
