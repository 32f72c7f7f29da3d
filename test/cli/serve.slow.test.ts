import { writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { UsageError } from '#base/errors.ts';
import { parsePageSizes } from '#cli/twin/serve/run.ts';
import { createKey } from '#twin/serve/quota/twin-keys.ts';
import { type CliRun, runCli, spawnCli, startCli } from '../support/cli.ts';
import { addFollow, addTweet, addUser, NOW, temporaryFile, temporaryStore } from '../twin/support.ts';

const ADDRESS = ['--listen', '127.0.0.1:0'];

/** Serves until the test ends. */
const serve = (file: string, ...args: string[]) => startCli(['twin serve --db', file, ...ADDRESS, ...args]);

function seeded() {
  const file = temporaryFile();
  const db = temporaryStore(file);
  const ada = addUser(db, { restId: '1', screenName: 'ada' });
  for (let i = 0; i < 3; i += 1) addFollow(db, addUser(db, { restId: `f${i}` }), ada);
  return { file, db, key: createKey(db, { name: 'canary', now: NOW }).key };
}

const PAGE = 'user-profile?screenName=ada';

async function urlOf({ waitForLine }: CliRun): Promise<string> {
  return / on (http:\S+)$/.exec(await waitForLine(/^serving .* on http:\/\/127\.0\.0\.1:\d+$/))![1]!;
}

/** Asks with 64 clients until each is refused, or its connection breaks. @returns how many were granted. */
async function askUntilRefused(urls: readonly string[], key: string, onGrant: (granted: number) => void = () => {}) {
  let granted = 0;
  async function client(url: string): Promise<void> {
    for (;;) {
      const status = await ask(url, key, PAGE).then(
        (answer) => answer.status,
        () => undefined,
      );
      if (status !== 200) return expect([429, undefined]).toContain(status);
      onGrant((granted += 1));
    }
  }
  await Promise.all(Array.from({ length: 64 }, (_, i) => client(urls[i % urls.length]!)));
  return granted;
}

const ask = (url: string, key: string, path: string) =>
  fetch(`${url}/api/microblog/${path}`, { headers: { 'X-API-Key': key } });

test('serve prints its address, logs each request on stderr, sees new rows, and ends with 0 on an interrupt', async () => {
  const { file, db, key } = seeded();
  const twin = serve(file, '--page-size', '2', '--latency', '1');
  const url = await urlOf(twin);

  const followers = await (await ask(url, key, 'followers?restId=1')).json();
  expect(followers).toMatchObject({
    data: { followers: { timeline: { instructions: [{ entries: [{}, {}], cursor: {} }] } } },
  });
  addUser(db, { restId: '9', screenName: 'late' });
  expect((await ask(url, key, 'user-profile?screenName=late')).status).toBe(200);
  await twin.waitForLine(/"endpoint":"followers","method":"GET","status":200,"ms":[\d.]+,"key":"canary"/);
  expect(twin.lines.join('\n')).not.toContain(key);

  twin.kill('SIGTERM');
  expect(await twin.exited).toBe(0);
});

test('serve --quiet logs nothing and accepts a key that was created later', async () => {
  const file = temporaryFile();
  const db = temporaryStore(file);
  const twin = serve(file, '--quiet');
  const url = await urlOf(twin);
  expect(twin.lines.join('\n')).toContain('create one: trawl twin keys create');
  const { key } = createKey(db, { name: 'late', now: NOW });
  expect((await ask(url, key, 'token-info')).status).toBe(200);
  twin.kill('SIGTERM');
  expect(await twin.exited).toBe(0);
  expect(twin.lines.join('\n')).not.toContain('"status"');
});

test('serve --extended gives every list of tweets a cursor; page sizes may differ by list', async () => {
  const file = temporaryFile();
  const db = temporaryStore(file);
  const authorId = addUser(db, { restId: '1' });
  for (let i = 0; i < 4; i += 1) addTweet(db, { restId: `t${i}`, authorId, inReplyToStatusRestId: 't0' });
  const { key } = createKey(db, { name: 'a', now: NOW });
  const url = await urlOf(serve(file, '--extended', '--page-size', 'tweet-detail=1', '--page-size', '3'));
  const replies = await (await ask(url, key, 'user-tweets-replies?restId=1')).json();
  expect(replies).toMatchObject({ data: { timeline: { instructions: [{ entries: [{}, {}, {}, CURSOR] }] } } });
  const detail = await (await ask(url, key, 'tweet-detail?restId=t0')).json();
  expect(detail).toMatchObject({ data: { tweet: { replies: { entries: [{}, CURSOR] } } } });
});

const CURSOR = { content: { cursorType: 'Bottom' } };

test.each(['0', 'x', '', '-1', 'search=', 'search=0', 'user-profile=5', 'nothing=5', '=5'])(
  'serve refuses --page-size %j and names the lists',
  (text) => {
    const read = () => parsePageSizes([text]);
    expect(read).toThrow(UsageError);
    expect(read).toThrow(expect.objectContaining({ hint: expect.stringContaining('followers, following') }));
  },
);

test('the page size of a list has priority over the general one, and a later one over an earlier one', () => {
  expect(parsePageSizes(['search=5', '20', 'followers=7', 'search=6'])).toMatchObject({
    search: 6,
    followers: 7,
    following: 20,
  });
  expect(parsePageSizes(['search=5'])).toEqual({ search: 5 });
});

test('invariant 8: a quota survives SIGKILL and restarts, and twins of one store share it', async () => {
  const { file, db } = seeded();
  const { key } = createKey(db, { name: 'canary', limit: 1000, windowMs: 3_600_000, now: NOW });
  const args = ['twin serve --db', file, ...ADDRESS, '--quiet'];
  const killed = spawnCli(args);
  const before = await askUntilRefused([await urlOf(killed)], key, (granted) => {
    if (granted === 300) killed.kill('SIGKILL');
  });
  expect(before).toBeGreaterThanOrEqual(300);

  const both = [spawnCli(args), spawnCli(args)];
  const after = await askUntilRefused(await Promise.all(both.map(urlOf)), key);
  expect(before + after).toBeLessThanOrEqual(1000);
  // What the killed one held at hand is lost: a sixteenth at most, and what it granted to those whom it never told.
  expect(before + after).toBeGreaterThanOrEqual(1000 - 63 - 64);
  for (const twin of both) twin.kill('SIGTERM');
  expect(await Promise.all(both.map(({ exited }) => exited))).toEqual([0, 0]);
  expect((await ask(await urlOf(serve(file, '--quiet')), key, PAGE)).status).toBe(429);
});

test('serve --faults prints the plan, and names each fault that occurs in the log', async () => {
  const { file, key } = seeded();
  const plan = temporaryFile('plan.yaml');
  writeFileSync(plan, '- { fault: html, endpoints: [followers], at: [2], status: 502 }\n');
  const twin = serve(file, '--faults', plan, '--seed', '7');
  const url = await urlOf(twin);
  expect(twin.lines.join('\n')).toMatch(
    /faults of .*plan\.yaml, seed 7 \(.*\):\n {2}html at followers \{ at: \[2\], status: 502 \}: A page of HTML/,
  );
  const statuses = [await ask(url, key, 'followers?restId=1'), await ask(url, key, 'followers?restId=1')];
  expect(statuses.map(({ status }) => status)).toEqual([200, 502]);
  await twin.waitForLine(
    /"endpoint":"followers","method":"GET","status":502,"ms":[\d.]+,"key":"canary","faults":\["html"\]/,
  );
});

test('serve refuses an invalid plan, with the line and the allowed values', async () => {
  const plan = temporaryFile('plan.yaml');
  writeFileSync(plan, '- fault: html\n  rate: 2\n');
  expect(await runCli(['twin serve --db', seeded().file, ...ADDRESS, '--faults', plan])).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(/plan\.yaml:2:9: rate should be the share of requests, from 0 to 1/),
  });
});
