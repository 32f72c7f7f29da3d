import { hash } from 'node:crypto';
import { promisify } from 'node:util';
import { brotliCompress, brotliDecompress, constants, inflate } from 'node:zlib';
import type { RawPage, ServedPage } from './messages.ts';

const compress = promisify(brotliCompress);

/** As small as zlib makes it, at half the cost (decision 7). */
const QUALITY = { [constants.BROTLI_PARAM_QUALITY]: 1 };

/** Makes a page as it was served into what is stored of it. The thread pool compresses; nobody waits here. */
export async function packPage({ body, ...page }: ServedPage): Promise<RawPage> {
  const packed = compress(body, { params: { ...QUALITY, [constants.BROTLI_PARAM_SIZE_HINT]: body.length } });
  return { ...page, hash: hash('sha256', body), encoding: 'br', body: await packed };
}

const UNPACK = { br: promisify(brotliDecompress), deflate: promisify(inflate) } as const;

/** The body of a stored page as it was served. */
export const unpackBody = ({ encoding, body }: Pick<RawPage, 'encoding' | 'body'>): Promise<Buffer> =>
  UNPACK[encoding](body);
