import { UsageError } from '../../base/errors.ts';

/** A place in object storage. */
export interface S3Address {
  readonly bucket: string;
  /** What all keys begin with, with a slash at its end; empty for the whole bucket. */
  readonly prefix: string;
}

const FORM = /^s3:\/\/([a-z\d][a-z\d.-]{1,61}[a-z\d])(?:\/(.*))?$/i;
/** A key that needs no encoding in any engine's patterns. */
const PREFIX = /^[\w.=-]+(?:\/[\w.=-]+)*$/;

/** Returns the bucket and the prefix of `s3://bucket/prefix`. @throws UsageError, which does not repeat what may be a secret */
export function parseS3Address(text: string): S3Address {
  const [, bucket, path = ''] = FORM.exec(text) ?? [];
  const prefix = path.replace(/\/+$/, '');
  const isRelative = prefix.split('/').some((part) => part === '.' || part === '..');
  if (bucket === undefined || isRelative || (prefix !== '' && !PREFIX.test(prefix))) {
    throw new UsageError('an S3 target must be an address such as s3://bucket/prefix', {
      hint: 'Its prefix may have letters, digits, "_", "-", ".", "=" and "/". Keys and the endpoint are in the variables AWS_….',
    });
  }
  return { bucket: bucket.toLowerCase(), prefix: prefix === '' ? '' : `${prefix}/` };
}

/** Returns an address in the form in which it is stored. @throws UsageError */
export function formatS3Address(text: string): string {
  const { bucket, prefix } = parseS3Address(text);
  return `s3://${bucket}/${prefix}`.replace(/\/$/, '');
}
