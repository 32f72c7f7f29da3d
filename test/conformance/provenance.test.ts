import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { openConnection } from '../../src/store/sqlite/driver.ts';
import { type Hook, KEY, refuse, serveData } from './scripted-service.ts';
import { createCrawler, idsOf, people } from './support.ts';

const fans = people(5, 1000, 'fan');
const DATA = { accounts: [{ id: '1', handle: 'anna', followers: idsOf(fans) }, ...fans] };
const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
  version: string;
};

/** Headers that differ from response to response, with secrets among them. */
const withHeaders: Hook = (call, next) => {
  const answer = next();
  return {
    ...answer,
    headers: {
      'X-RateLimit-Remaining': String(1e3 - call.n),
      Via: `1.1 ${KEY}`,
      Server: 'scripted',
      'Set-Cookie': 'session=secret',
      'X-Auth-Token': 'secret',
    },
  };
};

/** All bytes of a store's file. */
function bytesOf(file: string): Buffer {
  const db = openConnection(file);
  db.pragma('wal_checkpoint(truncate)');
  db.close();
  return readFileSync(file);
}

test('every stored body has the headers of its response, without secrets', async () => {
  const service = await serveData(DATA, { pageSize: 2, hook: withHeaders });
  const crawler = createCrawler(service);

  const { code, stderr } = await crawler.crawl('followers', 'anna');

  expect(code, stderr).toBe(0);
  const rows = crawler.rows('select endpoint, headers from raw_pages order by id');
  const pages = service.calls.filter(({ endpoint }) => endpoint !== 'token-info');
  expect(rows.map(({ endpoint }) => endpoint as unknown)).toEqual(pages.map(({ endpoint }) => endpoint));
  for (const [i, { headers }] of rows.entries()) {
    expect(JSON.parse(headers as string)).toEqual({
      'content-type': 'application/json',
      date: expect.stringMatching(/ GMT$/) as unknown,
      'x-ratelimit-remaining': String(1e3 - pages[i]!.n),
      via: '1.1 [key]',
      server: 'scripted',
      '(omitted)': 2,
    });
  }
  const bytes = bytesOf(crawler.file);
  expect(bytes.includes(KEY) || bytes.includes('session=secret')).toBe(false);
});

test('a 404 that is stored has its headers', async () => {
  const service = await serveData(DATA, { hook: () => refuse(404, { 'X-Cache': 'MISS' }) });
  const crawler = createCrawler(service);
  await crawler.crawl('profile', 'nobody');
  expect(crawler.rows("select status, headers ->> 'x-cache' as cache from raw_pages")).toEqual([
    { status: 404, cache: 'MISS' },
  ]);
});

test('a crawl records the version, the service and a label of the key, and crawls show prints them', async () => {
  const service = await serveData(DATA);
  const crawler = createCrawler(service, { TRAWL_API_URL: `${service.url}/`, TRAWL_KEY_LABEL: ' Lab 7, Zürich ' });

  await crawler.crawl('profile', 'anna');

  const source = { trawl_version: version, service_host: new URL(service.url).host, key_label: 'Lab 7, Zürich' };
  expect(crawler.rows('select trawl_version, service_host, key_label from crawl_sources')).toEqual([source]);
  expect(crawler.rows('select trawl_version, service_host, key_label from v_crawls')).toEqual([source]);
  const { stdout } = await crawler.trawl('crawls', 'show', '1');
  expect(stdout.replaceAll(/\s+/g, ' ')).toContain(
    `Crawled from ${source.service_host} by trawl ${version} (key label Lab 7, Zürich).`,
  );
  const json = JSON.parse((await crawler.trawl('crawls', 'show', '1', '--json')).stdout) as {
    crawls: { sources: { firstUsedAt: string; lastUsedAt: string }[] }[];
  };
  expect(json.crawls[0]!.sources).toEqual([
    {
      trawlVersion: version,
      serviceHost: source.service_host,
      keyLabel: 'Lab 7, Zürich',
      firstUsedAt: expect.stringMatching(/Z$/) as unknown,
      lastUsedAt: expect.stringMatching(/Z$/) as unknown,
    },
  ]);
});

test('without a label, a key is recorded by the start of its hash, which its samples of the quota have in full', async () => {
  const service = await serveData(DATA);
  const crawler = createCrawler(service);

  await crawler.crawl('profile', 'anna');

  const hash = createHash('sha256').update(`${service.url}\n${KEY}`).digest('hex');
  expect(crawler.value('select key_label from crawl_sources')).toBe(`key-${hash.slice(0, 8)}`);
  expect(
    crawler.value(
      "select count(*) from _quota_samples where 'key-' || substr(key_hash, 1, 8) = (select key_label from crawl_sources)",
    ),
  ).toBeGreaterThan(0);
  const { stdout } = await crawler.trawl('doctor');
  expect(stdout).toContain(`accepts the key (label key-${hash.slice(0, 8)})`);
});

test('a crawl that is continued with another key names both', async () => {
  const service = await serveData(DATA, { pageSize: 2 });
  const crawler = createCrawler(service, { TRAWL_KEY_LABEL: 'first' });
  await crawler.crawl('followers', 'anna', '--max-pages', '1');
  const continued = createCrawler(service, { TRAWL_KEY_LABEL: 'second', TRAWL_DB: crawler.file });

  expect((await continued.trawl('crawls', 'resume', '1')).code).toBe(0);
  expect((await continued.trawl('work', '--exit-when-idle')).code).toBe(0);

  expect(crawler.rows('select key_label from crawl_sources order by first_used_at')).toEqual([
    { key_label: 'first' },
    { key_label: 'second' },
  ]);
  expect(crawler.rows('select key_label, source_count from v_crawls')).toEqual([
    { key_label: 'second', source_count: 2 },
  ]);
  const { stdout } = await crawler.trawl('crawls', 'show', '1');
  expect(stdout.replaceAll(/\s+/g, ' ')).toMatch(
    /\(key label second\); earlier from \S+ by trawl \S+ \(key label first\)\./,
  );
});

test.each([
  ['is the key', KEY],
  ['contains the key', `mine ${KEY.toUpperCase()}`],
  ['is too long', 'x'.repeat(65)],
  ['has a control character', 'a\u001b[2Jb'],
  ['reverses the direction of text', 'a\u202eb'],
])('a label that %s is refused before any request, and not repeated', async (_, label) => {
  const service = await serveData(DATA);
  const crawler = createCrawler(service, { TRAWL_KEY_LABEL: label });

  const { code, stdout, stderr } = await crawler.trawl('crawl', 'profile', 'anna');

  expect(code).toBe(2);
  expect(stderr).toContain('TRAWL_KEY_LABEL should be at most 64 printable characters, without the key');
  expect((stdout + stderr).toLowerCase()).not.toContain(KEY);
  expect(service.calls).toEqual([]);
});
