import { rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pLimit from 'p-limit';
import { TrawlError } from '../../errors.ts';
import { removeAbandonedFiles, temporarySuffix } from '../../temporary-files.ts';
import type { LakePlace } from '../lake/lake-content.ts';
import { factFilePath, formatRecord, isBeyond, recordPath, RECORDS } from '../lake/lake-files.ts';
import type { LakeStorage } from '../lake/lake-storage.ts';
import type { ShippedStore } from '../targets/fact-target.ts';
import type { Bucket } from './bucket.ts';

/** Records that are read at the same time. */
const CONCURRENT_READS = 8;

/** The keys of the files that a store uploads are written first: whoever is killed leaves no others. */
const uploadsPath = (store: string): string => `_partial/${store}.json`;

/** Checks that objects can be written, read, listed and deleted. @throws TrawlError if not */
export async function checkAccess(bucket: Bucket): Promise<void> {
  const key = `_partial/check-${process.pid}`;
  await bucket.put(key, 'trawl');
  await bucket.get(key);
  for await (const _ of bucket.list('_partial/')) break;
  await bucket.remove([key]);
}

/** Returns what a lake has of a store; undefined if it has nothing. @throws TrawlError if the record is damaged */
export const readS3Record = (bucket: Bucket, store: string): Promise<ShippedStore | undefined> =>
  readJson<ShippedStore>(bucket, recordPath(store));

/** Returns the content of an object of trawl; undefined if there is none. */
async function readJson<T>(bucket: Bucket, key: string): Promise<T | undefined> {
  const content = await bucket.get(key);
  if (content === undefined) return undefined;
  try {
    return JSON.parse(Buffer.from(content).toString()) as T;
  } catch (cause) {
    throw new TrawlError(`cannot read ${bucket.describe(key)}`, {
      hint: 'Restore an earlier version of the object.',
      cause,
    });
  }
}

/** Returns what a lake has of all its stores, sorted. */
export async function readS3Records(bucket: Bucket): Promise<ShippedStore[]> {
  const limit = pLimit(CONCURRENT_READS);
  const stores: string[] = [];
  for await (const key of bucket.list(`${RECORDS}/`)) {
    const [, store] = /^_stores\/(.+)\.json$/.exec(key) ?? [];
    if (store !== undefined) stores.push(store);
  }
  const records = await Promise.all(stores.toSorted().map((store) => limit(() => readS3Record(bucket, store))));
  return records.filter((record) => record !== undefined);
}

/** Deletes what a killed process left of a store: the objects of its last upload, if they were not sealed. */
export async function removeUnsealedObjects(bucket: Bucket, store: string): Promise<void> {
  const keys = (await readJson<readonly string[]>(bucket, uploadsPath(store))) ?? [];
  if (keys.length === 0) return;
  const sealed = (await readS3Record(bucket, store))?.entry ?? 0;
  await bucket.remove(keys.filter((key) => isBeyond(key, store, sealed)));
}

/** Returns where files of a store are written, from where they are uploaded when they are published. */
export const createS3Storage = (bucket: Bucket, partial: string): LakeStorage => ({
  partial,
  async publish(files, record) {
    const keys = files.map(({ place }) => factFilePath(place));
    await bucket.put(uploadsPath(record.store), JSON.stringify(keys));
    const uploads = files.map(async ({ path, place }) => {
      await bucket.upload(factFilePath(place), path, (await stat(path)).size);
      await rm(path);
    });
    // Of uploads that fail, none goes on beside the next attempt.
    const results = await Promise.allSettled(uploads);
    for (const result of results) if (result.status === 'rejected') throw result.reason;
    await bucket.put(recordPath(record.store), formatRecord(record));
  },
});

/** Where processes of this machine rewrite files. */
const PURGES = join(tmpdir(), 'trawl-purge');

/** Returns the files of a lake in a bucket. They are rewritten in a folder of this machine. */
export const openS3Place = (bucket: Bucket): LakePlace => ({
  scratch: PURGES + temporarySuffix(process.pid),
  lock() {
    removeAbandonedFiles(PURGES);
    return { [Symbol.dispose]: () => undefined };
  },
  async list(table) {
    const keys: string[] = [];
    for await (const key of bucket.list(`${table}/`)) keys.push(key);
    return keys;
  },
  async read(path) {
    const content = await bucket.get(path);
    if (!content) throw new TrawlError(`${bucket.describe(path)} was deleted meanwhile`);
    return content;
  },
  async replace(path, file) {
    await bucket.upload(path, file, (await stat(file)).size);
    await rm(file);
  },
});
