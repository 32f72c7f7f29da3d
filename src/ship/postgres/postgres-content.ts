import { COMMON_COLUMNS, FACT_TABLES, type Fact, type FactTableName } from '../facts/fact-tables.ts';
import type { FactContent, FactPart } from '../targets/fact-content.ts';
import type { TargetAccess } from '../targets/fact-target.ts';
import { connectToPostgres, type PostgresConnection } from './connect.ts';
import { copyLines, createStage, insertStage, writeColumnList } from './copy-lines.ts';
import { createLineEncoder, INFINITE_MS } from './copy-text.ts';
import { createFactTables, qualify, readColumns, STORES_TABLE } from './fact-schema.ts';

/** Entries whose facts are read, and replaced, together. */
const PART_ENTRIES = 200;
/** Facts that are fetched together, and bodies, which are larger. */
const FETCH_FACTS = 5000;
const FETCH_BODIES = 100;

/** The numbers of PostgreSQL's types whose values are not texts, and what becomes of them. */
const PARSERS: Readonly<Record<number, (text: string) => Fact[number]>> = {
  16: (text) => text === 't',
  17: (text) => Buffer.from(text.slice(2), 'hex'),
  20: Number,
  1184: parseTime,
};

/** A time of UTC, as PostgreSQL writes it. */
function parseTime(text: string): number {
  if (text.endsWith('infinity')) return text.startsWith('-') ? -INFINITE_MS : INFINITE_MS;
  return Date.parse(text.replace(' ', 'T').replace(/\+00$/, 'Z'));
}

const TYPES = { getTypeParser: (type: number) => PARSERS[type] ?? String };

/** A store's facts of one table in a range of entries. */
interface Range {
  readonly table: FactTableName;
  readonly store: string;
  readonly first: number;
  readonly last: number;
}

/**
 * Opens the facts of a schema. They are read by one connection; each replacement has one of its own. The schema may be of an
 * earlier version, and reading needs no right to change it.
 */
export async function openPostgresContent(access: TargetAccess): Promise<FactContent> {
  const connection = await connectToPostgres(access);
  const { attempt, schema } = connection;
  let columns: ReadonlyMap<string, ReadonlySet<string>> | undefined;
  let cursors = 0;

  const toPart = (range: Range, values: string): FactPart => ({
    name: `${range.table}: entries ${range.first} to ${range.last} of ${range.store}`,
    last: range.last,
    read: () => readRange(connection, range, { values, cursor: `facts_${(cursors += 1)}` }),
    replace: (change) => replaceRange(access, range, change),
  });

  return {
    partName: ['range of entries', 'ranges of entries'],
    // The server lets one replacement after the other in.
    lock: () => ({ [Symbol.dispose]: () => undefined }),

    async listParts(table, only) {
      columns ??= await readColumns(connection);
      const existing = columns.get(table);
      if (!existing) return [];
      const values = listValues(table, existing);
      const { rows } = await attempt((client) =>
        client.query<{ store: string; first: string; last: string }>(
          `select f.store, min(f.entry) as first, max(f.entry) as last
           from ${qualify(schema, table)} f join ${qualify(schema, STORES_TABLE)} s on s.store = f.store and f.entry <= s.entry
           where $1::text is null or f.store = $1 group by f.store, f.entry / ${PART_ENTRIES} order by 2, 1`,
          [only],
        ),
      );
      return rows.map(({ store, first, last }) =>
        toPart({ table, store, first: Number(first), last: Number(last) }, values),
      );
    },

    [Symbol.asyncDispose]: connection[Symbol.asyncDispose],
  };
}

/** What is selected of a table: null for columns that it lacks. */
const listValues = (table: FactTableName, existing: ReadonlySet<string>): string =>
  Object.keys({ ...COMMON_COLUMNS, ...FACT_TABLES[table].columns })
    .map((name) => (existing.has(name) ? name : `null as ${name}`))
    .join(', ');

/** Replaces the facts of a range, in a table with all columns. */
async function replaceRange(
  access: TargetAccess,
  range: Range,
  change: Parameters<FactPart['replace']>[0],
): Promise<void> {
  await using connection = await connectToPostgres(access);
  const { attempt, schema } = connection;
  const { table, store, first, last } = range;
  await createFactTables(connection);
  const encode = createLineEncoder(table);
  const stage = await createStage(connection, table);
  await attempt((client) => client.query('begin'));
  // A second replacement of the range reads what the first one has written.
  await attempt((client) => client.query(`select pg_advisory_xact_lock(hashtext('trawl.replace.' || $1))`, [schema]));
  for await (const facts of readRange(connection, range, { values: writeColumnList(table), cursor: 'facts' })) {
    const lines = facts.flatMap((fact) => {
      const [from, entry, crawlId, ...columns] = change(fact) ?? [];
      if (from === undefined) return [];
      return encode([from as string, entry as number, crawlId as number | null], [columns]);
    });
    if (lines.length > 0) await copyLines(connection, table, stage, [Buffer.from(lines.join(''))]);
  }
  await attempt((client) =>
    client.query(`delete from ${qualify(schema, table)} where store = $1 and entry between $2 and $3`, [
      store,
      first,
      last,
    ]),
  );
  await insertStage(connection, table);
  await attempt((client) => client.query('commit'));
}

/** Reads the facts of a range by a cursor, in a transaction or by one of its own. */
async function* readRange(
  { attempt, client: open, schema }: PostgresConnection,
  { table, store, first, last }: Range,
  { values, cursor }: { readonly values: string; readonly cursor: string },
): AsyncGenerator<readonly Fact[], void, undefined> {
  await attempt((client) => client.query("set timezone = 'UTC'; set datestyle = 'ISO'"));
  await attempt((client) =>
    client.query(
      `declare ${cursor} no scroll cursor with hold for select ${values} from ${qualify(schema, table)}
       where store = ${client.escapeLiteral(store)} and entry between ${first} and ${last} order by entry${table === 'bodies' ? ', number' : ''}`,
    ),
  );
  const count = table === 'bodies' ? FETCH_BODIES : FETCH_FACTS;
  try {
    for (;;) {
      const { rows } = await attempt((client) =>
        client.query<unknown[]>({ text: `fetch ${count} from ${cursor}`, rowMode: 'array', types: TYPES }),
      );
      if (rows.length === 0) break;
      yield rows as Fact[];
    }
  } finally {
    // In a failed transaction it is closed already.
    await open.query(`close ${cursor}`).catch(() => undefined);
  }
}
