import { CONNECT_ERRORS, TrawlError } from '../../errors.ts';
import { TargetUnavailableError } from '../targets/fact-target.ts';

/** What an error of PostgreSQL means for shipping. */
interface Meaning {
  /** Of the server's message by default. */
  readonly text?: string;
  readonly hint?: string;
  /** Whether the same statement may succeed later. */
  readonly isTemporary?: true;
}

const TEMPORARY = { isTemporary: true } as const;
const PASSWORD_HINT = 'Set PGPASSWORD, or add a line to ~/.pgpass that only you can read (chmod 600).';
const CERTIFICATE_HINT =
  'Name the certificate of its authority: ?sslrootcert=/path/ca.pem, with the host name of the certificate.';

/** By SQLSTATE or its class of two characters, or by the code of Node. */
const MEANINGS: Readonly<Record<string, Meaning>> = {
  ...Object.fromEntries(Object.entries(CONNECT_ERRORS).map(([code, text]) => [code, { text, ...TEMPORARY }])),
  ECONNRESET: { text: 'the connection was lost', ...TEMPORARY },
  EPIPE: { text: 'the connection was lost', ...TEMPORARY },
  ETIMEDOUT: { text: 'it does not answer', ...TEMPORARY },
  ENOENT: { text: 'no server listens on its socket', ...TEMPORARY },
  '08': TEMPORARY,
  '25006': { text: 'it is read-only: a standby, or a full server that protects itself', ...TEMPORARY },
  '28000': { hint: 'Its pg_hba.conf decides who may connect.' },
  '28P01': { hint: PASSWORD_HINT },
  '3D000': { hint: 'Create it: `createdb --host … <database>`.' },
  '40': TEMPORARY,
  '42501': {
    hint: 'Grant it. A new target: `grant create on database … to <user>`, or `create schema trawl authorization <user>`. To read one: `grant usage on schema trawl to <user>` and `grant select on all tables in schema trawl to <user>`. New columns after an update: run `trawl ship add` once as the owner of the tables.',
  },
  '53100': {
    text: 'its disk is full',
    hint: 'Free space there. Facts that wait stay in the database until then.',
    ...TEMPORARY,
  },
  '53': TEMPORARY,
  '55': TEMPORARY,
  '57': TEMPORARY,
  '58': TEMPORARY,
  DEPTH_ZERO_SELF_SIGNED_CERT: { hint: CERTIFICATE_HINT },
  SELF_SIGNED_CERT_IN_CHAIN: { hint: CERTIFICATE_HINT },
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: { hint: CERTIFICATE_HINT },
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: { hint: CERTIFICATE_HINT },
  CERT_HAS_EXPIRED: { hint: CERTIFICATE_HINT },
  ERR_TLS_CERT_ALTNAME_INVALID: { hint: CERTIFICATE_HINT },
};

/** Errors of the client, which have no code. */
const CLIENT_ERRORS: readonly (readonly [RegExp, Meaning])[] = [
  [
    /password must be a string|password must be a non-empty string/,
    { text: 'it asks for a password', hint: PASSWORD_HINT },
  ],
  [
    /does not support SSL/,
    { text: 'it has no TLS', hint: 'If nobody else reads this network, add ?sslmode=disable to the address.' },
  ],
  [/timeout expired|Connection timed out/i, { text: 'it does not answer', ...TEMPORARY }],
  [
    /Connection terminated|not queryable|connection error|closed the connection|stream destroyed/i,
    { text: 'the connection was lost', ...TEMPORARY },
  ],
];

/**
 * Returns an error of the client or the server as one of trawl, with the address, which has no password; undefined for an
 * error of trawl itself.
 */
export function describePostgresError(error: unknown, address: string): TrawlError | undefined {
  if (!(error instanceof Error) || error instanceof TrawlError) return undefined;
  // Several addresses of one host failed.
  const first = error instanceof AggregateError ? (error.errors[0] as Error) : error;
  const { code = '' } = first as NodeJS.ErrnoException;
  const meaning =
    MEANINGS[code] ??
    CLIENT_ERRORS.find(([pattern]) => pattern.test(first.message))?.[1] ??
    (/^[\dA-Z]{5}$/.test(code) ? (MEANINGS[code.slice(0, 2)] ?? {}) : undefined);
  if (!meaning) return undefined;
  const { text = first.message, hint, isTemporary } = meaning;
  const options = { hint, cause: error };
  return isTemporary
    ? new TargetUnavailableError(`cannot use ${address}: ${text}`, options)
    : new TrawlError(`cannot use ${address}: ${text}`, options);
}
