/**
 * Errors that trawl throws on purpose. The class says how to react, so callers use `instanceof` and never read a
 * message. `hint` tells a person what to do.
 */

export interface TrawlErrorOptions {
  readonly hint?: string | undefined;
  readonly command?: CommandHint | undefined;
  readonly cause?: unknown;
}

/** A command that helps, as in `trawl <name> <args>` <result>. The command line adds the options that it needs, such as --db. */
export interface CommandHint {
  readonly name: string;
  readonly args?: string;
  readonly result: string;
}

/** The base class of expected errors. The command line prints the message and the hint, without a stack trace. */
export class TrawlError extends Error {
  override readonly name: string = 'TrawlError';
  readonly hint: string | undefined;
  readonly command: CommandHint | undefined;

  constructor(message: string, options: TrawlErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.hint = options.hint;
    this.command = options.command;
  }
}

/** An argument or a configuration value is invalid; nothing was started. The command line exits with code 2. */
export class UsageError extends TrawlError {
  override readonly name: string = 'UsageError';
}

/** A lake or another target does not answer, or the connection is lost: the same call may succeed later. */
export class TargetUnavailableError extends TrawlError {
  override readonly name = 'TargetUnavailableError';
}

export type ServiceErrorOptions = TrawlErrorOptions &
  Partial<Pick<ServiceError, 'status' | 'body' | 'headers' | 'sent' | 'ms' | 'retryAfterMs' | 'isForeign'>>;

/** A request that did not return the requested page. */
export class ServiceError extends TrawlError {
  override readonly name: string = 'ServiceError';
  /** The HTTP status; undefined if there was no response. */
  readonly status: number | undefined;
  /** The start of the response body, at most 2 KB. */
  readonly body: string | undefined;
  /** The headers of the response as JSON, without secrets; undefined if there was no response. */
  readonly headers: string | undefined;
  /** False only if no connection was made, so that the request cost no quota. */
  readonly sent: boolean;
  /** Duration in milliseconds. */
  readonly ms: number | undefined;
  /** Milliseconds to wait by Retry-After, if the service sent it. */
  readonly retryAfterMs: number | undefined;
  /** No service answered: there was no connection, or the response is not JSON. The address may be wrong. */
  readonly isForeign: boolean;

  constructor(message: string, options: ServiceErrorOptions = {}) {
    super(message, options);
    this.status = options.status;
    this.body = options.body;
    this.headers = options.headers;
    this.sent = options.sent ?? true;
    this.ms = options.ms;
    this.retryAfterMs = options.retryAfterMs;
    this.isForeign = options.isForeign ?? !this.sent;
  }
}

/** 400: the request is invalid. The crawl fails; a retry would not help. */
export class BadRequestError extends ServiceError {
  override readonly name = 'BadRequestError';
}

/** 401: the key is missing, wrong or revoked. The workers of the key stop; crawls are kept and not retried. */
export class UnauthorizedError extends ServiceError {
  override readonly name = 'UnauthorizedError';
}

/** 403: the target is forbidden, or the key is. The crawl fails if the key still gets another target of the endpoint. */
export class ForbiddenError extends ServiceError {
  override readonly name = 'ForbiddenError';
}

/** 404: the meaning depends on the endpoint (specification, Errors); the kind of the crawl decides how it ends. */
export class NotFoundError extends ServiceError {
  override readonly name = 'NotFoundError';
}

/** 429: the quota is used up. All workers pause; this does not count as a retry. */
export class QuotaExceededError extends ServiceError {
  override readonly name = 'QuotaExceededError';
}

/**
 * No response, a 5xx, 408 or 425, or a response without an object `data` (truncated, or HTML of a proxy). The request is
 * retried with back-off.
 */
export class TransientError extends ServiceError {
  override readonly name = 'TransientError';
}

/** The service sent JSON that does not match the specification. The crawl fails and keeps its checkpoint. */
export class ContractError extends ServiceError {
  override readonly name = 'ContractError';
}

/** A bug of trawl, found by a check before it could do harm. */
export class InvariantError extends Error {
  override readonly name = 'InvariantError';
}

/** Another worker holds the crawl, or it was cancelled: this worker stops without changing it. */
export class StaleLeaseError extends TrawlError {
  override readonly name = 'StaleLeaseError';
}

/**
 * What is wrong with the store. `disk`: it is full or fails. `file`: the file is damaged, deleted or replaced.
 * `unavailable`: a lock, a permission or the memory; the same call may succeed later. `data`: it refuses what was sent.
 */
export type StoreFailure = 'disk' | 'file' | 'unavailable' | 'data';

/** The store failed to read or to write. Nothing of the call is stored. */
export class StoreError extends TrawlError {
  override readonly name: string = 'StoreError';
  readonly failure: StoreFailure;
  /** SQLite's code, if it has one. */
  readonly code: string | undefined;

  constructor(
    message: string,
    { failure, code, ...options }: TrawlErrorOptions & { readonly failure: StoreFailure; readonly code?: string },
  ) {
    super(message, options);
    this.failure = failure;
    this.code = code;
  }

  /** All work ends: what is written would be lost. */
  get isFatal(): boolean {
    return this.failure === 'file';
  }
}

/** The file of the database was deleted or replaced while it was open. */
export class FileReplacedError extends StoreError {
  override readonly name = 'FileReplacedError';

  constructor(message: string, options: TrawlErrorOptions) {
    super(message, { failure: 'file', ...options });
  }
}

const formatHint = (name: string, args = ''): string => `\`${`trawl ${name} ${args}`.trimEnd()}\``;

/** The hint of an error, with its command as `format` writes it. */
export function describeHint({ hint, command }: TrawlError, format = formatHint): string | undefined {
  const advice = command && `${format(command.name, command.args)} ${command.result}.`;
  return [hint, advice].filter(Boolean).join(' ') || undefined;
}

/** Returns the message of any thrown value on one line, with the hint on a second line. */
export function describeError(error: unknown, format?: typeof formatHint): string {
  if (error instanceof TrawlError) return [error.message, describeHint(error, format)].filter(Boolean).join('\n  ');
  if (!(error instanceof Error)) return String(error);
  const { code = 'an error without a message' } = error as NodeJS.ErrnoException;
  return describeRedisError(error) ?? SYSTEM_ERRORS[code] ?? (removeCode(error.message) || code);
}

/** Reasons for a failed connection, by Node's error code. */
export const CONNECT_ERRORS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'connection refused',
  ENOTFOUND: 'no such host',
  EAI_AGAIN: 'the name server does not answer',
  EHOSTUNREACH: 'no route to the host',
  ENETUNREACH: 'the network is unreachable',
  EADDRNOTAVAIL: 'no such address',
};

/** Messages for system errors whose own text is not helpful. */
const SYSTEM_ERRORS: Readonly<Record<string, string>> = {
  ...CONNECT_ERRORS,
  EISDIR: 'it is a folder',
  EMFILE: 'too many open files: this process may open more after `ulimit -n 1024`',
  ENFILE: 'too many open files on this machine',
};

/** Messages for Redis errors, by the first word of the reply. */
const REDIS_ERRORS: Readonly<Record<string, string>> = {
  READONLY: 'this Redis is a read-only replica; trawl needs the primary',
  NOPERM: 'the user of REDIS_URL lacks a permission (ACL)',
  NOAUTH: 'this Redis asks for a password, and REDIS_URL has none',
  WRONGPASS: 'this Redis refuses the user or the password',
  OOM: 'the memory of this Redis is full (maxmemory)',
  MISCONF: 'this Redis cannot save to its disk and refuses writes',
  LOADING: 'this Redis is still loading its data',
  MASTERDOWN: 'this Redis is a replica that has lost its primary',
};

/** Returns why Redis refused a command; undefined for other errors. */
export function describeRedisError(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  const [first = ''] = error.message.split(' ', 1);
  const reason = REDIS_ERRORS[first];
  if (reason === undefined) return undefined;
  // The rest of the reply names the command or the key.
  return first === 'NOPERM' ? `${reason}: ${error.message.slice(first.length + 1)}` : reason;
}

/** Removes the error code and system call: the caller names the file or address. */
const removeCode = (message: string): string =>
  /^(?:[a-z]+ )?E[A-Z0-9]+: ([^,]+?)(?:, [a-z]+.*)?$/.exec(message)?.[1] ?? message;
