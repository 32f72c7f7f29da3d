import { readFileSync } from 'node:fs';
import { expect, onTestFinished, test } from 'vitest';
import type { Sidecar } from '#files/export/sidecar.ts';
import { exportTable, openStore, UsageError } from '#index.ts';
import { ADA, createKnownStore, jan } from '../export/support.ts';
import { tempFile } from '../support/temp.ts';

function openKnownStore() {
  const store = openStore(createKnownStore());
  onTestFinished(() => store.close());
  return store;
}

test('exportTable writes the selected rows and their provenance', async () => {
  const file = tempFile('tweets.jsonl');
  const written = await exportTable({
    store: openKnownStore(),
    table: 'tweets',
    file,
    accounts: ['ada_then', 'id:20'],
    since: new Date(jan(2)),
    until: new Date(jan(5)),
  });
  const rows = readFileSync(file, 'utf8').trim().split('\n');
  expect(rows.map((row) => (JSON.parse(row) as { rest_id: string }).rest_id)).toEqual(['102', '104', '107']);
  expect(written).toMatchObject({
    file,
    sidecar: `${file}.meta.json`,
    rows: 3,
    sample: undefined,
    snapshotAt: expect.any(Date),
    hidden: {
      deletedTweets: 1,
      unavailableAccounts: 0,
    },
  });
  const sidecar = JSON.parse(readFileSync(written.sidecar, 'utf8')) as Sidecar;
  expect(sidecar).toMatchObject({ rows: 3, sha256: written.sha256 });
  expect(sidecar.command).toMatch(/^exportTable\(\{"table":"tweets",/);
});

test('a sample without a seed returns one, which draws the same rows again', async () => {
  const [store, file, again] = [openKnownStore(), tempFile('a.csv'), tempFile('b.csv')];
  const { sample, sha256 } = await exportTable({ store, table: 'users', file, sample: { size: 2 } });
  const second = await exportTable({ store, table: 'users', file: again, sample: sample! });
  expect(second).toMatchObject({ rows: 2, sha256, sample });
});

test('invalid arguments are refused before anything is written', async () => {
  const store = openKnownStore();
  const attempt = (more: object): Promise<unknown> =>
    exportTable({ store, table: 'users', file: tempFile('users.csv'), ...more });
  await expect(attempt({ accounts: ['nobody', `id:${ADA}`] })).rejects.toThrow('the store has no account nobody');
  await expect(attempt({ file: 'users.docx' })).rejects.toThrow(UsageError);
  await expect(attempt({ sample: { size: 0 } })).rejects.toThrow(UsageError);
  await expect(attempt({ table: 'coverage', sample: { size: 1 } })).rejects.toThrow(UsageError);
  await expect(attempt({ panel: 'stars' })).rejects.toThrow('there is no panel stars');
});
