import { CONNECT_ERRORS, TrawlError } from '../../base/errors.ts';
import { TargetUnavailableError } from '../files/lake.ts';

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
export function createRefusal(status: number, code: string, place: S3Place): TrawlError {
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
export const createUnavailableError = (reason: string, { service, address }: S3Place): TargetUnavailableError =>
  new TargetUnavailableError(`cannot use ${address}: ${service} does not answer: ${REASONS[reason] ?? reason}`);
