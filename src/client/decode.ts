import { promisify } from 'node:util';
import { brotliDecompress, constants, gunzip, inflate, inflateRaw } from 'node:zlib';
import { concatBuffers } from './concat-buffers.ts';

export class TooLargeError extends Error {
  override readonly name = 'TooLargeError';
}

export class EncodingError extends Error {
  override readonly name = 'EncodingError';
}

/** Most pages fit one chunk of this size. Node's default of 16 KiB costs three times the CPU on the main thread. */
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
  // Some servers send raw deflate (RFC 9110, 8.4.1.2). A zlib stream has a header whose low bits are 8.
  deflate: (body, options) => ((body[0] ?? 0) % 16 === 8 ? inflateZlib : inflateRawDeflate)(body, options),
  br: (body, { maxOutputLength, chunkSize }) => promisify(brotliDecompress)(body, { maxOutputLength, chunkSize }),
};

/**
 * Decodes a body by its Content-Encoding. `maxBytes` limits the decoded size. With `isPartial`, the body is a prefix,
 * and so is the result. Returns a buffer that owns its memory.
 * @throws TooLargeError or EncodingError
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
