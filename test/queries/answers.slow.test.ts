import { expect, test } from 'vitest';
import { readCatalogue } from '#analysis/queries/catalogue.ts';
import { runSavedQuery } from '#analysis/queries/run-saved-query.ts';
import { openReadOnly } from '#store/sqlite/database.ts';
import { rowsOf } from '../e2e/support.ts';
import { EDITED, withCrawledStore } from './crawled-store.ts';

/** Answers of saved queries on a store that was crawled, against a computation from the base tables or from the world. */

const store = withCrawledStore();

type Answer = Record<string, unknown>;

async function ask(name: string, values: Readonly<Record<string, unknown>> = {}): Promise<Answer[]> {
  using db = openReadOnly(await store.file());
  const { columns, rows } = runSavedQuery(db, readCatalogue().read(name), values);
  return rows.map((row) => Object.fromEntries(columns.map((column, i) => [column, row[i]])));
}

const table = async <T = Answer>(sql: string): Promise<T[]> => rowsOf<T>(await store.file(), sql);

interface User {
  readonly id: number;
  readonly rest_id: string;
  readonly screen_name: string;
  readonly followers_count: number | null;
}
interface Tweet {
  readonly id: number;
  readonly rest_id: string;
  readonly author_id: number | null;
  readonly created_at: number | null;
  readonly text: string | null;
  readonly favorite_count: number | null;
  readonly retweet_count: number | null;
  readonly reply_count: number | null;
  readonly quote_count: number | null;
  readonly in_reply_to_status_rest_id: string | null;
  readonly in_reply_to_user_rest_id: string | null;
  readonly in_reply_to_screen_name: string | null;
}
interface Edge {
  readonly follower_id: number;
  readonly followee_id: number;
  readonly ended_at: number | null;
}

const users = () => table<User>('select * from users');
const tweets = () => table<Tweet>('select * from tweets');
const currentEdges = async () =>
  (await table<Edge>('select * from follows')).filter(({ ended_at }) => ended_at === null);
const userOf = async (handle: string) => (await users()).find(({ screen_name }) => screen_name === handle)!;
/** `Map.groupBy`, which Node 20 does not have. */
function groupBy<T, K>(items: readonly T[], keyOf: (item: T) => K): Map<K, T[]> {
  const groups = new Map<K, T[]>();
  for (const item of items) groups.set(keyOf(item), [...(groups.get(keyOf(item)) ?? []), item]);
  return groups;
}

const compare = (a: unknown, b: unknown): number => (a === b ? 0 : (a as number) < (b as number) ? -1 : 1);
const engagementOf = (tweet: Tweet): number | null => {
  const counts = [tweet.favorite_count, tweet.retweet_count, tweet.reply_count, tweet.quote_count];
  return counts.every((count) => count === null) ? null : counts.reduce<number>((sum, count) => sum + (count ?? 0), 0);
};

test('mutual-follows are the followed accounts that follow back', async () => {
  const { id } = await userOf('HarbourNews');
  const edges = await currentEdges();
  const followers = new Set(
    edges.filter(({ followee_id }) => followee_id === id).map(({ follower_id }) => follower_id),
  );
  const friends = edges.filter((edge) => edge.follower_id === id && followers.has(edge.followee_id));
  const byId = new Map((await users()).map((user) => [user.id, user.screen_name]));
  const truth = friends.map(({ followee_id }) => byId.get(followee_id)!);
  expect(truth.length).toBeGreaterThan(0);
  const rows = await ask('mutual-follows', { account: 'HarbourNews' });
  expect(rows.map(({ friend }) => friend).toSorted(compare)).toEqual(truth.toSorted(compare));
});

test('audience-overlap counts the followers of both accounts', async () => {
  const edges = await currentEdges();
  const followersOf = async (handle: string) => {
    const { id } = await userOf(handle);
    return new Set(edges.filter(({ followee_id }) => followee_id === id).map(({ follower_id }) => follower_id));
  };
  const [a, b] = [await followersOf('HarbourNews'), await followersOf('nightsky_now')];
  const both = [...a].filter((id) => b.has(id)).length;
  const percent = (whole: number): number => Math.round((1000 * both) / whole) / 10;
  expect(both).toBeGreaterThan(0);
  expect(await ask('audience-overlap', { account: 'HarbourNews', other: 'nightsky_now' })).toEqual([
    {
      followers: a.size,
      followers_of_other: b.size,
      followers_of_both: both,
      percent_of_all: percent(new Set([...a, ...b]).size),
      percent_of_followers: percent(a.size),
      percent_of_followers_of_other: percent(b.size),
    },
  ]);
});

test('cohashtags counts tweets with both hashtags', async () => {
  const uses = await table<{ tweet_id: number; tag: string }>('select tweet_id, tag from tweet_hashtags');
  const tagsOf = groupBy(uses, ({ tweet_id }) => tweet_id);
  for (const tag of new Set(uses.slice(0, 40).map((use) => use.tag))) {
    const counts = new Map<string, number>();
    for (const tags of tagsOf.values()) {
      if (!tags.some((use) => use.tag === tag)) continue;
      for (const other of tags) if (other.tag !== tag) counts.set(other.tag, (counts.get(other.tag) ?? 0) + 1);
    }
    const rows = await ask('cohashtags', { tag: `#${tag}`, limit: 1000 });
    expect(new Map(rows.map(({ other_tag, tweets }) => [other_tag, tweets]))).toEqual(counts);
  }
});

test('who-replies-to-whom counts replies between two accounts, with the median time', async () => {
  const all = await tweets();
  const byRestId = new Map(all.map((tweet) => [tweet.rest_id, tweet]));
  const userById = new Map((await users()).map((user) => [user.id, user]));
  const userByRestId = new Map((await users()).map((user) => [user.rest_id, user]));
  const shown = await table<{ tweet_id: number; reply_id: number }>('select tweet_id, reply_id from tweet_replies');
  const byId = new Map(all.map((tweet) => [tweet.id, tweet]));
  const pairs = new Map<string, number[]>();
  const add = (reply: Tweet, parent: Tweet | undefined, handle: string | null): void => {
    const author = userById.get(reply.author_id ?? 0);
    const other =
      userById.get(parent?.author_id ?? 0)?.screen_name ??
      userByRestId.get(reply.in_reply_to_user_rest_id ?? '')?.screen_name ??
      handle;
    if (!author || other === null || author.screen_name.toLowerCase() === other.toLowerCase()) return;
    const key = `${author.screen_name} ${other}`.toLowerCase();
    const minutes = parent?.created_at == null ? [] : [(reply.created_at! - parent.created_at) / 60_000];
    pairs.set(key, [...(pairs.get(key) ?? []), ...(minutes.length > 0 ? minutes : [Number.NaN])]);
  };
  for (const tweet of all) {
    if (tweet.in_reply_to_status_rest_id !== null)
      add(tweet, byRestId.get(tweet.in_reply_to_status_rest_id), tweet.in_reply_to_screen_name);
    else
      for (const { tweet_id } of shown.filter(({ reply_id }) => reply_id === tweet.id))
        add(tweet, byId.get(tweet_id), null);
  }
  const rows = await ask('who-replies-to-whom', { limit: 100_000 });
  expect(rows.length).toBeGreaterThan(20);
  const found = new Map(
    rows.map(({ author, parent_author, replies }) => [
      `${String(author)} ${String(parent_author)}`.toLowerCase(),
      replies,
    ]),
  );
  expect(found).toEqual(new Map([...pairs].map(([key, minutes]) => [key, minutes.length])));
  const wrong = rows.filter(({ author, parent_author, median_minutes }) => {
    const times = pairs
      .get(`${String(author)} ${String(parent_author)}`.toLowerCase())!
      .filter((minutes) => !Number.isNaN(minutes))
      .toSorted((a, b) => a - b);
    const middle = times.slice(Math.ceil(times.length / 2) - 1, Math.floor(times.length / 2) + 1);
    const median = middle.reduce((sum, n) => sum + n, 0) / middle.length;
    return times.length === 0 ? median_minutes !== null : Math.abs(Number(median_minutes) - median) > 0.051;
  });
  expect(wrong).toEqual([]);
});

test('engagement-for-size and top-tweets have the first tweets of the whole order', async () => {
  const userById = new Map((await users()).map((user) => [user.id, user]));
  const all = await tweets();
  const ranked = all
    .flatMap((tweet) => {
      const [author, engagement] = [userById.get(tweet.author_id ?? 0), engagementOf(tweet)];
      return author && (author.followers_count ?? 0) >= 20 && engagement !== null
        ? [{ rest_id: tweet.rest_id, value: engagement / author.followers_count! }]
        : [];
    })
    .toSorted((a, b) => b.value - a.value || compare(a.rest_id, b.rest_id));
  const best = await ask('engagement-for-size', { followers: 20, limit: 10 });
  expect(best.map(({ rest_id }) => rest_id)).toEqual(ranked.slice(0, 10).map(({ rest_id }) => rest_id));
  const { id } = await userOf('nightsky_now');
  const liked = all
    .filter((tweet) => tweet.author_id === id && tweet.favorite_count !== null)
    .toSorted((a, b) => b.favorite_count! - a.favorite_count! || b.created_at! - a.created_at! || a.id - b.id);
  const top = await ask('top-tweets', { account: 'nightsky_now', limit: 10 });
  expect(top.map(({ rest_id, likes }) => [rest_id, likes])).toEqual(
    liked.slice(0, 10).map(({ rest_id, favorite_count }) => [rest_id, favorite_count]),
  );
});

test('completeness-and-cost adds up all requests and new items of each list', async () => {
  const crawls = await table<{
    kind: string;
    list: string;
    requests: number;
    new_items: number;
    finished_at: number | null;
  }>('select kind, coalesce(target_rest_id, target) as list, requests, new_items, finished_at from crawls');
  const lists = groupBy(crawls, ({ kind, list }) => `${kind} ${list}`);
  const truth = [...lists.values()]
    .filter((all) => all.some(({ finished_at }) => finished_at !== null))
    .map((all) => [
      all[0]!.kind,
      all.length,
      all.reduce((sum, { requests }) => sum + requests, 0),
      all.reduce((sum, { new_items }) => sum + new_items, 0),
    ]);
  const rows = await ask('completeness-and-cost', { limit: 100_000 });
  const sort = (all: unknown[][]) => all.map((row) => row.join(' ')).toSorted(compare);
  expect(sort(rows.map(({ kind, crawls, requests, new_items }) => [kind, crawls, requests, new_items]))).toEqual(
    sort(truth),
  );
  const { id, rest_id, followers_count } = await userOf('HarbourNews');
  const stored = (await currentEdges()).filter(({ followee_id }) => followee_id === id).length;
  const own = await ask('completeness-and-cost', { account: `id:${rest_id}` });
  expect(own.find(({ kind }) => kind === 'followers')).toMatchObject({
    stored,
    reported: followers_count,
    is_complete: 1,
  });
});

test('job-runs and job-targets count the crawls of the job and of its runs', async () => {
  const crawls = await table<{ kind: string; state: string; requests: number; new_items: number; run_id: number }>(
    "select c.* from crawls c join runs r on r.id = c.run_id where r.job_name = 'press'",
  );
  const sum = (key: 'requests' | 'new_items') => crawls.reduce((total, crawl) => total + crawl[key], 0);
  expect(crawls.length).toBeGreaterThan(1);
  const [run, ...others] = await ask('job-runs', { job: 'press' });
  expect(others).toEqual([]);
  expect(run).toMatchObject({
    crawls: crawls.length,
    complete: crawls.filter(({ state }) => state === 'complete').length,
  });
  const rechecks = await table<{ requests: number }>(
    "select d.requests from _crawl_tree t join crawls d on d.id = t.descendant_id join crawls c on c.id = t.root_id join runs r on r.id = c.run_id where r.job_name = 'press'",
  );
  expect(run).toMatchObject({
    requests: sum('requests') + rechecks.reduce((n, { requests }) => n + requests, 0),
    new_items: sum('new_items'),
  });
  const targets = await ask('job-targets', { job: 'press' });
  expect(targets).toHaveLength(crawls.length);
  expect(targets.reduce((n, { requests }) => n + Number(requests), 0)).toBe(sum('requests'));
});

test('search-top-authors and search-top-tweets count each found tweet once', async () => {
  const hits = await table<{ query: string; tweet_id: number }>(
    'select query, tweet_id from search_hits join searches on id = search_id',
  );
  const found = new Set(
    hits.filter(({ query }) => /^#nightsky( since:\S+ until:\S+)?$/.test(query)).map(({ tweet_id }) => tweet_id),
  );
  expect(found.size).toBeGreaterThan(0);
  const own = (await tweets()).filter(({ id }) => found.has(id));
  const authors = await ask('search-top-authors', { search: '#nightsky', limit: 1000 });
  expect(authors.reduce((n, row) => n + Number(row['tweets']), 0)).toBe(own.length);
  const byAuthor = groupBy(own, ({ author_id }) => author_id);
  expect(authors[0]!['tweets']).toBe(Math.max(...[...byAuthor.values()].map((all) => all.length)));
  const top = await ask('search-top-tweets', { search: '#nightsky', limit: 1000 });
  expect(top.map(({ likes }) => likes)).toEqual(
    own.flatMap(({ favorite_count }) => favorite_count ?? []).toSorted((a, b) => b - a),
  );
});

test('renames has the handles that accounts had, and handle-owners their owners', async () => {
  const truth = await table<{ rest_id: string; handle: string }>(
    'select u.rest_id, h.screen_name as handle from user_history h join users u on u.id = h.user_id where h.screen_name is not null',
  );
  expect(truth.length).toBeGreaterThan(0);
  const rows = await ask('renames');
  expect(rows.map(({ rest_id, old_handle }) => `${String(rest_id)} ${String(old_handle)}`).toSorted(compare)).toEqual(
    truth.map(({ rest_id, handle }) => `${rest_id} ${handle}`).toSorted(compare),
  );
  for (const { rest_id, handle } of truth) {
    const owners = await ask('handle-owners', { handle: `@${handle.toUpperCase()}` });
    expect(owners.map((owner) => owner['rest_id'])).toContain(rest_id);
  }
});

test('profile-changes has the changes of a profile, with the times between which they happened', async () => {
  const rows = await ask('profile-changes', { account: 'HarbourNews' });
  expect(rows.map(({ field, new_value }) => [field, new_value])).toEqual([
    ['location', 'Elsewhere'],
    ['profile_image_url', 'https://example.org/new.jpg'],
    ['url', 'https://example.org/new'],
  ]);
  expect(rows.every(({ last_seen_at, changed_at }) => String(last_seen_at) < String(changed_at))).toBe(true);
});

test('edited-tweets and deleted-tweets have the tweets that the world changed', async () => {
  const edited = store.ofWorld<{ rest_id: string; after: string }>(
    `select rest_id, text as after from tweets where id in (${EDITED})`,
  );
  const byId = (a: Answer, b: Answer) => compare(a['rest_id'], b['rest_id']);
  const found = await ask('edited-tweets', { account: 'nightsky_now' });
  expect(found.map(({ rest_id, after }) => ({ rest_id, after })).toSorted(byId)).toEqual(edited.toSorted(byId));
  expect(found.map(({ before }) => `EDITED ${String(before)}`)).toEqual(found.map(({ after }) => after));
  const inWorld = new Set(
    store.ofWorld<{ rest_id: string }>('select rest_id from tweets').map(({ rest_id }) => rest_id),
  );
  const { id } = await userOf('nightsky_now');
  const gone = (await tweets()).filter(({ author_id, rest_id }) => author_id === id && !inWorld.has(rest_id));
  const deleted = await ask('deleted-tweets', { account: 'nightsky_now' });
  expect(deleted.map(({ rest_id, state }) => [rest_id, state])).toEqual(
    gone.map(({ rest_id }) => [rest_id, 'deleted']),
  );
  const confirmedAt = String(deleted[0]!['confirmed_at']);
  expect(await ask('deleted-tweets', { account: 'nightsky_now', since: confirmedAt })).toEqual(deleted);
  expect(await ask('deleted-tweets', { account: 'nightsky_now', since: '2999-01-01' })).toEqual([]);
});

test('replied-accounts has the accounts that an account replies to, stored or not', async () => {
  const truth = store.ofWorld(
    `select r.in_reply_to_screen_name as parent_author, count(*) as replies from tweets r
     join users u on u.id = r.author_id where u.screen_name = 'HarbourNews' and r.in_reply_to_status_rest_id is not null
     group by 1 order by replies desc, parent_author collate nocase limit 10`,
  );
  const rows = await ask('replied-accounts', { account: 'HarbourNews' });
  expect(rows.map(({ parent_author, replies }) => ({ parent_author, replies }))).toEqual(truth);
  expect(rows.some(({ replies, to_stored_tweets }) => replies !== to_stored_tweets)).toBe(true);
});

test('mentioned-accounts has the accounts behind the handles', async () => {
  const rows = await ask('mentioned-accounts', { account: 'HarbourNews' });
  const truth = new Map(
    store
      .ofWorld<{ handle: string; id: string }>('select lower(screen_name) as handle, rest_id as id from users')
      .map(({ handle, id }) => [handle, id]),
  );
  const known = rows.filter(({ mentioned_rest_id }) => mentioned_rest_id !== null);
  expect(known.length).toBeGreaterThan(0);
  for (const { mentioned, mentioned_rest_id } of known) expect(mentioned_rest_id).toBe(truth.get(String(mentioned)));
});

test('replies-to-a-tweet and conversation have all replies below a tweet', async () => {
  const tweet = store.mostAnswered();
  const direct = store.ofWorld('select 1 from tweets where in_reply_to_status_rest_id = ?', tweet);
  expect(await ask('replies-to-a-tweet', { tweet })).toHaveLength(direct.length);
  const all = await tweets();
  const below = (parent: string): Tweet[] =>
    all
      .filter(({ in_reply_to_status_rest_id }) => in_reply_to_status_rest_id === parent)
      .flatMap((reply) => [reply, ...below(reply.rest_id)]);
  const ids = (await ask('conversation', { tweet })).map(({ rest_id }) => rest_id);
  expect(ids).toEqual(expect.arrayContaining([tweet, ...below(tweet).map(({ rest_id }) => rest_id)]));
  expect(new Set(ids).size).toBe(ids.length);
});

test('originals-and-replies is right about every tweet that is known to be one', async () => {
  const truth = new Map(
    store
      .ofWorld<{ id: string; isReply: number }>(
        'select rest_id as id, in_reply_to_status_rest_id is not null as isReply from tweets',
      )
      .map(({ id, isReply }) => [id, isReply]),
  );
  const known = (
    await table<{ id: string; is_reply: number }>(
      'select rest_id as id, is_reply from v_tweets where is_reply is not null',
    )
  ).filter(({ id }) => truth.has(id));
  expect(known.length).toBeGreaterThan(100);
  expect(known.filter(({ id, is_reply }) => truth.get(id) !== is_reply)).toEqual([]);
  const rows = await ask('originals-and-replies', { limit: 1000 });
  const counted = rows.reduce(
    (sum, { originals, replies, not_known }) => sum + Number(originals) + Number(replies) + Number(not_known),
    0,
  );
  expect(counted).toBe((await tweets()).filter(({ author_id }) => author_id !== null).length);
});

test('search-tweets and search-biographies find words in scripts without spaces', async () => {
  const words = '"天 気" OR 猫 OR "ラ ー メ ン" OR "ฝ น ต ก"';
  const found = await ask('search-tweets', { words, limit: 1000 });
  const truth = (await tweets()).filter(({ text }) => /天気|猫|ラーメン|ฝนตก/.test(text ?? ''));
  expect(truth.length).toBeGreaterThan(0);
  expect(found.map(({ rest_id }) => rest_id).toSorted(compare)).toEqual(
    truth.map(({ rest_id }) => rest_id).toSorted(compare),
  );
  const people = await ask('search-biographies', { words: '"写 真" OR 猫 OR "コ ー ヒ ー"', limit: 1000 });
  const named = await table<{ said: string }>(
    "select name || char(10) || coalesce(description, '') as said from users",
  );
  expect(people).toHaveLength(named.filter(({ said }) => /写真|猫|コーヒー/.test(said)).length);
});

test('the members of a panel and the accounts that are gone', async () => {
  const rows = await ask('panel-tweets', { panel: 'newsroom' });
  const byHandle = new Map((await users()).map(({ screen_name, id }) => [screen_name, id]));
  const all = await tweets();
  expect(rows).toHaveLength(3);
  expect(rows.some(({ state }) => state === 'renamed')).toBe(true);
  for (const row of rows) {
    const id = byHandle.get(String(row['screen_name']));
    expect(row['tweets']).toBe(all.filter(({ author_id }) => author_id === id).length);
  }
  const [account, ...others] = await ask('unavailable-accounts');
  expect(others).toEqual([]);
  const noticedAt = String(account!['noticed_at']);
  expect(await ask('unavailable-accounts', { since: noticedAt })).toEqual([account]);
  expect(await ask('unavailable-accounts', { since: '2999-01-01' })).toEqual([]);
  const { rest_id } = await userOf('MatchdayLive');
  expect(await ask('restored')).toMatchObject([{ type: 'account', account: 'MatchdayLive', rest_id }]);
});
