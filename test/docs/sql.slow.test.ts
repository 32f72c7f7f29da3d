import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect, test } from 'vitest';
import { openQuery } from '#analysis/sql/sql-query.ts';
import { withCrawledStore } from '../queries/crawled-store.ts';

const page = readFileSync(resolve(import.meta.dirname, '../../docs/sql.md'), 'utf8');
const STATEMENTS = [...page.matchAll(/```sql\n([^]*?)```/g)].map(([, sql]) => sql!);

const { file } = withCrawledStore();

test.each(STATEMENTS)('docs/sql.md: %s', async (sql) => {
  using query = openQuery({ db: await file(), sql });
  const rows = [...query.rows];
  expect(rows.length).toBeGreaterThan(0);
  expect(query.columns.filter((_, i) => rows.every((row) => row[i] === null))).toEqual([]);
});

test('docs/sql.md names every view', async () => {
  using query = openQuery({
    db: await file(),
    sql: "select name from sqlite_schema where type = 'view' and name like 'v\\_%' escape '\\' order by name",
  });
  const named = [...page.matchAll(/`(v_[a-z_]+)`/g)].map(([, name]) => name!);
  expect([...new Set(named)].toSorted()).toEqual(Array.from(query.rows, ([name]) => name));
});
