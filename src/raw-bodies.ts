import { hash } from 'node:crypto';
import { promisify } from 'node:util';
import { brotliCompress, brotliCompressSync, brotliDecompress, constants, gunzip, inflate } from 'node:zlib';
import pLimit from 'p-limit';

/** As small as zlib makes it, at half the cost (decision 7). */
const QUALITY = { [constants.BROTLI_PARAM_QUALITY]: 1 };
/** Smaller bodies are compressed faster than they are passed to another thread. */
const SMALL = 128 * 1024;

/** `gzip` as the service sent it, `br` (brotli), or `deflate` (zlib) for older pages. */
export type BodyEncoding = 'br' | 'deflate' | 'gzip';

interface StoredBody {
  readonly encoding: BodyEncoding;
  readonly body: Uint8Array;
}

interface ServedBody {
  readonly body: Uint8Array;
  readonly gzip?: Uint8Array | undefined;
  readonly hash?: string | undefined;
}

/**
 * Compresses the body of a page, or takes the gzip in which it arrived, and adds the hash of the uncompressed body. The
 * thread pool compresses large bodies.
 */
export async function compressPage<Page extends ServedBody>({
  gzip,
  ...page
}: Page): Promise<Omit<Page, 'gzip'> & StoredBody & { readonly hash: string }> {
  const hash = page.hash ?? hashBody(page.body);
  if (gzip) return { ...page, hash, encoding: 'gzip', body: gzip };
  return { ...page, hash, encoding: 'br', body: await compressBody(page.body) };
}

async function compressBody(body: Uint8Array): Promise<Buffer> {
  const options = { params: { ...QUALITY, [constants.BROTLI_PARAM_SIZE_HINT]: body.length } };
  return body.length <= SMALL ? brotliCompressSync(body, options) : await limit(compress, body, options);
}

/** SHA-256 of a body as it was served, decoded. */
export const hashBody = (body: Uint8Array): string => hash('sha256', body);

/** The digest of a list after one more page. `before` is undefined for its first page. */
export const addToDigest = (before: string | undefined, page: string): string =>
  before === undefined ? page : hash('sha256', before + page);

/** The bodies that are compressed or decompressed at once: a thread of libuv's four remains for files and DNS. */
const limit = pLimit(3);
const compress = promisify(brotliCompress);
const UNPACK = { br: promisify(brotliDecompress), deflate: promisify(inflate), gzip: promisify(gunzip) } as const;

/** The decoded body of a stored page. */
export const decompressBody = ({ encoding, body }: StoredBody): Promise<Buffer> => limit(UNPACK[encoding], body);
