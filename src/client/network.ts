import { errors } from 'undici';
import { CONNECT_ERRORS } from '../errors.ts';

/** Why there was no whole answer, in words, and whether the request had left. */
export interface NetworkFailure {
  readonly message: string;
  /** False only if the connection was never made. */
  readonly isSent: boolean;
}

const UNTRUSTED_CERTIFICATE = 'its certificate is not trusted';
const CONNECTION_CLOSED = 'the connection was closed';

/** Codes of Node, of TLS and of undici that mean that no connection was made. */
const CONNECT_FAILURES: Readonly<Record<string, string>> = {
  ...CONNECT_ERRORS,
  EACCES: 'the connection is not permitted',
  EPROTO: 'it does not speak TLS',
  ERR_SSL_WRONG_VERSION_NUMBER: 'it does not speak TLS',
  ERR_SSL_PACKET_LENGTH_TOO_LONG: 'it does not speak TLS',
  UND_ERR_CONNECT_TIMEOUT: 'no connection in time',
  CERT_HAS_EXPIRED: 'its certificate has expired',
  DEPTH_ZERO_SELF_SIGNED_CERT: UNTRUSTED_CERTIFICATE,
  SELF_SIGNED_CERT_IN_CHAIN: UNTRUSTED_CERTIFICATE,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: UNTRUSTED_CERTIFICATE,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: UNTRUSTED_CERTIFICATE,
  ERR_TLS_CERT_ALTNAME_INVALID: 'its certificate is for another host',
};

/** Codes that mean that the answer did not come, or not whole: the request may have counted. */
const RESPONSE_FAILURES: Readonly<Record<string, string>> = {
  ECONNRESET: 'the connection was reset',
  EPIPE: CONNECTION_CLOSED,
  ETIMEDOUT: 'the connection timed out',
  UND_ERR_SOCKET: CONNECTION_CLOSED,
  UND_ERR_HEADERS_TIMEOUT: 'no answer in time',
  UND_ERR_BODY_TIMEOUT: 'the answer stopped coming',
  UND_ERR_HEADERS_OVERFLOW: "the answer's headers are too large",
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: 'the answer was cut',
  UND_ERR_ABORTED: 'the request was cut off',
  UND_ERR_DESTROYED: 'the client was closed',
  UND_ERR_CLOSED: 'the client was closed',
};

/** Reads an error of `node:net`, `node:tls` or undici by its code; not by its message. */
export function describeNetworkFailure(error: unknown): NetworkFailure {
  const { code, syscall } = codeOf(error);
  const connectFailure = CONNECT_FAILURES[code];
  if (connectFailure) return { message: connectFailure, isSent: false };
  const hasFailedToConnect = syscall === 'connect' || syscall === 'getaddrinfo';
  // undici's parser errors have a name but no code of their own.
  if (error instanceof errors.HTTPParserError) return { message: 'the answer is not HTTP', isSent: true };
  return {
    message: RESPONSE_FAILURES[code] ?? `the network failed${code ? ` (${code})` : ''}`,
    isSent: !hasFailedToConnect,
  };
}

export const isTooLarge = (error: unknown): boolean => codeOf(error).code === 'UND_ERR_RES_EXCEEDED_MAX_SIZE';

/** A host with several addresses fails with one error per address inside. */
function codeOf(error: unknown): { code: string; syscall: string } {
  const causes = error instanceof AggregateError ? [error, ...(error.errors as unknown[])] : [error];
  const field = (name: 'code' | 'syscall'): string =>
    causes
      .map((cause) => (cause as Record<string, unknown> | null)?.[name])
      .find((value) => typeof value === 'string') ?? '';
  return { code: field('code'), syscall: field('syscall') };
}
