import { expect, test } from 'vitest';
import { FACT_TABLE_NAMES } from '../../../src/ship/facts/fact-tables.ts';
import { POSTGRES } from '../../../src/ship/postgres/postgres-target.ts';
import type { MentionsPolicy } from '../../../src/store/erasure/tombstones.ts';
import { runJson } from '../../support/cli.ts';
import type { PostgresServer } from '../../support/postgres-server.ts';
import { startPostgres } from '../../support/postgres.ts';
import { tempFile } from '../../support/temp.ts';
import { forgetPerson, MENTIONS, OWN_TRACES, PERSON, storePerson } from '../purged-lake.ts';
import { addTarget, askFacts, columnsOf, shipOnce } from './support.ts';
import { startThreeServers } from './three-servers.ts';

/** Two stores with the person in snapshots and entries. Only the first one has forgotten them. */
async function shipPerson(databases: readonly string[], address: string, mentions: MentionsPolicy): Promise<void> {
  for (const [i, path] of databases.entries()) {
    await storePerson(path, 1000 + i);
    await addTarget(path, address);
    await shipOnce(path);
    await storePerson(path, 2000 + i);
    await shipOnce(path);
  }
  await forgetPerson(databases[0]!, mentions);
  await shipOnce(databases[0]!);
}

/** All facts as text. */
async function readFacts(server: PostgresServer): Promise<string[]> {
  const facts: string[] = [];
  for (const table of FACT_TABLE_NAMES)
    for (const row of await askFacts(server, `select ${Object.keys(columnsOf(table)).join(', ')} from ${table}`))
      facts.push(`${table} ${JSON.stringify(row)}`);
  return facts.toSorted();
}

const namesPerson = (fact: string): boolean =>
  [PERSON.id, PERSON.handle, PERSON.tweet].some((name) => fact.includes(name));
const purge = (address: string, ...more: string[]) =>
  runJson<{ files: number; tables: unknown[] }>(['ship', 'purge', address, '--quiet', ...more]);

test.each([
  ['one server', 'keep', async () => await startPostgres()],
  [
    'three servers',
    'redact',
    async () => {
      const path = tempFile('first.db');
      await storePerson(path, 1);
      return (await startThreeServers(async (address) => void (await addTarget(path, address))))[0];
    },
  ],
] as const)(
  'nothing is left of a forgotten person on %s, and all of the others (mentions: %s)',
  async (_, mentions, start) => {
    const server = await start();
    await shipPerson([tempFile('one.db'), tempFile('other.db')], server.address, mentions);
    const before = await readFacts(server);
    for (const trace of [...OWN_TRACES, ...MENTIONS]) expect(before.join('\n')).toContain(trace);
    const plan = await purge(server.address, '--dry-run');
    expect(await readFacts(server)).toEqual(before);
    expect(plan.files).toBeGreaterThan(5);
    expect(await purge(server.address)).toMatchObject({ files: plan.files, tables: plan.tables });

    const after = await readFacts(server);
    for (const trace of OWN_TRACES) expect(after.join('\n')).not.toContain(trace);
    expect(after.join('\n').includes(MENTIONS[0]!)).toBe(mentions === 'keep');
    // Facts that name nobody are as they were, each once.
    const others = before.filter((fact) => !namesPerson(fact));
    expect(others.length).toBeGreaterThan(20);
    expect(after.filter((fact) => others.includes(fact))).toEqual(others);
    expect(await purge(server.address)).toMatchObject({ files: 0, tables: [] });
  },
);

test('a fact is read as it was written, and replaced at once', async () => {
  const server = await startPostgres();
  const access = { address: server.address, variables: {} };
  await POSTGRES.prepare(access);
  const tweets = Array.from({ length: 12_000 }, (_, i) => [
    1700000000000 + i,
    `${i}`,
    null,
    `a\tb\\${i}`,
    -1,
    i,
    null,
    null,
    null,
    i % 2 === 0,
  ]);
  {
    await using target = await POSTGRES.open(access, 'mine', '');
    await using batch = await target.openBatch(7, '2026-01-01');
    await batch.add('tweet_sightings', ['mine', 7, null], tweets);
    await batch.seal({ store: 'mine', entry: 7, sealedAt: new Date().toISOString(), snapshots: [] });
  }
  // Of a store that nothing was recorded of: it does not count.
  await askFacts(server, `insert into tweet_sightings (store, entry, rest_id) values ('other', 1, '1')`);
  await using content = await POSTGRES.openContent(access);
  const parts = await content.listParts('tweet_sightings');
  expect(parts).toHaveLength(1);
  const read = async () => {
    const found: unknown[] = [];
    for await (const facts of parts[0]!.read())
      found.push(...facts.map((fact) => fact.slice(0, tweets[0]!.length + 3)));
    return found.toSorted((a, b) => (a as number[])[3]! - (b as number[])[3]!);
  };
  const written = tweets.map((tweet) => ['mine', 7, null, ...tweet]);
  expect(await read()).toEqual(written);
  // Two at once do not add anything twice.
  const dropEven = (): Promise<void> => parts[0]!.replace((fact) => (fact[12] === true ? undefined : fact));
  await Promise.all([dropEven(), dropEven()]);
  expect(await read()).toEqual(written.filter((fact) => fact[12] === false));
});
