import { hash } from 'node:crypto';
import { promisify } from 'node:util';
import {
  brotliCompressSync,
  brotliDecompress,
  brotliDecompressSync,
  constants,
  gunzip,
  gunzipSync,
  inflate,
  inflateSync,
} from 'node:zlib';
import pLimit from 'p-limit';

/** As small as zlib makes it, at half the cost (decision 7). */
const QUALITY = { [constants.BROTLI_PARAM_QUALITY]: 1 };

/** `gzip` as the service sent it, `br` (brotli), or `deflate` (zlib) for older pages. */
export type BodyEncoding = 'br' | 'deflate' | 'gzip';

/** A body as it is stored. */
export interface StoredBody {
  readonly encoding: BodyEncoding;
  readonly body: Uint8Array;
}

interface ServedBody {
  /** The decoded body. */
  readonly body: Uint8Array;
  /** The body as it arrived, if it may be stored like that. */
  readonly gzip?: Uint8Array | undefined;
  /** SHA-256 of the body, if it was computed before. */
  readonly hash?: string | undefined;
}

/** Compresses a body, or takes the gzip in which it arrived, and adds the hash of the decoded body. */
export function toRawPage<Page extends ServedBody>(page: Page): Page & StoredBody & { readonly hash: string } {
  const { body, gzip, hash: found = hashBody(body) } = page;
  if (gzip) return { ...page, hash: found, encoding: 'gzip', body: gzip };
  const params = { ...QUALITY, [constants.BROTLI_PARAM_SIZE_HINT]: body.length };
  return { ...page, hash: found, encoding: 'br', body: brotliCompressSync(body, { params }) };
}

/** SHA-256 of a body as it was served, decoded. */
export const hashBody = (body: Uint8Array): string => hash('sha256', body);

/** The digest of a list after one more page. `before` is undefined for its first page. */
export const addToDigest = (before: string | undefined, page: string): string =>
  before === undefined ? page : hash('sha256', before + page);

/** The bodies that are decompressed at once: a thread of libuv's four remains for files and DNS. */
const limit = pLimit(3);
const UNPACK = { br: promisify(brotliDecompress), deflate: promisify(inflate), gzip: promisify(gunzip) } as const;

const UNPACK_SYNC = { br: brotliDecompressSync, deflate: inflateSync, gzip: gunzipSync } as const;

/** The decoded body of a stored page, inside a transaction. */
export const decompressBodySync = ({ encoding, body }: StoredBody): Buffer => UNPACK_SYNC[encoding](body);

/** The decoded body of a stored page. */
export const decompressBody = ({ encoding, body }: StoredBody): Promise<Buffer> => limit(UNPACK[encoding], body);
