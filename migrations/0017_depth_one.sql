-- A depth of 1 is the default, and no part of a crawl's identity any more. Where both forms of a crawl are unfinished, the
-- one that says it stays as it is until it ends.
UPDATE OR IGNORE crawls SET options = json_remove(options, '$.depth') WHERE json_extract(options, '$.depth') = 1;
