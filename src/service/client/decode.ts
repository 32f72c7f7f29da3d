import { promisify } from 'node:util';
import { brotliDecompress, constants, gunzip, inflate, inflateRaw } from 'node:zlib';
import { decodePlainGzip } from './plain-gzip.ts';

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

export interface DecodedBody {
  /** A buffer that owns its memory. */
  readonly decoded: Buffer;
  /** Whether the body is one gzip member without optional header fields, and nothing else. */
  readonly isPlainGzip: boolean;
}

/**
 * Decodes a body by its Content-Encoding. `maxBytes` limits the decoded size.
 * @throws TooLargeError or EncodingError
 */
export async function decodeBody(body: Buffer, encoding: string, maxBytes: number): Promise<DecodedBody> {
  const plain = /^(x-)?gzip$/i.test(encoding.trim()) ? await decodePlainGzip(body, maxBytes) : undefined;
  const decoded = plain ?? (await decodeAny(body, encoding, maxBytes));
  return { decoded: own(decoded), isPlainGzip: plain !== undefined };
}

/** Decodes the prefix of a body, to a prefix. @throws TooLargeError or EncodingError */
export const decodePrefix = (body: Buffer, encoding: string, maxBytes: number): Promise<Buffer> =>
  decodeAny(body, encoding, maxBytes, constants.Z_SYNC_FLUSH);

async function decodeAny(body: Buffer, encoding: string, maxBytes: number, finishFlush?: number): Promise<Buffer> {
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
        ...(finishFlush === undefined ? {} : { finishFlush }),
      });
    } catch (error) {
      const { code } = error as { code?: string };
      if (code === 'ERR_BUFFER_TOO_LARGE') throw new TooLargeError('too large', { cause: error });
      throw new EncodingError(`its ${name} encoding is cut or broken`, { cause: error });
    }
  }
  if (decoded.length > maxBytes) throw new TooLargeError('too large');
  return decoded;
}

/** Returns the chunks in one buffer that owns its memory and so can be transferred to another thread. */
export function concatBuffers(chunks: readonly Buffer[]): Buffer {
  const size = chunks.reduce((sum, { length }) => sum + length, 0);
  const whole = Buffer.allocUnsafeSlow(size);
  let at = 0;
  for (const chunk of chunks) at += chunk.copy(whole, at);
  return whole;
}

const own = (buffer: Buffer): Buffer => (buffer.buffer.byteLength === buffer.length ? buffer : concatBuffers([buffer]));
