import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { openBucket } from '#files/s3/bucket.ts';
import { parseS3Address } from '#files/s3/s3-settings.ts';
import { withWorld } from '../../e2e/support.ts';
import { startS3Server } from '../../ship/s3/s3-server.ts';
import { runCli, runSuccessfully } from '../../support/cli.ts';
import { isInstalled } from '../../support/programs.ts';
import { newFolder } from './support.ts';

const world = withWorld(40, 11);
const ADDRESS = 's3://lake/datasets/one';

describe.runIf(isInstalled('engines'))('a dataset in a bucket', () => {
  test('has the files of a folder, and replaces an earlier dataset only with --overwrite', async () => {
    const { env } = await startS3Server();
    const bucket = openBucket(parseS3Address(ADDRESS), env);
    const write = (target: string, ...more: string[]) =>
      runCli(['export', 'dataset', '-o', target, '--format', 'csv', '--db', world.file, ...more], { env });
    const folder = newFolder();
    for (const target of [ADDRESS, folder]) expect(await write(target)).toMatchObject({ code: 0 });
    const list = async (): Promise<string[]> => (await bucket.list()).toSorted();
    const files = readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
      .toSorted();
    expect(await list()).toEqual(files);
    for (const file of files.filter((name) => name.startsWith('data/')))
      expect([file, Buffer.from((await bucket.read(file))!).equals(readFileSync(join(folder, file)))]).toEqual([
        file,
        true,
      ]);

    expect(await write(ADDRESS)).toMatchObject({ code: 2, stderr: expect.stringContaining('has a dataset') as string });
    await bucket.write('data/earlier.csv', 'id');
    expect(await write(ADDRESS, '--overwrite')).toMatchObject({ code: 0 });
    expect(await list()).toEqual(files);

    const other = openBucket(parseS3Address('s3://lake/theses'), env);
    await other.write('thesis.txt', 'mine');
    expect(await write('s3://lake/theses', '--overwrite')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('is not a dataset') as string,
    });
    expect(await other.list()).toEqual(['thesis.txt']);
  });

  test('an upload that did not end is no dataset, and the next export replaces it', async () => {
    const { env } = await startS3Server();
    const bucket = openBucket(parseS3Address(ADDRESS), env);
    await bucket.write('datapackage.json.partial', '');
    await bucket.write('data/earlier.csv', 'id');
    await runSuccessfully(['export', 'dataset', '-o', ADDRESS, '--ids-only', '--db', world.file], { env });
    expect(await bucket.list()).toEqual(expect.arrayContaining(['datapackage.json', 'tweet_ids.txt']));
    expect(await bucket.list()).toHaveLength(6);
  });
});

test('other addresses are refused', async () => {
  const { code, stderr } = await runCli(['export', 'dataset', '-o', 'ftp://host/x', '--db', world.file]);
  expect([code, stderr]).toEqual([2, expect.stringContaining('datasets are not written to ftp://')]);
});
