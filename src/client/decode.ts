import { promisify } from 'node:util';
import { brotliDecompress, constants, gunzip, inflate, inflateRaw } from 'node:zlib';
import { concatBuffers } from './concat-buffers.ts';

/** The body is larger than allowed, once decoded. */
export class TooLargeError extends Error {
  override readonly name = 'TooLargeError';
}

/** The body is not what its Content-Encoding says. */
export class EncodingError extends Error {
  override readonly name = 'EncodingError';
}

/** A common page comes out in one piece: with Node's 16 KiB, it costs three times as much of the main thread. */
const CHUNK_SIZE = 64 * 1024;

type Options = { maxOutputLength: number; chunkSize: number; finishFlush?: number };
type Decode = (body: Buffer, options: Options) => Promise<Buffer>;

const inflateZlib: Decode = promisify(inflate);
const inflateRawDeflate: Decode = promisify(inflateRaw);
const inflateGzip: Decode = promisify(gunzip);

const DECODERS: Readonly<Record<string, Decode>> = {
  identity: async (body) => body,
  gzip: inflateGzip,
  'x-gzip': inflateGzip,
  // Some servers send the bare stream that RFC 9110 warns of; only the first has a header, whose low bits are 8.
  deflate: (body, options) => ((body[0] ?? 0) % 16 === 8 ? inflateZlib : inflateRawDeflate)(body, options),
  br: (body, { maxOutputLength, chunkSize }) => promisify(brotliDecompress)(body, { maxOutputLength, chunkSize }),
};

/**
 * Undoes a Content-Encoding. The limit is on the decoded size: a small body can hold a very large one. With `cut`, the
 * body is only the start of one, and so is what comes back. The result is in memory of its own.
 * @throws TooLargeError or EncodingError.
 */
export async function decodeBody(body: Buffer, encoding: string, maxBytes: number, isPartial = false): Promise<Buffer> {
  const names = encoding
    .toLowerCase()
    .split(',')
    .map((name) => name.trim())
    .filter(Boolean)
    .toReversed();
  let decoded = body;
  for (const name of names) {
    const decoder = Object.hasOwn(DECODERS, name) ? DECODERS[name] : undefined;
    if (!decoder || names.length > 4) throw new EncodingError(`it is encoded as ${encoding}`);
    try {
      decoded = await decoder(decoded, {
        maxOutputLength: maxBytes,
        chunkSize: CHUNK_SIZE,
        ...(isPartial ? { finishFlush: constants.Z_SYNC_FLUSH } : {}),
      });
    } catch (error) {
      const { code } = error as { code?: string };
      if (code === 'ERR_BUFFER_TOO_LARGE') throw new TooLargeError('too large', { cause: error });
      throw new EncodingError(`its ${name} encoding is cut or broken`, { cause: error });
    }
  }
  if (decoded.length > maxBytes) throw new TooLargeError('too large');
  return decoded.buffer.byteLength === decoded.length ? decoded : concatBuffers([decoded]);
}
