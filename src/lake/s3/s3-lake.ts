import { rmSync } from 'node:fs';
import { rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pLimit from 'p-limit';
import { TrawlError } from '../../base/errors.ts';
import { removeAbandonedFiles, temporarySuffix } from '../../base/temporary-files.ts';
import { factFilePath, formatRecord, isBeyond, recordPath, RECORDS } from '../files/lake-files.ts';
import type { Lake, LakeWriter, ShippedStore } from '../files/lake.ts';
import { type Bucket, openBucket } from './bucket.ts';
import { parseS3Address } from './s3-address.ts';

/** The variables that clients of object storage know, such as AWS_REGION. Never printed, logged or stored. */
export type LakeVariables = Readonly<Record<string, string>>;

/** Records that are read at the same time. */
const CONCURRENT_READS = 8;

/** The keys of the files that a store uploads are written first: whoever is killed leaves no others. */
const uploadsPath = (store: string): string => `_partial/${store}.json`;

/** Where processes of this machine rewrite files. */
const PURGES = join(tmpdir(), 'trawl-purge');

/** Opens a lake in S3-compatible object storage: its files are written locally, and uploaded when they are sealed. */
export function openS3Lake(address: string, variables: LakeVariables): Lake {
  const bucket = openBucket(parseS3Address(address), variables);
  return {
    prepare: () => checkAccess(bucket),
    openWriter: (store, scratch) => openWriter(bucket, store, scratch),
    readStore: (store) => readRecord(bucket, store),
    readStores: () => readRecords(bucket),
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
    scratch: PURGES + temporarySuffix(process.pid),
    lock() {
      removeAbandonedFiles(PURGES);
      return { [Symbol.dispose]: () => undefined };
    },
  };
}

/** Checks that objects can be written, read, listed and deleted. @throws TrawlError if not */
async function checkAccess(bucket: Bucket): Promise<void> {
  const key = `_partial/check-${process.pid}`;
  await bucket.put(key, 'trawl');
  await bucket.get(key);
  for await (const _ of bucket.list('_partial/')) break;
  await bucket.remove([key]);
}

async function openWriter(bucket: Bucket, store: string, scratch: string): Promise<LakeWriter> {
  rmSync(scratch, { recursive: true, force: true });
  await removeUnsealed(bucket, store);
  return {
    partial: scratch,
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
    async [Symbol.asyncDispose]() {
      rmSync(scratch, { recursive: true, force: true });
    },
  };
}

/** Deletes what a killed process left of a store: the objects of its last upload, if they were not sealed. */
async function removeUnsealed(bucket: Bucket, store: string): Promise<void> {
  const keys = (await readJson<readonly string[]>(bucket, uploadsPath(store))) ?? [];
  if (keys.length === 0) return;
  const sealed = (await readRecord(bucket, store))?.entry ?? 0;
  await bucket.remove(keys.filter((key) => isBeyond(key, store, sealed)));
}

const readRecord = (bucket: Bucket, store: string): Promise<ShippedStore | undefined> =>
  readJson<ShippedStore>(bucket, recordPath(store));

async function readRecords(bucket: Bucket): Promise<ShippedStore[]> {
  const limit = pLimit(CONCURRENT_READS);
  const stores: string[] = [];
  for await (const key of bucket.list(`${RECORDS}/`)) {
    const [, store] = /^_stores\/(.+)\.json$/.exec(key) ?? [];
    if (store !== undefined) stores.push(store);
  }
  const records = await Promise.all(stores.toSorted().map((store) => limit(() => readRecord(bucket, store))));
  return records.filter((record) => record !== undefined);
}

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
