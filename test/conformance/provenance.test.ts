import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { openConnection } from '../../src/store/sqlite/driver.ts';
import { type Hook, KEY, serveData } from './scripted-service.ts';
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

test('a crawl that is continued with another key names both, by label or by the start of its hash', async () => {
  const service = await serveData(DATA, { pageSize: 2 });
  const crawler = createCrawler(service);
  const first = `key-${createHash('sha256').update(`${service.url}\n${KEY}`).digest('hex').slice(0, 8)}`;
  await crawler.crawl('followers', 'anna', '--max-pages', '1');
  const continued = createCrawler(service, { TRAWL_KEY_LABEL: 'second', TRAWL_DB: crawler.file });

  expect((await continued.trawl('crawls', 'resume', '1')).code).toBe(0);
  expect((await continued.trawl('work', '--exit-when-idle')).code).toBe(0);

  expect(crawler.rows('select key_label from crawl_sources order by first_used_at')).toEqual([
    { key_label: first },
    { key_label: 'second' },
  ]);
  expect(crawler.rows('select key_label, source_count from v_crawls')).toEqual([
    { key_label: 'second', source_count: 2 },
  ]);
  const { stdout } = await crawler.trawl('crawls', 'show', '1');
  expect(stdout.replaceAll(/\s+/g, ' ')).toMatch(
    /\(key label second\); earlier from \S+ by trawl \S+ \(key label key-\w{8}\)\./,
  );
});
