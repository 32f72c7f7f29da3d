import { promisify } from 'node:util';
import { crc32, inflateRaw, inflateRawSync } from 'node:zlib';

/** Magic number, deflate, and no optional header fields. Six bytes of time and system follow. */
const HEADER_START = [0x1f, 0x8b, 8, 0];
const HEADER_BYTES = 10;
/** CRC-32 and size of the decoded bytes. */
const TRAILER_BYTES = 8;

/** Smaller bodies are decoded faster than they are passed to another thread (decision 38). */
const SMALL = 128 * 1024;
const CHUNK_SIZE = 64 * 1024;

/** What zlib returns with `info`: `bytesWritten` counts the bytes it has read. */
interface Inflated {
  readonly buffer: Buffer;
  readonly engine: { readonly bytesWritten: number };
}

const inflateLarge = promisify(inflateRaw);

/**
 * Decodes a body that is one gzip member without optional header fields, and nothing else (RFC 1952): it contains only
 * what it decodes to. Resolves with undefined for any other body, and if the decoded size exceeds `maxBytes`.
 */
export async function decodePlainGzip(body: Buffer, maxBytes: number): Promise<Buffer | undefined> {
  const trailer = body.length - TRAILER_BYTES;
  if (trailer < HEADER_BYTES || !HEADER_START.every((byte, index) => body[index] === byte)) return undefined;
  const checksum = body.readUInt32LE(trailer);
  const size = body.readUInt32LE(trailer + 4);
  if (size > maxBytes) return undefined;
  const member = body.subarray(HEADER_BYTES, trailer);
  const inflated = await inflateMember(member, size).catch(() => undefined);
  // The compressed data of the first of several members ends before the last trailer, as it does before other bytes.
  const isPlain =
    inflated?.engine.bytesWritten === member.length &&
    inflated.buffer.length === size &&
    crc32(inflated.buffer) === checksum;
  return isPlain ? inflated.buffer : undefined;
}

/** @throws if the data are cut or broken, or larger than `size`, which the sender has claimed */
async function inflateMember(member: Buffer, size: number): Promise<Inflated> {
  const isSmall = size <= SMALL && member.length <= SMALL;
  // A free byte shows zlib that the output is complete: with an exact chunk, it allocates another one.
  const options = { info: true, maxOutputLength: size + 1, chunkSize: isSmall ? Math.max(size + 1, 64) : CHUNK_SIZE };
  const inflated: unknown = isSmall ? inflateRawSync(member, options) : await inflateLarge(member, options);
  return inflated as Inflated;
}
