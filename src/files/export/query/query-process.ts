import { type ChildProcess, fork, type ForkOptions } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { Duplex, Readable, Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { describeError, TrawlError } from '#base/errors.ts';
import { PACKAGE_ROOT } from '#base/package-root.ts';
import { removeAbandonedFiles } from '#base/temporary-files.ts';
import { formatBytes, formatDuration } from '#base/units.ts';
import { sidecarPathOf } from '#files/export/sidecar.ts';
import { deserialiseError } from '#store/serialised-errors.ts';
import { GUARD_FD } from './query-guard.ts';
import type { QueryOrder, QueryReport, QueryRequest, QueryResult } from './query-request.ts';

export interface QueryLimits {
  /** The maximum duration in ms, from the start of the process to its last row. */
  readonly timeoutMs?: number | undefined;
  /** The maximum of the resident memory of the process, in bytes. */
  readonly memoryBytes?: number | undefined;
}

export interface QueryProcessOptions {
  readonly limits?: QueryLimits | undefined;
  /** The environment of the process, without secrets. */
  readonly env: Readonly<Record<string, string>>;
  /** Receives the rows, unless they go to a file. With a file descriptor, the process writes to it itself. */
  readonly out: Writable & { readonly fd?: number };
  /** Ends the process. */
  readonly signal?: AbortSignal | undefined;
  /** Called with the number of rows so far. */
  readonly onRows?: ((rows: number) => void) | undefined;
}

/** A statement reached a limit, and its process was killed. */
export class QueryLimitError extends TrawlError {
  override readonly name = 'QueryLimitError';
  readonly limit: 'time' | 'memory';

  constructor(limit: 'time' | 'memory', message: string, hint: string) {
    super(message, { hint });
    this.limit = limit;
  }
}

const PROGRAM = join(PACKAGE_ROOT, 'dist/bundle/query-main.js');
/** The start of what a process prints on stderr, in characters. */
const MAX_LOG_LENGTH = 4000;
const MIB = 2 ** 20;

/**
 * Runs a statement in a child process, which formats and writes the rows, and reads the statement from a message. SQLite
 * cannot be stopped otherwise (decision 46). The process has ended, and its temporary files are removed, when this returns;
 * it also ends when this process does.
 * @throws QueryLimitError, UsageError for a wrong statement, TrawlError, or the reason of the signal
 */
export async function runQueryProcess(request: QueryRequest, options: QueryProcessOptions): Promise<QueryResult> {
  try {
    return await runInChild(request, options);
  } catch (error) {
    if (request.output) {
      const { path } = request.output;
      for (const file of [path, sidecarPathOf(path)]) removeAbandonedFiles(file);
    }
    throw error;
  }
}

async function runInChild(
  request: QueryRequest,
  { limits = {}, env, out, signal, onRows }: QueryProcessOptions,
): Promise<QueryResult> {
  signal?.throwIfAborted();
  const { timeoutMs, memoryBytes } = limits;
  const stopper = new AbortController();
  const child = await startChild({
    env,
    execArgv: memoryBytes === undefined ? [] : [`--max-old-space-size=${Math.floor(memoryBytes / 2 / MIB)}`],
    serialization: 'advanced',
    stdio: ['ignore', out.fd ?? 'pipe', 'pipe', 'ipc', 'pipe'],
    signal: stopper.signal,
    killSignal: 'SIGKILL',
  });
  const onAbort = (): void => stopper.abort(signal!.reason);
  signal?.addEventListener('abort', onAbort);
  const timer = timeoutMs === undefined ? undefined : setTimeout(() => stopper.abort(timeError(timeoutMs)), timeoutMs);
  const guard = child.stdio[GUARD_FD] as Duplex;
  guard.on('data', () => stopper.abort(memoryError(memoryBytes))).on('error', () => undefined);
  let last: Exclude<QueryReport, { type: 'progress' }> | undefined;
  child.on('message', (report: QueryReport) => {
    if (report.type === 'progress') onRows?.(report.rows);
    else last = report;
  });
  const log = collectText(child.stderr!, MAX_LOG_LENGTH);
  try {
    // If it fails, the process has ended.
    child.send({ request, memoryBytes } satisfies QueryOrder, () => undefined);
    await Promise.all([once(child, 'close'), child.stdout && forward(child.stdout, out, stopper.signal)]);
  } catch (error) {
    stopper.abort(error);
    if (isRunning(child)) await once(child, 'exit');
    throw stopper.signal.reason;
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', onAbort);
  }
  if (last?.type === 'result') return last.result;
  if (last) throw deserialiseError(last.error);
  stopper.signal.throwIfAborted();
  throw describeEnd(child, log(), memoryBytes);
}

async function startChild(options: ForkOptions): Promise<ChildProcess> {
  const child = fork(PROGRAM, [], options);
  if (child.pid === undefined) {
    const [cause] = (await once(child, 'error')) as [Error];
    throw new TrawlError(`cannot start the process of the statement: ${describeError(cause)}`, { cause });
  }
  // An abort emits one, also when nothing waits for the end any more.
  return child.on('error', () => undefined);
}

const isRunning = ({ pid, exitCode, signalCode }: ChildProcess): boolean =>
  pid !== undefined && exitCode === null && signalCode === null;

/** A reader that closes its end is no error: the process then ends by itself. */
async function forward(from: Readable, out: Writable, signal: AbortSignal): Promise<void> {
  try {
    await pipeline(from, out, { end: false, signal });
  } catch (cause) {
    if (signal.aborted) throw cause;
    if ((cause as NodeJS.ErrnoException).code !== 'EPIPE')
      throw new TrawlError(`cannot write the result: ${describeError(cause)}`, { cause });
  }
}

/** Reads a stream to its end. Returns a function that returns the start of its text. */
function collectText(stream: Readable, length: number): () => string {
  let text = '';
  stream.setEncoding('utf8').on('data', (chunk: string) => {
    if (text.length < length) text += chunk;
  });
  return () => text.slice(0, length);
}

const timeError = (ms: number): QueryLimitError =>
  new QueryLimitError(
    'time',
    `the statement took longer than ${formatDuration(ms)}`,
    'Narrow it by conditions or a limit, or allow more time.',
  );

const memoryError = (bytes: number | undefined): QueryLimitError =>
  new QueryLimitError(
    'memory',
    `the statement needed more ${bytes === undefined ? 'memory than the process may have' : `than ${formatBytes(bytes)} of memory`}`,
    'Select fewer or shorter values, or allow more memory.',
  );

/** The error for a process that ended without a report. */
function describeEnd({ exitCode, signalCode }: ChildProcess, log: string, memoryBytes: number | undefined): TrawlError {
  if (log.includes('heap out of memory')) return memoryError(memoryBytes);
  const message = `the process of the statement ended (${signalCode ?? `exit code ${exitCode}`})`;
  if (signalCode === 'SIGKILL') return new TrawlError(message, { hint: 'Was the memory of this machine used up?' });
  return new TrawlError(message, { hint: log.split('\n').find((line) => line.trim() !== '') });
}
