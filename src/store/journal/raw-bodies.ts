import { hash } from 'node:crypto';
import { promisify } from 'node:util';
import { brotliCompress, brotliCompressSync, brotliDecompress, constants, inflate } from 'node:zlib';
import pLimit from 'p-limit';
import type { RawPage, ServedPage } from '../schema/messages.ts';

/** As small as zlib makes it, at half the cost (decision 7). */
const QUALITY = { [constants.BROTLI_PARAM_QUALITY]: 1 };
/** Up to here, compressing takes less than handing it to another thread would cost. */
const SMALL = 128 * 1024;

/** Makes a page as it was served into what is stored of it. What is large is compressed by the thread pool. */
export async function compressPage({ body, ...page }: ServedPage): Promise<RawPage> {
  const options = { params: { ...QUALITY, [constants.BROTLI_PARAM_SIZE_HINT]: body.length } };
  const packed = body.length <= SMALL ? brotliCompressSync(body, options) : await limit(compress, body, options);
  return { ...page, hash: page.hash ?? hashBody(body), encoding: 'br', body: packed };
}

/** SHA-256 of a body as it was served. */
export const hashBody = (body: Uint8Array): string => hash('sha256', body);

/** The digest of a list, one page further. `before` is undefined for its first page. */
export const addToDigest = (before: string | undefined, page: string): string =>
  before === undefined ? page : hash('sha256', before + page);

/** The bodies that are compressed or decompressed at once: a thread of libuv's four remains for files and DNS. */
const limit = pLimit(3);
const compress = promisify(brotliCompress);
const UNPACK = { br: promisify(brotliDecompress), deflate: promisify(inflate) } as const;

/** The body of a stored page as it was served. */
export const decompressBody = ({ encoding, body }: Pick<RawPage, 'encoding' | 'body'>): Promise<Buffer> =>
  limit(UNPACK[encoding], body);
