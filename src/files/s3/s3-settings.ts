import { describeError, TrawlError, UsageError } from '#base/errors.ts';

/** The variables that clients of object storage read, such as AWS_REGION. Never printed, logged or stored. */
export type S3Variables = Readonly<Record<string, string>>;

/** What requests are signed with. */
interface S3Keys {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string;
}

/** Where a bucket is. */
export interface S3Settings {
  /** The service, for messages. */
  readonly service: string;
  /** The address of the bucket, without a slash at its end. */
  readonly url: string;
  readonly region: string;
  /** Returns the present keys. @throws TrawlError if there are none */
  readonly readKeys: () => Promise<S3Keys>;
}

/** What S3-compatible services expect if nothing says where requests are signed for. */
const DEFAULT_REGION = 'us-east-1';

/** Returns the settings of a bucket from AWS_…. @throws UsageError for a wrong address of the service */
export function readS3Settings({ bucket }: S3Address, variables: S3Variables): S3Settings {
  const region = variables['AWS_REGION'] || variables['AWS_DEFAULT_REGION'] || DEFAULT_REGION;
  const place = locate(bucket, region, variables['AWS_ENDPOINT_URL_S3'] || variables['AWS_ENDPOINT_URL']);
  return { ...place, region, readKeys: prepareKeys(variables) };
}

/** The package of the vendor that reads profiles, roles and web identities. It is no dependency. */
const PROVIDERS: string = '@aws-sdk/credential-providers';

/** Prepares reading the keys: those of the variables, or of the package of the vendor, which renews them. */
function prepareKeys(variables: S3Variables): S3Settings['readKeys'] {
  const { AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secretAccessKey } = variables;
  if (accessKeyId && secretAccessKey)
    return async () => ({ accessKeyId, secretAccessKey, sessionToken: variables['AWS_SESSION_TOKEN'] ?? '' });
  let provide: S3Settings['readKeys'] | undefined;
  return async () => {
    try {
      provide ??= (
        (await import(PROVIDERS)) as { fromNodeProviderChain(): S3Settings['readKeys'] }
      ).fromNodeProviderChain();
      return await provide();
    } catch (cause) {
      throw new TrawlError(`there are no AWS keys: ${describeError(cause)}`, {
        hint: `Set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or install ${PROVIDERS} beside trawl.`,
        cause,
      });
    }
  };
}

/** Of services other than AWS, the bucket is in the path: they rarely have a name for each one. */
function locate(bucket: string, region: string, endpoint: string | undefined): Pick<S3Settings, 'service' | 'url'> {
  if (endpoint) {
    const url = URL.canParse(endpoint) ? new URL(endpoint) : undefined;
    if (!url || !/^https?:$/.test(url.protocol) || url.username !== '' || url.password !== '')
      throw new UsageError('AWS_ENDPOINT_URL should be an http(s) address without user and password');
    return { service: url.origin, url: `${url.origin}${url.pathname.replace(/\/$/, '')}/${bucket}` };
  }
  const service = `https://s3.${region}.amazonaws.com`;
  // The certificate has no names with further dots.
  const url = bucket.includes('.') ? `${service}/${bucket}` : `https://${bucket}.s3.${region}.amazonaws.com`;
  return { service, url };
}

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
