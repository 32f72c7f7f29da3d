/**
 * Every error that trawl throws on purpose. The class says what happens next, so callers branch with
 * `instanceof` and never on a message. `hint` tells a person what to do.
 */

export interface TrawlErrorOptions {
  readonly hint?: string | undefined;
  readonly cause?: unknown;
}

/** The base: shown to people as its message and hint, without a stack. */
export class TrawlError extends Error {
  override readonly name: string = 'TrawlError';
  readonly hint: string | undefined;

  constructor(message: string, options: TrawlErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.hint = options.hint;
  }
}

/** The command line or a configuration value is wrong: nothing was started. Exit code 2. */
export class UsageError extends TrawlError {
  override readonly name = 'UsageError';
}

/** Details of a response besides its status. */
export interface ServiceErrorOptions extends TrawlErrorOptions {
  /** HTTP status, or undefined when there was no answer. */
  readonly status?: number | undefined;
  /** The start of the answer's body, at most 2 KB. */
  readonly body?: string | undefined;
  /** False only if no connection was made: then the request cost no quota. */
  readonly sent?: boolean | undefined;
  /** How long it took. */
  readonly ms?: number | undefined;
  /** Milliseconds that the service asked to wait (Retry-After), if it did. */
  readonly retryAfterMs?: number | undefined;
}

/** Any answer of the service, or lack of one, that is not the page that was asked for. */
export class ServiceError extends TrawlError {
  override readonly name: string = 'ServiceError';
  readonly status: number | undefined;
  readonly body: string | undefined;
  readonly sent: boolean;
  readonly ms: number | undefined;
  readonly retryAfterMs: number | undefined;

  constructor(message: string, options: ServiceErrorOptions = {}) {
    super(message, options);
    this.status = options.status;
    this.body = options.body;
    this.sent = options.sent ?? true;
    this.ms = options.ms;
    this.retryAfterMs = options.retryAfterMs;
  }
}

/** 400: our request is wrong. The crawl fails; asking again would not help. */
export class BadRequestError extends ServiceError {
  override readonly name = 'BadRequestError';
}

/** 401: the key is missing, wrong or revoked. Every crawl of the key stops and is kept; nothing is retried. */
export class UnauthorizedError extends ServiceError {
  override readonly name = 'UnauthorizedError';
}

/** 404: what that means depends on the endpoint (spec, Errors); the kinds table says what a crawl makes of it. */
export class NotFoundError extends ServiceError {
  override readonly name = 'NotFoundError';
}

/** The quota is used up: all workers pause, no retry is spent, the crawl goes on later. */
export class QuotaExceededError extends ServiceError {
  override readonly name = 'QuotaExceededError';
}

/** No answer, a 5xx, 408 or 425, or an answer that is not the service's own (a cut body, a proxy's HTML): retried with back-off. */
export class TransientError extends ServiceError {
  override readonly name = 'TransientError';
}

/** The service answered JSON that is not the spec's shape: the crawl fails and keeps its checkpoint. */
export class ContractError extends ServiceError {
  override readonly name = 'ContractError';
}

/** No quota is available: the crawl is handed back until a given time. Nothing was sent. */
export class PausedError extends TrawlError {
  override readonly name = 'PausedError';
  /** When it should be over, and when to look whether it is; milliseconds UTC. */
  readonly until: number;
  readonly lookAt: number;
  readonly reason: 'low' | 'refused' | 'key_dead';

  constructor(pause: Pick<PausedError, 'until' | 'lookAt' | 'reason'>) {
    super(`paused (${pause.reason})`);
    this.until = pause.until;
    this.lookAt = pause.lookAt;
    this.reason = pause.reason;
  }
}

/** The service is out: requests are held back until a probe succeeds. Nothing was sent. */
export class OutageError extends TrawlError {
  override readonly name = 'OutageError';
  /** When to look again, and when the next probe is due; milliseconds UTC. */
  readonly until: number;
  readonly probeAt: number;
  /** The whole service is held back, not one endpoint only. */
  readonly isService: boolean;

  constructor(hold: Pick<OutageError, 'until' | 'probeAt' | 'isService'>) {
    super('the service is out');
    this.until = hold.until;
    this.probeAt = hold.probeAt;
    this.isService = hold.isService;
  }
}

/** The budget of a run is spent: its crawls end as partial, or wait for the next day. Nothing was sent. */
export class BudgetSpentError extends TrawlError {
  override readonly name = 'BudgetSpentError';
  /** When there is more, milliseconds UTC; undefined where that is never. */
  readonly until: number | undefined;

  constructor(until: number | undefined) {
    super(until === undefined ? 'the budget of the run is spent' : 'the budget of the day is spent');
    this.until = until;
  }
}

/** Another activation holds the crawl now, or it was cancelled: this one stops, and changes nothing. */
export class StaleLeaseError extends TrawlError {
  override readonly name = 'StaleLeaseError';
}

/** The file of the database was deleted or replaced while it was open: work stops, since what is written would be lost. */
export class FileReplacedError extends TrawlError {
  override readonly name = 'FileReplacedError';
}

/** A message for any thrown value: one line, then the hint. */
export function describeError(error: unknown): string {
  if (error instanceof TrawlError) return error.hint ? `${error.message}\n  ${error.hint}` : error.message;
  if (!(error instanceof Error)) return String(error);
  const { code } = error as NodeJS.ErrnoException;
  const reply = describeRedisError(error);
  if (reply !== undefined) return reply;
  return SYSTEM_ERRORS[code ?? ''] ?? (removeCode(error.message) || (code ?? 'an error without words'));
}

/** Why there was no connection, by Node's codes. */
export const CONNECT_ERRORS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'connection refused',
  ENOTFOUND: 'no such host',
  EAI_AGAIN: 'the name server does not answer',
  EHOSTUNREACH: 'no route to the host',
  ENETUNREACH: 'the network is unreachable',
  EADDRNOTAVAIL: 'no such address',
};

/** What the system says where its own words are none for people. */
const SYSTEM_ERRORS: Readonly<Record<string, string>> = {
  ...CONNECT_ERRORS,
  EISDIR: 'it is a folder',
  EMFILE: 'too many open files: this process may open more after `ulimit -n 1024`',
  ENFILE: 'too many open files on this machine',
};

/** Redis's reasons to refuse a command, by the first word of its reply. */
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

/** Why Redis refused a command, in words; undefined for other errors. */
export function describeRedisError(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  const [first = ''] = error.message.split(' ', 1);
  const reason = REDIS_ERRORS[first];
  if (reason === undefined) return undefined;
  // It names the command or the key.
  return first === 'NOPERM' ? `${reason}: ${error.message.slice(first.length + 1)}` : reason;
}

/** What the system says, without its code and call: whoever tells it names the file or address already. */
const removeCode = (message: string): string =>
  /^(?:[a-z]+ )?E[A-Z0-9]+: ([^,]+?)(?:, [a-z]+.*)?$/.exec(message)?.[1] ?? message;
