import { mkdirSync, rmSync } from 'node:fs';
import { readFile, rm } from 'node:fs/promises';
import pLimit from 'p-limit';
import type { LakeStorage } from '../files/lake-storage.ts';
import type { S3Address } from './s3-address.ts';
import { createS3Requests, type S3Request } from './s3-requests.ts';
import type { LakeVariables } from './s3-settings.ts';
import { readXmlTexts } from './xml-texts.ts';

const CONCURRENT_REQUESTS = 8;
/** Files that are uploaded at the same time: each is in memory. */
const CONCURRENT_UPLOADS = 2;

/**
 * Opens the objects of a bucket whose keys begin with a prefix: files are written locally, and then uploaded. Its functions
 * throw TargetUnavailableError if the service does not answer, or TrawlError if it refuses.
 * @throws UsageError for wrong variables
 */
export function openBucket(address: S3Address, variables: LakeVariables): LakeStorage {
  const { bucket, prefix } = address;
  const send = createS3Requests(address, variables);
  const limitRequests = pLimit(CONCURRENT_REQUESTS);
  const limitUploads = pLimit(CONCURRENT_UPLOADS);
  const request = (method: S3Request['method'], path: string, body?: S3Request['body']) =>
    limitRequests(() => send({ method, key: `${prefix}${path}`, body }));
  const write = async (path: string, content: Uint8Array | string): Promise<void> =>
    void (await request('PUT', path, content));
  const read = (path: string): Promise<Uint8Array | undefined> => request('GET', path);
  const remove = async (path: string): Promise<void> => void (await request('DELETE', path));

  async function list(folder: string): Promise<string[]> {
    const keys: string[] = [];
    for (let next: Record<string, string> | undefined = {}; next;) {
      const query = { 'list-type': '2', prefix: `${prefix}${folder}/`, ...next };
      const page = readXmlTexts(Buffer.from((await limitRequests(() => send({ method: 'GET', query })))!).toString());
      for (const key of page['Key'] ?? []) keys.push(key.slice(prefix.length));
      const [token] = page['NextContinuationToken'] ?? [];
      next = token === undefined ? undefined : { 'continuation-token': token };
    }
    return keys;
  }

  return {
    async prepare() {
      const path = `_partial/check-${process.pid}`;
      await write(path, 'trawl');
      await read(path);
      await list('_partial');
      await remove(path);
    },
    describe: (path) => `s3://${bucket}/${prefix}${path}`,
    list,
    read,
    write,
    async move(file, path) {
      await limitUploads(async () => write(path, await readFile(file)));
      await rm(file);
    },
    remove,
    claim(_, path) {
      const empty = (): void => rmSync(path, { recursive: true, force: true });
      empty();
      mkdirSync(path, { recursive: true, mode: 0o700 });
      return { path, [Symbol.dispose]: empty };
    },
  };
}
