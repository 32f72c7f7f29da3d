import { writeFileSync } from 'node:fs';
import { relative } from 'node:path';
import { expect, test } from 'vitest';
import type { MentionsPolicy } from '#store/erasure/tombstones.ts';
import { FACT_TABLE_NAMES } from '#store/outbox/fact-tables.ts';
import { failure, runCli, runJson, runSuccessfully } from '../support/cli.ts';
import { tempDir, tempFile } from '../support/temp.ts';
import { askLake, listFactFiles, openLake } from './lake.ts';
import { forgetPerson, MENTIONS, OWN_TRACES, PERSON, storePerson } from './purged-lake.ts';
import { addLake } from './shipped-store.ts';

const ship = (path: string) => runSuccessfully(['lake', 'ship', '--once', '--quiet', '--db', path]);

/** A lake with the person in snapshots and entries of two stores. Only the first one has forgotten them. */
async function createLake(mentions: MentionsPolicy): Promise<string> {
  const lake = tempDir();
  const paths = [tempFile('one.db'), tempFile('other.db')];
  for (const [i, path] of paths.entries()) {
    await storePerson(path, 1000 + i);
    addLake(path, lake);
    await ship(path);
    await storePerson(path, 2000 + i);
    await ship(path);
  }
  await forgetPerson(paths[0]!, mentions);
  await ship(paths[0]!);
  return lake;
}

/** All values of all facts, as text, by table. */
function readValues(lake: string): string[] {
  const values: string[] = [];
  const ask = openLake(lake);
  for (const table of FACT_TABLE_NAMES)
    for (const row of ask(`select * from ${table}`)) values.push(`${table} ${JSON.stringify(row)}`);
  return values.toSorted();
}

/** Texts that are in values. */
function findTraces(lake: string, texts: readonly string[]): string[] {
  const values = readValues(lake).map((text) => text.toLowerCase());
  return texts.filter((text) => values.some((value) => value.includes(text.toLowerCase())));
}

test.each(['keep', 'redact'] as const)(
  'nothing is left of a forgotten person, and all of the others (mentions: %s)',
  async (mentions) => {
    const lake = await createLake(mentions);
    expect(findTraces(lake, [...OWN_TRACES, ...MENTIONS])).toEqual([...OWN_TRACES, ...MENTIONS]);
    const before = readValues(lake);
    const plan = await runJson<{ files: number; tables: unknown[] }>([
      'lake',
      'purge',
      lake,
      '--dry-run',
      '--json',
      '--quiet',
    ]);
    expect(readValues(lake)).toEqual(before);
    expect(plan.files).toBeGreaterThan(2);
    const { files, tables } = await runJson<typeof plan>(['lake', 'purge', lake, '--json', '--quiet']);
    expect({ files, tables }).toEqual({ files: plan.files, tables: plan.tables });

    expect(findTraces(lake, OWN_TRACES)).toEqual([]);
    expect(findTraces(lake, MENTIONS)).toEqual(mentions === 'keep' ? MENTIONS : []);
    // Facts that name nobody are as they were.
    const after = readValues(lake);
    const names = [PERSON.id, PERSON.handle, PERSON.tweet];
    const others = before.filter((row) => !names.some((name) => row.includes(name)));
    expect(after).toEqual(expect.arrayContaining(others));
    expect(after.length).toBeLessThan(before.length);
    const replies = `select distinct text, in_reply_to_user_rest_id, in_reply_to_screen_name, mentions from tweet_sightings
    where rest_id = '90020002' and text is not null and in_reply_to_screen_name is not null`;
    const shown = mentions === 'keep' ? `@${PERSON.handle} hello` : '(forgotten) hello';
    const mentioned = mentions === 'keep' ? `["${PERSON.handle}","third"]` : '["third"]';
    expect(askLake(lake, replies)).toEqual([[shown, null, '(forgotten)', mentioned]]);
    expect(await runJson(['lake', 'purge', lake, '--json', '--quiet'])).toMatchObject({ files: 0, tables: [] });
    expect((await runCli(['lake', 'purge', lake])).stdout).toContain('0 files were rewritten');
  },
  120_000,
);

test('a place that is no target is refused, and nobody forgotten is no error', async () => {
  expect(await runCli(['lake', 'purge', tempDir()])).toMatchObject(failure(2, 'nothing was shipped to'));
  const lake = tempDir();
  const path = tempFile('mine.db');
  await storePerson(path, 1000);
  addLake(path, lake);
  await ship(path);
  expect((await runSuccessfully(['lake', 'purge', lake])).stdout).toContain(
    'no database of this target has erased an account',
  );
  await forgetPerson(path, 'keep');
  await ship(path);
  const file = listFactFiles(lake).toSorted().at(-1);
  writeFileSync(file!, 'no facts');
  expect(await runCli(['lake', 'purge', lake])).toMatchObject(failure(1, `${relative(lake, file!)} is damaged`));
});
