import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { TrawlError } from '#base/errors.ts';
import { PACKAGE_ROOT } from '#base/package-root.ts';
import { formatDuration } from '#base/units.ts';
import { deserialiseError, type SerialisedError } from '#store/serialised-errors.ts';
import type { ChangeToken } from '#store/sqlite/change-detector.ts';
import type { ReadRequest, ReadSettings } from './read.ts';

/** Runs reads in a process of its own, one after the other. Disposal ends the process. */
export interface Reader extends AsyncDisposable {
  /** The number of orders that wait or run. */
  readonly waiting: number;
  /**
   * @param signal takes the order back, unless it has begun
   * @throws ReadTimeoutError, the error of the read, or the reason of the signal
   */
  read(order: ReadOrder, signal?: AbortSignal): Promise<ReadResult>;
}

/** A read took too long, and its process was killed. */
export class ReadTimeoutError extends TrawlError {
  override readonly name = 'ReadTimeoutError';
}

const PROGRAM = join(PACKAGE_ROOT, 'dist/bundle/reader-main.js');

interface ReaderOptions {
  /** The maximum duration of a read, in ms. */
  readonly timeoutMs: number;
  /** The environment of the process, without secrets. */
  readonly env: Readonly<Record<string, string>>;
}

/**
 * Creates a reader. Its process starts with the first read. Nothing else than a kill stops a running statement (decision
 * 46), so a read that takes too long ends the process; the next read starts another one.
 */
export function createReader({ timeoutMs, env }: ReaderOptions): Reader {
  let child: ChildProcess | undefined;
  let last: Promise<unknown> = Promise.resolve();
  let waiting = 0;
  let isClosed = false;

  async function stop(): Promise<void> {
    const stopped = child;
    child = undefined;
    if (stopped?.pid === undefined || stopped.exitCode !== null || stopped.signalCode !== null) return;
    stopped.kill('SIGKILL');
    await once(stopped, 'exit');
  }

  async function run(order: ReadOrder): Promise<ReadResult> {
    child ??= start(env, (ended) => (child = child === ended ? undefined : child));
    const ended = new AbortController();
    const { signal } = ended;
    const asked = child;
    const timer = setTimeout(() => ended.abort(timeoutError(timeoutMs)), timeoutMs);
    const onExit = (): void => ended.abort(new TrawlError('the process that reads the store has ended'));
    asked.once('exit', onExit).once('error', onExit);
    try {
      asked.send(order, () => undefined);
      const [answer] = (await once(asked, 'message', { signal })) as [ReadAnswer];
      if ('error' in answer) throw deserialiseError(answer.error);
      return answer;
    } catch (error) {
      if (!signal.aborted) throw error;
      await stop();
      throw signal.reason;
    } finally {
      clearTimeout(timer);
      asked.off('exit', onExit).off('error', onExit);
    }
  }

  return {
    get waiting() {
      return waiting;
    },
    async read(order, signal) {
      waiting++;
      const before = last;
      const turn = (async () => {
        await before;
        signal?.throwIfAborted();
        if (isClosed) throw new TrawlError('the dashboard is stopping');
        return await run(order);
      })();
      last = turn.catch(() => undefined).finally(() => waiting--);
      return await turn;
    },
    async [Symbol.asyncDispose]() {
      isClosed = true;
      await stop();
      await last;
    },
  };
}

function start(env: Readonly<Record<string, string>>, onExit: (ended: ChildProcess) => void): ChildProcess {
  const stdio = ['ignore', 'ignore', 'ignore', 'ipc', 'pipe'] as const;
  const started = fork(PROGRAM, [], { env: { ...env }, execArgv: [], serialization: 'advanced', stdio: [...stdio] });
  // Its end of the pipe closes with this process; it must not keep it alive.
  started.stdio[4]?.on('error', () => undefined);
  return started.on('error', () => undefined).on('exit', () => onExit(started));
}

const timeoutError = (ms: number): ReadTimeoutError =>
  new ReadTimeoutError(`reading took longer than ${formatDuration(ms)} and was stopped`, {
    hint: 'Narrow the request, or use `trawl sql`, whose time limit can be raised.',
  });

/** Distributes reads over processes: each read goes to the one with the fewest orders. */
export function createReaderPool(readers: readonly Reader[]): Pick<Reader, 'read'> {
  return {
    read(order, signal) {
      const [first] = readers.toSorted((a, b) => a.waiting - b.waiting);
      return first!.read(order, signal);
    },
  };
}

/** The messages between the server and a reader process. */

/** The message to a reader process: the path of a read, and its request. */
export interface ReadOrder {
  readonly settings: ReadSettings;
  readonly path: string;
  readonly request: ReadRequest;
  /** Reads nothing if the store is still in this state. */
  readonly unless?: ChangeToken | undefined;
}

interface ReadResult {
  /** The state of the store that was read. */
  readonly token: ChangeToken;
  /** As JSON text, which the server passes on; undefined if there is no such thing, or if the store has not changed. */
  readonly json: string | undefined;
  /** In place of JSON, for a file to download. */
  readonly file?: { readonly name: string; readonly mediaType: string; readonly text: string } | undefined;
}

export type ReadAnswer = ReadResult | { readonly error: SerialisedError };
