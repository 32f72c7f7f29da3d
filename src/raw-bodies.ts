import { hash } from 'node:crypto';
import { promisify } from 'node:util';
import { brotliCompress, brotliCompressSync, brotliDecompress, constants, inflate } from 'node:zlib';
import pLimit from 'p-limit';

/** As small as zlib makes it, at half the cost (decision 7). */
const QUALITY = { [constants.BROTLI_PARAM_QUALITY]: 1 };
/** Smaller bodies are compressed faster than they are passed to another thread. */
const SMALL = 128 * 1024;

interface StoredBody {
  readonly encoding: 'br' | 'deflate';
  readonly body: Uint8Array;
}

/** Compresses the body of a page and adds its hash. The thread pool compresses large bodies. */
export async function compressPage<Page extends { readonly body: Uint8Array; readonly hash?: string | undefined }>(
  page: Page,
): Promise<Page & StoredBody & { readonly hash: string }> {
  const { body } = page;
  const options = { params: { ...QUALITY, [constants.BROTLI_PARAM_SIZE_HINT]: body.length } };
  const packed = body.length <= SMALL ? brotliCompressSync(body, options) : await limit(compress, body, options);
  return { ...page, hash: page.hash ?? hashBody(body), encoding: 'br', body: packed };
}

/** SHA-256 of a body as it was served. */
export const hashBody = (body: Uint8Array): string => hash('sha256', body);

/** The digest of a list after one more page. `before` is undefined for its first page. */
export const addToDigest = (before: string | undefined, page: string): string =>
  before === undefined ? page : hash('sha256', before + page);

/** The bodies that are compressed or decompressed at once: a thread of libuv's four remains for files and DNS. */
const limit = pLimit(3);
const compress = promisify(brotliCompress);
const UNPACK = { br: promisify(brotliDecompress), deflate: promisify(inflate) } as const;

/** The body of a stored page as it was served. */
export const decompressBody = ({ encoding, body }: StoredBody): Promise<Buffer> => limit(UNPACK[encoding], body);
