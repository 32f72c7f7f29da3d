import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { createOutputFolder } from '#files/export/dataset/targets/output-folder.ts';
import { tempDir } from '../../support/temp.ts';

const write = (folder: { path(name: string): string }, name: string, text: string): void =>
  writeFileSync(folder.path(name), text);

/** A folder with a dataset whose README has this text. */
async function createDataset(path: string, text: string): Promise<void> {
  using folder = createOutputFolder(path);
  write(folder, 'datapackage.json', '{}');
  write(folder, 'README.md', text);
  await folder.commit();
}

it('appears under its name when it is committed, with all its files, for its owner only', async () => {
  const path = join(tempDir(), 'data');
  using folder = createOutputFolder(path);
  write(folder, 'data/users.csv', 'a');
  write(folder, 'README.md', 'b');
  expect(existsSync(path)).toBe(false);
  await folder.commit();
  expect(new Set(readdirSync(path, { recursive: true, encoding: 'utf8' }))).toEqual(
    new Set(['README.md', 'data', join('data', 'users.csv')]),
  );
  expect(readdirSync(dirname(path))).toEqual(['data']);
});

it('is deleted when it is not committed', () => {
  const parent = tempDir();
  {
    using folder = createOutputFolder(join(parent, 'data'));
    write(folder, 'README.md', 'a');
    expect(readdirSync(parent)).toEqual([`data.${process.pid}.partial`]);
  }
  expect(readdirSync(parent)).toEqual([]);
});

it('may replace an empty folder, but no file and no folder with files', async () => {
  const parent = tempDir();
  mkdirSync(join(parent, 'empty'));
  await createDataset(join(parent, 'empty/'), 'a');
  expect(readFileSync(join(parent, 'empty', 'README.md'), 'utf8')).toBe('a');
  mkdirSync(join(parent, 'home'));
  writeFileSync(join(parent, 'home', 'thesis.txt'), 'mine');
  writeFileSync(join(parent, 'file'), 'mine');
  for (const overwrite of [false, true]) {
    expect(() => createOutputFolder(join(parent, 'home'), { overwrite })).toThrow(
      /is not empty, and it is not a dataset/,
    );
    expect(() => createOutputFolder(join(parent, 'file'), { overwrite })).toThrow(/is a file/);
  }
});

it('replaces an earlier dataset only if it should', async () => {
  const path = join(tempDir(), 'data');
  await createDataset(path, 'old');
  expect(() => createOutputFolder(path)).toThrow(/has a dataset/);
  {
    using folder = createOutputFolder(path, { overwrite: true });
    write(folder, 'README.md', 'unfinished');
  }
  expect(readFileSync(join(path, 'README.md'), 'utf8')).toBe('old');
  using folder = createOutputFolder(path, { overwrite: true });
  write(folder, 'README.md', 'new');
  await folder.commit();
  expect(readFileSync(join(path, 'README.md'), 'utf8')).toBe('new');
  expect(readdirSync(path)).toEqual(['README.md']);
  expect(readdirSync(dirname(path))).toEqual(['data']);
});

it('does not replace what appears under its name while it is written', async () => {
  const path = join(tempDir(), 'data');
  using folder = createOutputFolder(path);
  write(folder, 'README.md', 'a');
  mkdirSync(path);
  writeFileSync(join(path, 'thesis.txt'), 'mine');
  await expect(folder.commit()).rejects.toThrow(/is not empty/);
  expect(readdirSync(path)).toEqual(['thesis.txt']);
});

it('deletes the folders that killed processes have left, and no others', () => {
  const parent = tempDir();
  // No process has a number beyond the maximum of Linux, 2^22.
  for (const name of [
    'data.4194305.partial',
    `data.${process.ppid}.partial`,
    'data.notes.partial',
    'other.4194305.partial',
  ])
    mkdirSync(join(parent, name));
  using _ = createOutputFolder(join(parent, 'data'));
  expect(readdirSync(parent).toSorted()).toEqual(
    [
      `data.${process.pid}.partial`,
      `data.${process.ppid}.partial`,
      'data.notes.partial',
      'other.4194305.partial',
    ].toSorted(),
  );
});

it('says why it cannot be created', () => {
  expect(() => createOutputFolder(join(tempDir(), 'missing', 'data'))).toThrow(
    /cannot write .*: no such file or directory/,
  );
});
