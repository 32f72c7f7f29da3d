import { createHash } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import type { DatasetRequest } from '#files/export/dataset/dataset-request.ts';
import { openBucket } from '#files/s3/bucket.ts';
import { parseS3Address } from '#files/s3/s3-settings.ts';
import { createOutputFolder, DESCRIPTOR, type OutputFolder, requireReplaceable } from './output-folder.ts';

/** It marks a dataset whose upload has not ended: another export may replace it. */
const UNFINISHED = `${DESCRIPTOR}.partial`;

/**
 * Creates the folder of a dataset in object storage. Its files are written locally; `commit` uploads them, the descriptor last,
 * and deletes those of an earlier dataset.
 * @param address `s3://bucket/prefix` @throws UsageError if the prefix is taken, or for wrong variables
 */
export async function createBucketFolder(
  address: string,
  { overwrite, variables = {} }: Pick<DatasetRequest, 'overwrite' | 'variables'>,
): Promise<OutputFolder> {
  const bucket = openBucket(parseS3Address(address), variables);

  async function listEarlier(): Promise<string[]> {
    const files = await bucket.list();
    if (files.includes(DESCRIPTOR) || !files.includes(UNFINISHED)) requireReplaceable(address, files, overwrite);
    return files;
  }

  await listEarlier();
  const digest = createHash('sha256').update(address).digest('hex').slice(0, 16);
  const folder = createOutputFolder(join(tmpdir(), `trawl-dataset-${digest}`));
  return {
    path: folder.path,
    async commit() {
      const earlier = await listEarlier();
      const root = folder.path('');
      const files = readdirSync(root, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map((entry) => relative(root, join(entry.parentPath, entry.name)))
        .filter((file) => file !== DESCRIPTOR);
      await bucket.write(UNFINISHED, '');
      // Readers of an earlier dataset must not take its descriptor for that of new files.
      await bucket.remove(DESCRIPTOR);
      await Promise.all(files.map((file) => bucket.upload(folder.path(file), file)));
      const kept = new Set([...files, DESCRIPTOR, UNFINISHED]);
      await Promise.all(earlier.filter((file) => !kept.has(file)).map(bucket.remove));
      await bucket.upload(folder.path(DESCRIPTOR), DESCRIPTOR);
      await bucket.remove(UNFINISHED);
    },
    [Symbol.dispose]: () => folder[Symbol.dispose](),
  };
}
