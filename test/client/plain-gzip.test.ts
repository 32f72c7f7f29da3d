import { constants, crc32, deflateRawSync, gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { ContractError, TransientError } from '#base/errors.ts';
import { decodePlainGzip } from '#service/client/plain-gzip.ts';
import { CANARY, clientOf, errorOf, serve } from './service.ts';

const PROFILE = { data: { id: '1', userName: 'añb', description: 'd'.repeat(2000) } };
const BODY = Buffer.from(JSON.stringify(PROFILE));
/** Bits of the fourth byte (RFC 1952, 2.3.1). */
const FLAGS = { text: 1, headerCrc: 2, extra: 4, name: 8, comment: 16, reserved: 32 };

interface Deviations {
  readonly decoded?: Buffer;
  readonly flags?: number;
  /** The optional fields of the header, but its checksum. */
  readonly fields?: Buffer;
  readonly checksum?: number;
  readonly size?: number;
}

/** A gzip member as RFC 1952 describes it, with deviations. */
function member({ decoded = BODY, flags = 0, fields = Buffer.alloc(0), ...deviations }: Deviations = {}): Buffer {
  const { checksum = crc32(decoded), size = decoded.length } = deviations;
  const header = Buffer.concat([Buffer.from([0x1f, 0x8b, 8, flags, 1, 2, 3, 4, 2, 3]), fields]);
  const headerCrc = Buffer.alloc(flags & FLAGS.headerCrc ? 2 : 0);
  if (headerCrc.length > 0) headerCrc.writeUInt16LE(crc32(header) & 0xffff);
  const trailer = Buffer.alloc(8);
  trailer.writeUInt32LE(checksum, 0);
  trailer.writeUInt32LE(size, 4);
  return Buffer.concat([header, headerCrc, deflateRawSync(decoded), trailer]);
}

const EMPTY = member({ decoded: Buffer.alloc(0) });
const [START, END] = [BODY.subarray(0, 9), BODY.subarray(9)];

async function fetchEncoded(body: Buffer, encoding = 'gzip', maxBytes?: number) {
  const service = await serve((response) => response.setHeader('content-encoding', encoding).end(body));
  return clientOf(service.url, { maxBytes }).fetch('user-profile', { screenName: 'a' });
}

describe('a gzip body is passed on as it arrived, in a buffer of its own', () => {
  it.each<[string, Buffer, string?]>([
    ['of level 0', gzipSync(BODY, { level: 0 })],
    ['of level 1', gzipSync(BODY, { level: 1 })],
    ['of level 9', gzipSync(BODY, { level: 9 })],
    ['with a time and a system', member()],
    ['as x-gzip', member(), 'x-gzip'],
    ['as GZIP', member(), ' GZIP '],
    ['too large for the main thread', gzipSync(JSON.stringify({ data: { text: 'é'.repeat(150_000) } }))],
  ])('%s', async (_, served, encoding) => {
    const { gzip, raw, bytes } = await fetchEncoded(served, encoding);
    expect(gzip?.equals(served)).toBe(true);
    expect(gzip?.buffer.byteLength).toBe(served.length);
    expect(raw.buffer.byteLength).toBe(raw.length);
    expect(bytes).toBe(served.length);
  });
});

describe('a body that contains anything else is only decoded', () => {
  it.each<[string, Buffer, string?]>([
    ['two members', Buffer.concat([member({ decoded: START }), member({ decoded: END })])],
    ['an empty member first', Buffer.concat([EMPTY, member()])],
    ['an empty member last', Buffer.concat([member(), EMPTY])],
    ['zeros at the end', Buffer.concat([member(), Buffer.alloc(9)])],
    ['a text flag', member({ flags: FLAGS.text })],
    ['a header checksum', member({ flags: FLAGS.headerCrc })],
    ['an extra field', member({ flags: FLAGS.extra, fields: Buffer.from('\x03\0abc') })],
    ['a file name', member({ flags: FLAGS.name, fields: Buffer.from(`${CANARY}\0`) })],
    ['a comment', member({ flags: FLAGS.comment, fields: Buffer.from('for you\0') })],
    ['gzip in gzip', gzipSync(member()), 'gzip, gzip'],
    ['gzip and identity', member(), 'identity, gzip'],
    ['no encoding', BODY, 'identity'],
  ])('%s', async (_, served, encoding) => {
    const { gzip, raw } = await fetchEncoded(served, encoding);
    expect(gzip).toBeUndefined();
    expect(raw.equals(BODY)).toBe(true);
  });

  it('the API key, which is removed', async () => {
    const { gzip, raw } = await fetchEncoded(gzipSync(JSON.stringify({ data: { id: '1', key: CANARY } })));
    expect(gzip).toBeUndefined();
    expect(raw.toString()).toBe('{"data":{"id":"1","key":"[key]"}}');
  });
});

test.each([
  ['a wrong checksum', member({ checksum: (crc32(BODY) ^ 1) >>> 0 })],
  ['a size that is too small', member({ size: BODY.length - 1 })],
  ['a size that is too large', member({ size: BODY.length + 1 })],
  ['a flag that is not defined', member({ flags: FLAGS.reserved })],
  ['a cut trailer', member().subarray(0, -1)],
  ['other bytes at the end', Buffer.concat([member(), Buffer.from('a comment')])],
  ['its trailer twice', Buffer.concat([member(), member().subarray(-8)])],
  ['cut data', Buffer.concat([member().subarray(0, -20), member().subarray(-8)])],
])('gzip with %s is an incomplete response', async (_, served) => {
  const error = await errorOf(fetchEncoded(served));
  expect(error).toBeInstanceOf(TransientError);
  expect(error).toMatchObject({ message: expect.stringMatching(/gzip encoding is cut or broken/) });
});

test.each([
  ['its true size', 3_000_000],
  ['a small size', 100],
])('a gzip bomb that claims %s is rejected', async (_, size) => {
  const bomb = member({ decoded: Buffer.alloc(3_000_000, ' '), size });
  const error = await errorOf(fetchEncoded(bomb, 'gzip', 1_000_000));
  expect(error).toBeInstanceOf(ContractError);
  expect(error).toMatchObject({ message: expect.stringMatching(/larger than 1.0 MB/) });
});

test('of all bytes and settings, exactly the whole member is plain gzip', async () => {
  const { Z_DEFAULT_STRATEGY, Z_FILTERED, Z_HUFFMAN_ONLY, Z_RLE, Z_FIXED } = constants;
  const settings = fc.record({
    level: fc.integer({ min: 0, max: 9 }),
    strategy: fc.constantFrom(Z_DEFAULT_STRATEGY, Z_FILTERED, Z_HUFFMAN_ONLY, Z_RLE, Z_FIXED),
    memLevel: fc.integer({ min: 1, max: 9 }),
    windowBits: fc.integer({ min: 9, max: 15 }),
  });
  const bytes = fc
    .tuple(fc.uint8Array({ maxLength: 300 }), fc.constantFrom(1, 1, 20, 1000))
    .map(([some, times]) => Buffer.concat(Array.from({ length: times }, () => some)));
  const suffix = fc.uint8Array({ minLength: 1, maxLength: 40 });
  const property = fc.asyncProperty(bytes, settings, suffix, fc.nat(), async (decoded, options, more, cut) => {
    const whole = gzipSync(decoded, options);
    const decode = (body: Buffer) => decodePlainGzip(body, 1_000_000);
    expect((await decode(whole))?.equals(decoded)).toBe(true);
    expect(await decode(Buffer.concat([whole, more]))).toBeUndefined();
    expect(await decode(Buffer.concat([whole, whole.subarray(-8)]))).toBeUndefined();
    expect(await decode(Buffer.concat([whole, whole]))).toBeUndefined();
    expect(await decode(whole.subarray(0, cut % whole.length))).toBeUndefined();
  });
  await fc.assert(property, { numRuns: 300 });
});
