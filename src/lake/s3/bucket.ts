import { type FileHandle, open } from 'node:fs/promises';
import pLimit from 'p-limit';
import type { S3Address } from './s3-address.ts';
import { createS3Requests } from './s3-requests.ts';
import { readXmlTexts, type XmlTexts } from './xml-texts.ts';

/** Larger files are uploaded in parts of this size. S3 needs at least 5 MiB, and takes at most 10,000 parts. */
const PART_BYTES = 8 * 1024 * 1024;
/** Requests with contents of files at the same time: each has a part in memory. */
const CONCURRENT_UPLOADS = 4;
const CONCURRENT_DELETES = 8;

/** The objects of a bucket whose keys begin with a prefix. Keys are given without it. */
export type Bucket = ReturnType<typeof openBucket>;

/**
 * Opens a part of a bucket. Its functions throw TargetUnavailableError if the service does not answer, or TrawlError if it
 * refuses.
 * @throws UsageError for wrong variables
 */
export function openBucket(address: S3Address, variables: Readonly<Record<string, string>>) {
  const { bucket, prefix } = address;
  const request = createS3Requests(address, variables);
  const limitUploads = pLimit(CONCURRENT_UPLOADS);
  const limitDeletes = pLimit(CONCURRENT_DELETES);
  const readXml = async (...args: Parameters<typeof request>): Promise<XmlTexts> =>
    readXmlTexts(Buffer.from((await request(...args))!.body).toString());

  const put = async (key: string, body: Uint8Array | string): Promise<void> =>
    void (await request({ method: 'PUT', key: `${prefix}${key}`, body }));

  const remove = async (keys: readonly string[]): Promise<void> =>
    void (await Promise.all(
      keys.map((key) => limitDeletes(() => request({ method: 'DELETE', key: `${prefix}${key}` }))),
    ));

  /** Uploads a file in parts. The parts of a file that fails are deleted, unless this process is killed. */
  async function uploadParts(key: string, file: FileHandle, bytes: number): Promise<void> {
    const [uploadId] = (await readXml({ method: 'POST', key, query: { uploads: '' } }))['UploadId']!;
    const upload = { uploadId: uploadId! };
    const uploadPart = async (partNumber: number): Promise<string> => {
      const body = await readPart(file, (partNumber - 1) * PART_BYTES, bytes);
      const query = { partNumber: String(partNumber), ...upload };
      const { etag } = (await request({ method: 'PUT', key, query, body }))!;
      return `<Part><PartNumber>${partNumber}</PartNumber><ETag>${etag}</ETag></Part>`;
    };
    const numbers = Array.from({ length: Math.ceil(bytes / PART_BYTES) }, (_, i) => i + 1);
    const parts = await Promise.allSettled(numbers.map((number) => limitUploads(() => uploadPart(number))));
    const failed = parts.find((part) => part.status === 'rejected');
    if (failed) {
      await request({ method: 'DELETE', key, query: upload }).catch(() => undefined);
      throw failed.reason;
    }
    const list = parts.map((part) => (part.status === 'fulfilled' ? part.value : '')).join('');
    const body = `<CompleteMultipartUpload>${list}</CompleteMultipartUpload>`;
    await request({ method: 'POST', key, query: upload, body });
  }

  return {
    put,
    /** Deletes objects, if they are there. */
    remove,

    /** The address of an object, for messages. */
    describe: (key: string): string => `s3://${bucket}/${prefix}${key}`,

    /** Returns the content of an object; undefined if there is none. */
    get: async (key: string): Promise<Uint8Array | undefined> =>
      (await request({ method: 'GET', key: `${prefix}${key}` }))?.body,

    /** Returns the keys that begin with `start`, in order. */
    async *list(start: string): AsyncGenerator<string, void, undefined> {
      for (let more: Record<string, string> | undefined = {}; more;) {
        const page = await readXml({
          method: 'GET',
          query: { 'list-type': '2', prefix: `${prefix}${start}`, ...more },
        });
        for (const key of page['Key'] ?? []) yield key.slice(prefix.length);
        const [token] = page['NextContinuationToken'] ?? [];
        more = token === undefined ? undefined : { 'continuation-token': token };
      }
    },

    /** Uploads a file. */
    async upload(key: string, path: string, bytes: number): Promise<void> {
      const file = await open(path);
      try {
        if (bytes > PART_BYTES) await uploadParts(`${prefix}${key}`, file, bytes);
        else await limitUploads(async () => put(key, await readPart(file, 0, bytes)));
      } finally {
        await file.close();
      }
    },
  };
}

/** Reads a part of a file. */
async function readPart(file: FileHandle, from: number, bytes: number): Promise<Buffer> {
  const part = Buffer.alloc(Math.min(PART_BYTES, bytes - from));
  for (let at = 0; at < part.length;) {
    const { bytesRead } = await file.read(part, at, part.length - at, from + at);
    if (bytesRead === 0) throw new Error('a file became shorter while it was uploaded');
    at += bytesRead;
  }
  return part;
}
