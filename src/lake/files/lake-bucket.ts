import { mkdirSync, rmSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { openBucket } from '#files/s3/bucket.ts';
import type { S3Address, S3Variables } from '#files/s3/s3-settings.ts';
import type { LakeStorage } from './lake-storage.ts';

/** Opens the files of a lake in a bucket: they are written locally, and then uploaded. @throws UsageError for wrong variables */
export function openLakeBucket(address: S3Address, variables: S3Variables): LakeStorage {
  const { upload, ...bucket } = openBucket(address, variables);
  return {
    ...bucket,
    async prepare() {
      const path = `_partial/check-${process.pid}`;
      await bucket.write(path, 'trawl');
      await bucket.read(path);
      await bucket.list('_partial');
      await bucket.remove(path);
    },
    async move(file, path) {
      await upload(file, path);
      await rm(file);
    },
    claim(_, path) {
      const empty = (): void => rmSync(path, { recursive: true, force: true });
      empty();
      mkdirSync(path, { recursive: true, mode: 0o700 });
      return { path, [Symbol.dispose]: empty };
    },
  };
}
