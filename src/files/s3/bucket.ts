import { createHash } from 'node:crypto';
import { openAsBlob } from 'node:fs';
import { AwsClient } from 'aws4fetch';
import pLimit from 'p-limit';
import { SaxesParser } from 'saxes';
import { SECOND, systemClock } from '#base/clock.ts';
import { CONNECT_ERRORS, TargetUnavailableError, TrawlError } from '#base/errors.ts';
import { type S3Address, type S3Variables, formatS3Address, readS3Settings } from './s3-settings.ts';

const CONCURRENT_REQUESTS = 8;

/**
 * Opens the objects of a bucket whose keys begin with a prefix, by the rest of their keys. Its functions throw TargetUnavailableError if the service does
 * not answer, or TrawlError if it refuses.
 * @throws UsageError for wrong variables
 */
export function openBucket(address: S3Address, variables: S3Variables) {
  const { bucket, prefix } = address;
  const send = createS3Requests(address, variables);
  const limitRequests = pLimit(CONCURRENT_REQUESTS);
  const request = (method: S3Request['method'], path: string, body?: S3Request['body']) =>
    limitRequests(() => send({ method, key: `${prefix}${path}`, body }));
  const write = async (path: string, content: Uint8Array | string | Blob): Promise<void> =>
    void (await request('PUT', path, content));

  /** Returns the paths that begin with a folder's path and a slash; without a folder, all paths. */
  async function list(folder?: string): Promise<string[]> {
    const start = folder === undefined ? prefix : `${prefix}${folder}/`;
    const keys: string[] = [];
    for (let next: Record<string, string> | undefined = {}; next;) {
      const query = { 'list-type': '2', prefix: start, ...next };
      const page = readXmlTexts(Buffer.from((await limitRequests(() => send({ method: 'GET', query })))!).toString());
      for (const key of page['Key'] ?? []) keys.push(key.slice(prefix.length));
      const [token] = page['NextContinuationToken'] ?? [];
      next = token === undefined ? undefined : { 'continuation-token': token };
    }
    return keys;
  }

  return {
    describe: (path: string): string => `s3://${bucket}/${prefix}${path}`,
    list,
    read: (path: string): Promise<Uint8Array | undefined> => request('GET', path),
    write,
    /** Writes a file of this machine there, without reading it into memory. */
    upload: async (file: string, path: string): Promise<void> => await write(path, await openAsBlob(file)),
    remove: async (path: string): Promise<void> => void (await request('DELETE', path)),
  };
}

/** A request is sent so often before its batch begins again. */
const ATTEMPTS = 4;
const RETRY_MS = SECOND / 4;

interface S3Request {
  readonly method: 'GET' | 'PUT' | 'DELETE';
  /** The whole key; empty for the bucket. */
  readonly key?: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: Uint8Array | string | Blob | undefined;
}

/** Returns the body of the response; undefined if there is no such object. */
export type SendS3Request = (request: S3Request) => Promise<Uint8Array | undefined>;

/**
 * Returns a function that sends signed requests to a bucket, and repeats those that fail on their way. It returns undefined if
 * there is no such object, and throws TargetUnavailableError if the service does not answer, or TrawlError if it refuses.
 * @throws UsageError
 */
function createS3Requests({ bucket, prefix }: S3Address, variables: S3Variables): SendS3Request {
  const { service, url, region, readKeys } = readS3Settings({ bucket, prefix }, variables);
  const place = { service, bucket, address: formatS3Address(`s3://${bucket}/${prefix}`) };

  async function sendOnce(
    client: AwsClient,
    { method, key = '', query = {}, body = '' }: S3Request,
  ): Promise<Response> {
    const search = new URLSearchParams(query).toString();
    const path = key === '' ? '' : `/${key.split('/').map(encodeURIComponent).join('/')}`;
    return await client.fetch(`${url}${path}${search === '' ? '' : `?${search}`}`, {
      method,
      // A signature is for one host.
      redirect: 'manual',
      // The service compares it with what arrives.
      headers: { 'X-Amz-Content-Sha256': await computeDigest(body) },
      ...(method === 'PUT' && { body }),
    });
  }

  async function attempt(request: S3Request): Promise<Uint8Array | undefined> {
    const client = new AwsClient({ ...(await readKeys()), region, service: 's3', retries: 0 });
    let response: Response;
    let body: Uint8Array;
    try {
      response = await sendOnce(client, request);
      body = new Uint8Array(await response.arrayBuffer());
    } catch (error) {
      // Bodies of errors may have the access key: only this code gets into messages.
      const { code } = ((error as Error).cause ?? error) as { code?: unknown };
      throw createUnavailableError(typeof code === 'string' ? code : (error as Error).message, place);
    }
    if (response.ok) return body;
    const [code = ''] = readXmlTexts(Buffer.from(body).toString())['Code'] ?? [];
    if (response.status === 404 && request.method === 'GET' && (code === 'NoSuchKey' || code === '')) return undefined;
    throw createRefusal(response.status, code, place);
  }

  return async (request) => {
    for (let attempts = 1; ; attempts += 1) {
      try {
        return await attempt(request);
      } catch (error) {
        if (attempts === ATTEMPTS || !(error instanceof TargetUnavailableError)) throw error;
        await systemClock.sleep(RETRY_MS * 2 ** attempts);
      }
    }
  };
}

async function computeDigest(body: Uint8Array | string | Blob): Promise<string> {
  const digest = createHash('sha256');
  if (body instanceof Blob) for await (const chunk of body.stream()) digest.update(chunk);
  else digest.update(body);
  return digest.digest('hex');
}

/** Where a request was sent. */
export interface S3Place {
  /** The service. */
  readonly service: string;
  readonly bucket: string;
  /** `s3://bucket/prefix`. */
  readonly address: string;
}

const KEYS = 'Check AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY.';
const REGION = 'Set AWS_REGION to the region of the bucket.';

/** What refusals mean, by their codes, and what to do. */
const REFUSALS: Readonly<Record<string, readonly [describe: (place: S3Place) => string, hint: string]>> = {
  NoSuchBucket: [({ service, bucket }) => `there is no bucket ${bucket} at ${service}`, 'Create it first.'],
  InvalidAccessKeyId: [({ service }) => `${service} does not know the access key`, KEYS],
  SignatureDoesNotMatch: [({ service }) => `${service} refuses the secret key`, KEYS],
  AccessDenied: [
    ({ address }) => `the access key has no right to ${address}`,
    'It needs s3:ListBucket, s3:GetObject, s3:PutObject and s3:DeleteObject.',
  ],
  ExpiredToken: [
    ({ service }) => `the session of the access key has ended at ${service}`,
    'Set new keys and AWS_SESSION_TOKEN.',
  ],
  RequestTimeTooSkewed: [
    ({ service }) => `the clock of this machine differs from that of ${service}`,
    'Synchronise the clock, for example with chrony.',
  ],
  AuthorizationHeaderMalformed: [({ service }) => `the region is wrong for ${service}`, REGION],
  PermanentRedirect: [({ bucket }) => `the bucket ${bucket} is in another region`, REGION],
};

/** Refusals that end by themselves, or when the batch begins again. */
const TEMPORARY = /^(SlowDown|Throttling|RequestTimeout|OperationAborted|TemporaryRedirect)$/;

/** Whether a response says that the same request may succeed later. */
const isTemporary = (status: number, code: string): boolean => status >= 500 || status === 429 || TEMPORARY.test(code);

/** Returns the error of a response. @param code of the service, such as `NoSuchBucket` */
function createRefusal(status: number, code: string, place: S3Place): TrawlError {
  if (isTemporary(status, code)) return createUnavailableError(`${code || 'HTTP'} ${status}`, place);
  const refusal = REFUSALS[code];
  if (refusal) return new TrawlError(refusal[0](place), { hint: refusal[1] });
  return new TrawlError(`${place.service} refuses a request to ${place.address}: ${code} (HTTP ${status})`);
}

const REASONS: Readonly<Record<string, string>> = {
  ...CONNECT_ERRORS,
  ECONNRESET: 'the connection was lost',
  UND_ERR_SOCKET: 'the connection was lost',
};

/** @param reason an error code of Node, or a text */
const createUnavailableError = (reason: string, { service, address }: S3Place): TargetUnavailableError =>
  new TargetUnavailableError(`cannot use ${address}: ${service} does not answer: ${REASONS[reason] ?? reason}`);

/** The texts of elements by name, in the order of the document: all that responses of S3 need. */
export type XmlTexts = Readonly<Record<string, readonly string[]>>;

/** Returns the texts of the innermost elements of a document. What cannot be parsed has none. */
function readXmlTexts(xml: string): XmlTexts {
  const found: Record<string, string[]> = {};
  let text = '';
  let isInnermost = false;
  const parser = new SaxesParser();
  parser.on('opentag', () => {
    text = '';
    isInnermost = true;
  });
  parser.on('text', (more) => (text += more));
  parser.on('closetag', ({ name }) => {
    if (isInnermost) (found[name] ??= []).push(text);
    isInnermost = false;
  });
  try {
    parser.write(xml).close();
  } catch {
    return {};
  }
  return found;
}
