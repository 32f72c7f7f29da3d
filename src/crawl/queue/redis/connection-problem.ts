import { describeError, TrawlError } from '#base/errors.ts';
import type { RedisConnection } from './redis-backend.ts';

interface Problem {
  /** A text of ioredis or of the server, which may contain the password. */
  readonly message: string;
  readonly hint?: string | undefined;
}

/** Returns what is wrong with a Redis that cannot be used, and what to do. */
export function findConnectionProblem(connection: RedisConnection, failure: Error): Problem {
  if (failure instanceof TrawlError) return failure;
  const { code = '' } = failure as NodeJS.ErrnoException;
  if (code in TLS_PROBLEMS) return TLS_PROBLEMS[code]!;
  const known = findProtocolProblem(failure);
  if (known) return known;
  const isReset =
    ['ECONNRESET', 'EPIPE'].includes(code) || /^Connection is closed|timed? ?out|ETIMEDOUT/i.test(failure.message);
  return {
    message: isReset ? 'it closes the connection, or does not answer' : describeError(failure),
    hint: isReset ? RESET_HINTS[connection.tls ? 'tls' : 'plain'] : hintFor(connection, failure.message),
  };
}

/** Returns a hint for a Redis that works but refuses commands. */
function hintFor(connection: RedisConnection, message: string): string | undefined {
  if (message.startsWith('READONLY')) return 'Set REDIS_URL to the primary.';
  if (message.startsWith('NOPERM'))
    return 'Give its user the keys and commands of trawl, such as: ACL SETUSER trawl on >password ~trawl:* ~{trawl-* &trawl:* +@all -@dangerous +info +client';
  const isSentinel = 'sentinels' in connection && connection.sentinels;
  if (isSentinel && /invalid reply: null|No such master/.test(message))
    return `Correct the name of the group: the Sentinels do not know ${connection.name}.`;
  if (isSentinel && message.startsWith('connect E'))
    return 'The Sentinels name a primary that is down. If it has a replica, they elect a new one within seconds: try again then.';
  if (isSentinel && message.includes('NOAUTH'))
    return 'The Sentinels ask for a password: add ?sentinel_password=… to REDIS_URL.';
  return undefined;
}

const UNKNOWN_AUTHORITY: Problem = {
  message: 'the authority of its certificate is unknown',
  hint: 'Add ?cacert=<file> to REDIS_URL, with the certificate of the authority.',
};
const NO_CERTIFICATE: Problem = {
  message: 'it asks for a client certificate',
  hint: 'Add ?cert=<file>&key=<file> to REDIS_URL.',
};

/** Servers close a connection that lacks TLS or, often before the reason arrives, a client certificate. */
const RESET_HINTS = {
  plain:
    'It may expect TLS: then REDIS_URL begins with rediss. Or it accepts only some addresses (bind, protected-mode).',
  tls: `It may not speak TLS: then REDIS_URL begins with redis. Or it asks for a client certificate. ${NO_CERTIFICATE.hint}`,
} as const;

/** Problems of TLS, by the code of Node. */
const TLS_PROBLEMS: Readonly<Record<string, Problem>> = {
  SELF_SIGNED_CERT_IN_CHAIN: UNKNOWN_AUTHORITY,
  DEPTH_ZERO_SELF_SIGNED_CERT: UNKNOWN_AUTHORITY,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: UNKNOWN_AUTHORITY,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: UNKNOWN_AUTHORITY,
  ERR_TLS_CERT_ALTNAME_INVALID: {
    message: 'its certificate is for another name',
    hint: 'Use a host that the certificate names, or add ?sni=<name> to REDIS_URL.',
  },
  CERT_HAS_EXPIRED: { message: 'its certificate has expired', hint: 'Renew it.' },
  ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED: NO_CERTIFICATE,
  ERR_SSL_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED: NO_CERTIFICATE,
};

/** Returns the problem of a program that answers, but not as a Redis. */
function findProtocolProblem({ message }: Error): Problem | undefined {
  const [, first] = /Protocol error, got (".*?") as reply type byte/.exec(message) ?? [];
  if (first === undefined) return undefined;
  return {
    message: first === '"H"' ? 'an HTTP server responds there' : 'another program than Redis responds there',
    hint: 'Correct REDIS_URL: it may be the port of another program. With TLS it begins with rediss.',
  };
}
