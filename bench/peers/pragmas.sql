-- The settings of trawl's own connections, for every peer.
pragma journal_mode = wal;
pragma synchronous = normal;
pragma cache_size = -65536;
