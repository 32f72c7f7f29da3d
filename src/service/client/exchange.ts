import { promisify } from 'node:util';
import { brotliDecompress, constants, gunzip, inflate, inflateRaw } from 'node:zlib';
import type { Dispatcher } from 'undici';
import { decodePlainGzip } from './plain-gzip.ts';

export interface HttpResponse {
  readonly status: number;
  readonly headers: ResponseHeaders;
  /** A buffer that owns its memory; of an error response, perhaps only a prefix. */
  readonly body: Buffer;
}

export type ResponseHeaders = Readonly<Record<string, string | string[] | undefined>>;

/** The exchange ended before the response was complete: by the signal or by the deadline. */
export class AbortedExchangeError extends Error {
  override readonly name = 'AbortedExchangeError';
  readonly reason: 'signal' | 'deadline';
  /** Whether the request was sent; false while it waited for a connection. */
  readonly sent: boolean;

  constructor(reason: 'signal' | 'deadline', sent: boolean) {
    super(`aborted by the ${reason}`);
    this.reason = reason;
    this.sent = sent;
  }
}

export interface RequestOptions {
  readonly request: Dispatcher.DispatchOptions;
  /** The deadline in milliseconds. Its timer is real also in tests with their own clock, since the socket is real. */
  readonly timeoutMs: number;
  /** The number of bytes of an error response to read; the rest is discarded. */
  readonly errorBodyBytes: number;
  readonly signal?: AbortSignal | undefined;
}

export const isSuccess = (status: number): boolean => status >= 200 && status < 300;

/**
 * Sends one request and returns the response. It uses the dispatcher directly: the stream and listeners that `request`
 * creates cost more than receiving a page.
 * @throws AbortedExchangeError or the dispatcher's errors
 */
export function sendRequest(pool: Pick<Dispatcher, 'dispatch'>, options: RequestOptions): Promise<HttpResponse> {
  const { request, timeoutMs, errorBodyBytes, signal } = options;
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    let head: Pick<HttpResponse, 'status' | 'headers'> | undefined;
    let controller: Dispatcher.DispatchController | undefined;
    let stopReason: Error | undefined;

    const abort = (reason: 'signal' | 'deadline'): void =>
      stop(new AbortedExchangeError(reason, controller !== undefined));
    const onAbort = (): void => abort('signal');
    const timer = setTimeout(() => abort('deadline'), timeoutMs);
    signal?.addEventListener('abort', onAbort, { once: true });

    function end(error?: Error): void {
      clearTimeout(timer);
      signal?.removeEventListener('abort', onAbort);
      // An error response is complete with its status, even if its body breaks off.
      if (error && (!head || isSuccess(head.status))) reject(error);
      else resolve({ ...head!, body: concatBuffers(chunks) });
    }
    function stop(reason: Error): void {
      stopReason = reason;
      end(reason);
      controller?.abort(reason);
    }

    pool.dispatch(request, {
      onRequestStart(requestController) {
        controller = requestController;
        // The exchange may have been aborted while it waited for a connection.
        if (stopReason) requestController.abort(stopReason);
      },
      onResponseStart(_, status, headers) {
        if (status >= 200) head = { status, headers };
      },
      onResponseData(_, chunk) {
        chunks.push(chunk);
        size += chunk.length;
        if (size >= errorBodyBytes && !isSuccess(head!.status)) stop(new Error('enough'));
      },
      onResponseEnd: () => end(),
      onResponseError: (_, error) => end(error),
    });
  });
}

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
  return { decoded: concatBuffers([decoded]), isPlainGzip: plain !== undefined };
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
  const [first] = chunks;
  if (first && chunks.length === 1 && first.buffer.byteLength === first.length) return first;
  const size = chunks.reduce((sum, { length }) => sum + length, 0);
  const whole = Buffer.allocUnsafeSlow(size);
  let at = 0;
  for (const chunk of chunks) at += chunk.copy(whole, at);
  return whole;
}

/** Fields of the connection, which say nothing of the response (RFC 9110, 7.6.1). */
const CONNECTION_FIELDS: ReadonlySet<string> = new Set([
  'connection',
  'keep-alive',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/** Names of fields that may contain a secret, or the address of this machine. All other fields are kept (decision 45). */
const PRIVATE_NAME =
  /auth|bearer|cookie|credential|token|secret|session|passw|signature|[cx]srf|jwt|(?:api|access|private)[-_]?key|forwarded|remote[-_]addr|(?:^|[-_])ip$/;

/** The maximum length of the JSON, in characters. */
const MAX_LENGTH = 4096;

/** The name of the number of lines that are left out. No field can have this name (RFC 9110, 5.1). */
const OMITTED = '(omitted)';
/** Room for that number. */
const OMITTED_LENGTH = 32;

type Field = readonly [name: string, value: string | readonly string[]];

/**
 * Returns response headers as JSON, as they are stored with the body: the value of each field, or the values of a repeated
 * one. It lacks fields of the connection. Also left out, but counted as `(omitted)`, are fields whose name suggests a secret,
 * and the longest fields beyond 4,096 characters.
 *
 * @param headers the names are in lower case.
 * @param redact removes the API key from a text.
 */
export function formatHeaders(headers: ResponseHeaders, redact: (text: string) => string): string {
  const fields: Field[] = [];
  let omitted = 0;
  for (const [name, value] of Object.entries(headers)) {
    if (value === undefined || CONNECTION_FIELDS.has(name)) continue;
    if (PRIVATE_NAME.test(name)) omitted += countLines(value);
    else fields.push([name, value]);
  }
  const json = toJson(fields, omitted);
  // A field that contains the key also does so in JSON.
  if (json.length <= MAX_LENGTH && redact(json) === json) return json;
  const { kept, dropped } = dropLongest(fields.map((field) => redactField(field, redact)));
  return toJson(kept, omitted + dropped);
}

const toJson = (fields: readonly Field[], omitted: number): string =>
  JSON.stringify(Object.fromEntries(omitted === 0 ? fields : [...fields, [OMITTED, omitted]]));

const redactField = ([name, value]: Field, redact: (text: string) => string): Field => [
  redact(name),
  typeof value === 'string' ? redact(value) : value.map(redact),
];

/** Returns the fields that fit, shortest first, and the number of lines of the others. */
function dropLongest(fields: readonly Field[]): { readonly kept: readonly Field[]; readonly dropped: number } {
  const measured = fields.map((field) => ({ field, length: JSON.stringify(field).length }));
  const kept: Field[] = [];
  let length = OMITTED_LENGTH;
  let dropped = 0;
  for (const one of measured.toSorted((a, b) => a.length - b.length)) {
    length += one.length;
    if (length <= MAX_LENGTH) kept.push(one.field);
    else dropped += countLines(one.field[1]);
  }
  return { kept, dropped };
}

const countLines = (value: Field[1]): number => (typeof value === 'string' ? 1 : value.length);
