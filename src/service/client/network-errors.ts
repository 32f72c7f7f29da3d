import errors from 'undici/lib/core/errors.js';
import { CONNECT_ERRORS, ContractError, type ServiceError, TransientError } from '#base/errors.ts';
import { formatBytes, formatDuration } from '#base/units.ts';
import { EncodingError, TooLargeError, AbortedExchangeError } from './exchange.ts';

const UNTRUSTED_CERTIFICATE = 'its certificate is not trusted';
const CONNECTION_CLOSED = 'the connection was closed';

/** Error codes of Node, TLS and undici that mean that no connection was made. */
const CONNECT_FAILURES: Readonly<Record<string, string>> = {
  ...CONNECT_ERRORS,
  EACCES: 'the connection is not permitted',
  EPROTO: 'the server does not use TLS',
  ERR_SSL_WRONG_VERSION_NUMBER: 'the server does not use TLS',
  ERR_SSL_PACKET_LENGTH_TOO_LONG: 'the server does not use TLS',
  UND_ERR_CONNECT_TIMEOUT: 'no connection in time',
  CERT_HAS_EXPIRED: 'its certificate has expired',
  DEPTH_ZERO_SELF_SIGNED_CERT: UNTRUSTED_CERTIFICATE,
  SELF_SIGNED_CERT_IN_CHAIN: UNTRUSTED_CERTIFICATE,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: UNTRUSTED_CERTIFICATE,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: UNTRUSTED_CERTIFICATE,
  ERR_TLS_CERT_ALTNAME_INVALID: 'its certificate is for another host',
};

/** Error codes that mean that no complete response arrived; the request may count against the quota. */
const RESPONSE_FAILURES: Readonly<Record<string, string>> = {
  ECONNRESET: 'the connection was reset',
  EPIPE: CONNECTION_CLOSED,
  ETIMEDOUT: 'the connection timed out',
  UND_ERR_SOCKET: CONNECTION_CLOSED,
  UND_ERR_HEADERS_TIMEOUT: 'no response in time',
  UND_ERR_BODY_TIMEOUT: 'the response stalled',
  UND_ERR_HEADERS_OVERFLOW: 'the response headers are too large',
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: 'the response was truncated',
  UND_ERR_ABORTED: 'the request was aborted',
  UND_ERR_DESTROYED: 'the client was closed',
  UND_ERR_CLOSED: 'the client was closed',
};

/** A request that failed, and the limits of its client. */
interface FailedRequest {
  readonly endpoint: string;
  /** The address of the service, for people. */
  readonly address: string;
  readonly ms: number;
  readonly timeoutMs: number;
  readonly maxBytes: number;
  /** Removes the API key from a text. */
  readonly redact: (text: string) => string;
}

/** Converts a failure below HTTP into a typed error. `sent` is false only if no connection was made. */
export function createNetworkError(
  error: unknown,
  { endpoint, address, ms, timeoutMs, maxBytes, redact }: FailedRequest,
): ServiceError {
  if (error instanceof TooLargeError || codeOf(error).code === 'UND_ERR_RES_EXCEEDED_MAX_SIZE')
    return new ContractError(`${endpoint}: the response is larger than ${formatBytes(maxBytes)}`, { ms });
  if (error instanceof EncodingError)
    return new TransientError(`${endpoint}: incomplete response: ${redact(error.message)}`, { ms });
  if (error instanceof AbortedExchangeError && error.reason === 'signal')
    return new TransientError(`${endpoint}: the request was aborted`, { ms, sent: error.sent });
  const { message, isSent } = describeFailure(error, timeoutMs);
  if (isSent) return new TransientError(`${endpoint}: no response from ${address}: ${message}`, { ms });
  return new TransientError(`cannot reach ${address}: ${message}`, {
    ms,
    sent: false,
    hint: 'Is the service up? TRAWL_API_URL is its base address.',
  });
}

/** Classifies an error of `sendRequest`, or one of `node:net`, `node:tls` or undici by its code. */
function describeFailure(error: unknown, timeoutMs: number): { message: string; isSent: boolean } {
  if (error instanceof AbortedExchangeError) {
    const missing = error.sent ? 'complete response' : 'connection';
    return { message: `no ${missing} within ${formatDuration(timeoutMs)}`, isSent: error.sent };
  }
  const { code, syscall } = codeOf(error);
  const connectFailure = CONNECT_FAILURES[code];
  if (connectFailure) return { message: connectFailure, isSent: false };
  const hasFailedToConnect = syscall === 'connect' || syscall === 'getaddrinfo';
  // undici's parser errors have no code.
  if (error instanceof errors.HTTPParserError) return { message: 'the response is not HTTP', isSent: true };
  return {
    message: RESPONSE_FAILURES[code] ?? `the network failed${code ? ` (${code})` : ''}`,
    isSent: !hasFailedToConnect,
  };
}

/** Connecting to a host with several addresses fails with an AggregateError. */
function codeOf(error: unknown): { code: string; syscall: string } {
  const causes = error instanceof AggregateError ? [error, ...(error.errors as unknown[])] : [error];
  const field = (name: 'code' | 'syscall'): string =>
    causes
      .map((cause) => (cause as Record<string, unknown> | null)?.[name])
      .find((value) => typeof value === 'string') ?? '';
  return { code: field('code'), syscall: field('syscall') };
}
