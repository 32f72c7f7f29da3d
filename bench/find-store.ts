import { pathToFileURL } from 'node:url';
import { DAY } from '../src/clock.ts';
import { load } from './built-trawl.ts';
import { readArguments, report } from './child.ts';
import { createSeededGenerator } from './workload.ts';

/**
 * Creates a store of short tweets, to search: words by Zipf's law, and texts in scripts without spaces. Its rows and its
 * full-text index are those of the schema. It uses plain SQL, since only reading is measured. By hand, 10 million tweets:
 *
 *     npm run bench -- --only find --quick
 *     node bench/.built/bench/find-store.js '{"dist":"bench/.built/src","db":"/tmp/find.db","tweets":10000000}'
 */

export interface FindStoreArguments {
  readonly dist: string;
  readonly db: string;
  readonly tweets: number;
}

const USERS = 20_000;
const WORDS = 60_000;
const BATCH = 100_000;
/** One tweet in so many is Japanese. */
const JAPANESE = 25;
const NEWEST = Date.UTC(2026, 0, 1);
const SYLLABLES = ['ka', 'lo', 'mi', 'ter', 'san', 'du', 'rep', 'ol', 'ni', 'vé', 'gra', 'st'] as const;
const KANA = Array.from('東京大阪今日明日天気写真電車駅前新聞音楽映画コーヒーカメラパンがをにでとはもの');

/** The word of a rank, the most frequent first: `ka`, `lo`, …, `loka`. */
export function wordOf(rank: number): string {
  let word = '';
  for (let rest = rank + 1; rest > 0; rest = Math.floor(rest / SYLLABLES.length))
    word += SYLLABLES[rest % SYLLABLES.length];
  return word;
}

async function make({ dist, db: file, tweets }: FindStoreArguments): Promise<void> {
  const { openDatabase } = await load(dist, 'store/sqlite/database.js');
  const { prepareTweetIndex } = await load(dist, 'store/merge/full-text-index.js');
  const opened = openDatabase(file);
  const { $client: db } = opened;
  db.pragma('synchronous = OFF');
  db.pragma('cache_size = -1000000');
  db.pragma('wal_autocheckpoint = 100000');
  const random = createSeededGenerator(1);
  const indexTweet = prepareTweetIndex(opened);
  const user = db.prepare('insert into users (rest_id, screen_name, name, first_seen_at) values (?, ?, ?, ?)');
  const tweet = db.prepare(
    `insert into tweets (id, rest_id, author_id, text, created_at, favorite_count, first_seen_at, last_seen_at)
     values (?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  const tag = db.prepare('insert into tweet_hashtags (tweet_id, tag) values (?, ?) on conflict do nothing');
  const words = Array.from({ length: WORDS }, (_, rank) => wordOf(rank));
  // Ranks of equal frequency per order of magnitude.
  const drawWord = (): string => words[Math.floor(WORDS ** (random.below(1_000_000) / 1_000_000)) - 1]!;
  const drawText = (): string =>
    random.below(JAPANESE) === 0
      ? Array.from({ length: 12 + random.below(20) }, () => KANA[random.below(KANA.length)]).join('')
      : Array.from({ length: 4 + random.below(10) }, drawWord).join(' ');
  db.transaction(() => {
    for (let i = 1; i <= USERS; i++) user.run(String(i), `user_${i}`, `User ${i}`, NEWEST);
  })();
  const gap = Math.floor((1000 * DAY) / tweets);
  for (let from = 1; from <= tweets; from += BATCH) {
    db.transaction(() => {
      for (let i = from; i < Math.min(from + BATCH, tweets + 1); i++) {
        const hashtag = random.below(20) === 0 ? drawWord() : undefined;
        const text = drawText() + (hashtag === undefined ? '' : ` #${hashtag}`);
        const at = NEWEST - (tweets - i) * gap;
        const id = indexTweet(text);
        const { lastInsertRowid } = tweet.run(
          id,
          String(10 ** 15 + i),
          1 + random.below(USERS),
          text,
          at,
          i % 97,
          at,
          at,
        );
        if (hashtag !== undefined) tag.run(lastInsertRowid, hashtag);
      }
    })();
    if (from % (10 * BATCH) === 1) process.stderr.write(`${from - 1} tweets\n`);
  }
  db.pragma('wal_checkpoint(TRUNCATE)');
  db.close();
}

if (import.meta.url === pathToFileURL(process.argv[1]!).href) {
  await make(readArguments<FindStoreArguments>());
  report({});
}
