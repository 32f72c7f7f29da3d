import { createHash } from 'node:crypto';
import { AwsClient } from 'aws4fetch';
import { type Clock, SECOND, systemClock } from '../../base/clock.ts';
import { TargetUnavailableError } from '../files/lake.ts';
import { formatS3Address, type S3Address } from './s3-address.ts';
import { createRefusal, createUnavailableError } from './s3-errors.ts';
import { type LakeVariables, readS3Settings } from './s3-settings.ts';
import { readXmlTexts } from './xml-texts.ts';

/** A request is sent so often before its batch begins again. */
const ATTEMPTS = 4;
const RETRY_MS = SECOND / 4;

export interface S3Request {
  readonly method: 'GET' | 'PUT' | 'DELETE';
  /** The whole key; empty for the bucket. */
  readonly key?: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: Uint8Array | string | undefined;
}

/** Returns the body of the response; undefined if there is no such object. */
export type SendS3Request = (request: S3Request) => Promise<Uint8Array | undefined>;

/**
 * Returns a function that sends signed requests to a bucket, and repeats those that fail on their way. It returns undefined if
 * there is no such object, and throws TargetUnavailableError if the service does not answer, or TrawlError if it refuses.
 * @throws UsageError
 */
export function createS3Requests(
  { bucket, prefix }: S3Address,
  variables: LakeVariables,
  clock: Clock = systemClock,
): SendS3Request {
  const { service, url, ...signing } = readS3Settings({ bucket, prefix }, variables);
  const place = { service, bucket, address: formatS3Address(`s3://${bucket}/${prefix}`) };
  const client = new AwsClient({ ...signing, service: 's3', retries: 0 });

  async function sendOnce({ method, key = '', query = {}, body = '' }: S3Request): Promise<Response> {
    const search = new URLSearchParams(query).toString();
    const path = key === '' ? '' : `/${key.split('/').map(encodeURIComponent).join('/')}`;
    return await client.fetch(`${url}${path}${search === '' ? '' : `?${search}`}`, {
      method,
      // A signature is for one host.
      redirect: 'manual',
      // The service compares it with what arrives.
      headers: { 'X-Amz-Content-Sha256': createHash('sha256').update(body).digest('hex') },
      ...(method === 'PUT' && { body }),
    });
  }

  async function attempt(request: S3Request): Promise<Uint8Array | undefined> {
    let response: Response;
    let body: Uint8Array;
    try {
      response = await sendOnce(request);
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
        await clock.sleep(RETRY_MS * 2 ** attempts);
      }
    }
  };
}
