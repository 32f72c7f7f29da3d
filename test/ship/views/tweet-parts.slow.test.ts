import { expect, test } from 'vitest';
import {
  COMMON_COLUMNS,
  type Fact,
  FACT_TABLES,
  type Facts,
  type FactTableName,
} from '../../../src/ship/facts/fact-tables.ts';
import { addShipTarget, readEntries } from '../../../src/store/outbox/targets.ts';
import { openDatabase } from '../../../src/store/sqlite/database.ts';
import { hasChdb, openClickHouse } from '../../sim/fleet/clickhouse.ts';
import type { DealtFact } from '../../sim/fleet/deal-facts.ts';
import { openDuckDb } from '../../sim/fleet/duckdb.ts';
import { openPostgres } from '../../sim/fleet/postgres.ts';
import { newStore, openLeased, pageOf, progressOf, rows, tweet, user } from '../../store/support.ts';

/** Simulated worlds have no links. */
const LINKS = [
  'https://example.org/a/b?c=d#e',
  'http://Example.ORG:8080/x',
  'https://example.org?q=https://other.example/',
  'example.org/without/scheme',
  'https://example.org#top',
  'https://例え.jp/é',
  'https://',
  'mailto:a@example.org',
];
const VIEWS = {
  v_links: ['rest_id', 'author_rest_id', 'author', 'text', 'created_at', 'url', 'host'],
  v_hashtags_per_day: ['day', 'tag', 'tweets', 'authors'],
  v_cohashtags: ['tag', 'other_tag', 'tweets', 'authors', 'earliest_at', 'latest_at'],
} as const;

/** Returns rows in an order that does not depend on the engine. */
const sortRows = (found: readonly unknown[]): string[] => found.map((row) => JSON.stringify(row)).toSorted();

test('links and hashtags in views are those of a database: all that any page showed', async () => {
  const store = newStore();
  {
    using db = openDatabase(store.path);
    addShipTarget(db, { address: '/lake', at: 1 });
  }
  const parts = (hashtags: string[], links: string[]) => ({ hashtags, links, authorRestId: '1', text: 'it’s “new”' });
  const day = 86_400_000;
  const pages = [
    [tweet('11', { ...parts(['a', 'b'], LINKS.slice(0, 5)), createdAt: day }), tweet('12', parts(['猫', 'a'], []))],
    // Links and hashtags change with the text only.
    [
      tweet('11', { ...parts(['b', 'c"'], LINKS.slice(4)), createdAt: day, text: 'edited' }),
      tweet('13', { links: [LINKS[0]!] }),
    ],
    [tweet('14', { ...parts(['a'], [LINKS[0]!, LINKS[0]!]), createdAt: 2 * day, authorRestId: '2' })],
  ];
  for (const [page, tweets] of pages.entries()) {
    const { id, lease } = await openLeased(store, 10 * page, { kind: 'timeline', target: `id:${page}` });
    await store.write.commitPage(
      pageOf(id, lease, 10 * page, {
        rows: rows({ users: [user('1', { screenName: 'One' }), user('2')], tweets }),
        progress: progressOf({ targetRestId: '1', items: tweets.length }),
        end: { state: 'partial', reason: 'max_pages' },
      }),
    );
  }
  using db = openDatabase(store.path);
  const facts = readEntries(db, 0, 1000).flatMap(({ id, crawlId, facts: json }) =>
    (Object.entries(JSON.parse(json) as Facts) as [FactTableName, readonly Fact[]][]).flatMap(([table, found]) => {
      const columns = Object.keys({ ...COMMON_COLUMNS, ...FACT_TABLES[table].columns });
      return found.map((fact): DealtFact => {
        const values = [store.id, id, crawlId, ...fact];
        return { table, values: columns.map((_, i) => values[i] ?? null) };
      });
    }),
  );

  for (const open of [openDuckDb, openPostgres, ...(hasChdb() ? [openClickHouse] : [])]) {
    await using engine = await open();
    await engine.load(facts);
    for (const [view, columns] of Object.entries(VIEWS)) {
      const wanted = db.$client
        .prepare(`select ${columns.join(', ')} from ${view}`)
        .raw()
        .all();
      expect(wanted.length).toBeGreaterThan(4);
      expect(sortRows(await engine.read(view, columns)), `${view} of ${engine.engine}`).toEqual(sortRows(wanted));
    }
  }
});
