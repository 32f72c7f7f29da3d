import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect, test } from 'vitest';
import { openQuery } from '../../src/analysis/sql/query.ts';
import { rowsOf } from '../e2e/support.ts';
import { EDITED, withCrawledStore } from '../queries/crawled-store.ts';

const page = readFileSync(resolve(import.meta.dirname, '../../docs/sql.md'), 'utf8');
/** [question, statement] */
const QUESTIONS = [...page.matchAll(/^### (.+)\n+(?:(?!#|```).*\n+)*```sql\n([^]*?)```/gm)].map(
  ([, title, sql]) => [title!, sql!] as const,
);

const { file: crawled, ofWorld: all, mostAnswered } = withCrawledStore();

const plain = (value: unknown) => (typeof value === 'bigint' ? Number(value) : value);

async function answerTo(question: string): Promise<Record<string, unknown>[]> {
  using query = openQuery({ db: await crawled(), sql: QUESTIONS.find(([title]) => title === question)![1] });
  return [...query.rows].map((row) => Object.fromEntries(query.columns.map((name, i) => [name, plain(row[i])])));
}

test('docs/sql.md finds words in scripts without spaces in tweets and biographies', async () => {
  using store = openQuery({
    db: await crawled(),
    sql: `select 'tweet' as source, text from (select text, created_at from tweets where
        instr(text, '天気') or instr(text, '猫') or instr(text, 'ラーメン') or instr(text, 'ฝนตก') order by created_at desc limit 10)
      union all select 'user', description from users
        where instr(name || char(10) || coalesce(description, ''), '写真') or instr(description, '猫') or instr(description, 'コーヒー')`,
  });
  const truth = [...store.rows].map(([source, text]) => `${String(source)}: ${String(text)}`);
  const tweets = await answerTo('Search tweets in a script without spaces');
  const people = await answerTo('Search biographies in a script without spaces');
  expect(tweets.length).toBeGreaterThan(0);
  expect(people.length).toBeGreaterThan(0);
  expect(tweets.map(({ text }) => `tweet: ${String(text)}`).toSorted()).toEqual(
    truth.filter((each) => each.startsWith('tweet')).toSorted(),
  );
  const users = truth.filter((each) => each.startsWith('user'));
  expect(users).toEqual(expect.arrayContaining(people.map(({ description }) => `user: ${String(description)}`)));
  expect(people).toHaveLength(Math.min(10, users.length));
});

test('docs/sql.md finds the accounts that an account replies to, stored or not', async () => {
  const truth = all(
    `select r.in_reply_to_screen_name as parent_author, count(*) as replies from tweets r
     join users u on u.id = r.author_id where u.screen_name = 'HarbourNews' and r.in_reply_to_status_rest_id is not null
     group by 1 order by replies desc, parent_author collate nocase limit 10`,
  );
  const answer = await answerTo('Whom does an account reply to?');
  expect(answer.map(({ parent_author, replies }) => ({ parent_author, replies }))).toEqual(truth);
  expect(answer.some(({ replies, to_stored_tweets }) => replies !== to_stored_tweets)).toBe(true);
});

test('docs/sql.md finds mentions with their accounts', async () => {
  const answer = await answerTo('Whom does an account mention?');
  const users = all<{ handle: string; id: string }>('select lower(screen_name) as handle, rest_id as id from users');
  const truth = new Map(users.map(({ handle, id }) => [handle, id]));
  const known = answer.filter(({ mentioned_rest_id }) => mentioned_rest_id !== null);
  expect(known.length).toBeGreaterThan(0);
  for (const { mentioned, mentioned_rest_id } of known) expect(mentioned_rest_id).toBe(truth.get(String(mentioned)));
});

test('docs/sql.md finds all replies below a tweet', async () => {
  const truth = all('select 1 from tweets where in_reply_to_status_rest_id = ?', mostAnswered());
  expect(await answerTo('Who replied to a tweet?')).toHaveLength(truth.length);
});

test('docs/sql.md finds changes of an account', async () => {
  const ofHarbourNews = (await answerTo('What did accounts change in their profiles?')).filter(
    ({ screen_name }) => screen_name === 'HarbourNews',
  );
  expect(ofHarbourNews.map(({ field, new_value }) => [field, new_value])).toEqual([
    ['location', 'Elsewhere'],
    ['profile_image_url', 'https://example.org/new.jpg'],
    ['url', 'https://example.org/new'],
  ]);
  expect(ofHarbourNews.every(({ last_seen_at, changed_at }) => String(last_seen_at) < String(changed_at))).toBe(true);
});

test('docs/sql.md finds the tweets that were edited, with both texts', async () => {
  const edited = all<{ rest_id: string; after: string }>(
    `select rest_id, text as after from tweets where id in (${EDITED}) order by rest_id`,
  );
  const found = await answerTo('Which tweets were edited?');
  expect(found.map(({ rest_id, after }) => ({ rest_id, after })).toSorted(byId)).toEqual(edited.toSorted(byId));
  expect(found.map(({ before }) => `EDITED ${String(before)}`)).toEqual(found.map(({ after }) => after));
});

const byId = (a: { rest_id?: unknown }, b: { rest_id?: unknown }) => (String(a.rest_id) < String(b.rest_id) ? -1 : 1);

test('docs/sql.md distinguishes originals, replies and unknown tweets', async () => {
  const rows = await answerTo("How many of an account's tweets are replies?");
  const counts = rows.flatMap(({ originals, replies, not_known }) => [originals, replies, not_known]);
  expect(counts.every(Number.isInteger)).toBe(true);
  const tweets = all<{ id: string; isReply: number }>(
    'select rest_id as id, in_reply_to_status_rest_id is not null as isReply from tweets',
  );
  const truth = new Map(tweets.map(({ id, isReply }) => [id, isReply]));
  const select = 'select rest_id as id, is_reply from v_tweets where is_reply is not null';
  const known = rowsOf<{ id: string; is_reply: number }>(await crawled(), select).filter(({ id }) => truth.has(id));
  expect(known.length).toBeGreaterThan(100);
  expect(known.filter(({ id, is_reply }) => truth.get(id) !== is_reply)).toEqual([]);
});

test('every statement of docs/sql.md has a question', () => {
  expect(QUESTIONS).toHaveLength(33);
  expect(page.match(/```sql/g)).toHaveLength(QUESTIONS.length);
});

test('docs/sql.md reads current edges, except for questions about changes', () => {
  const reads = (view: RegExp) => QUESTIONS.filter(([, sql]) => view.test(sql));
  expect(reads(/ v_current_follows\b/)).toHaveLength(4);
  expect(reads(/ v_follows\b/)).toEqual([]);
});

test.each(QUESTIONS)('docs/sql.md: "%s" returns rows', async (_title, sql) => {
  using query = openQuery({ db: await crawled(), sql });
  const rows = [...query.rows];
  expect(rows.length).toBeGreaterThan(0);
  // A column without any value would mean that the question is about something that is not there.
  const empty = query.columns.filter((name, i) => rows.every((row) => row[i] === null) && !OFTEN_EMPTY.has(name));
  expect(empty).toEqual([]);
});

const OFTEN_EMPTY = new Set(['error', 'older_at', 'valid_to']);
