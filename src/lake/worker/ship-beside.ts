import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { isSettledWithin } from '#base/abortable-wait.ts';
import { type Clock, SECOND } from '#base/clock.ts';
import { describeError } from '#base/errors.ts';
import type { Log } from '#base/log.ts';
import { PACKAGE_ROOT } from '#base/package-root.ts';
import type { S3Variables } from '#files/s3/s3-settings.ts';
import type { ShipProgress } from '#lake/ship-facts.ts';
import type { ShipTarget } from '#store/outbox/ship-targets.ts';
import { deserialiseError, type SerialisedError } from '#store/serialised-errors.ts';

export interface ShipBesideOptions {
  /** The store. */
  readonly path: string;
  /** Reads the targets to ship to: they may be added and removed meanwhile. */
  readonly readTargets: () => readonly ShipTarget[];
  readonly variables: S3Variables;
  /** The environment of the processes, without secrets. */
  readonly env: Readonly<Record<string, string>>;
  readonly clock: Clock;
  readonly log: Log;
}

/** Shipping beside a worker. Disposal stops it; what has arrived is sealed. */
export interface ShipBeside extends AsyncDisposable {
  /** Ships what waits, until the signal. */
  finish(signal: AbortSignal): Promise<void>;
}

const LOOK_MS = 5 * SECOND;
/** How long to wait after a failure, or while another process ships. */
const RETRY_MS = 60 * SECOND;

/**
 * Ships a store to its targets while a worker crawls, each in a process of its own, so that crawls are not slowed. A target
 * that fails, or that another process ships to, is tried again; crawls go on.
 */
export function shipBeside({ path, readTargets, variables, env, clock, log }: ShipBesideOptions): ShipBeside {
  const running = new Map<string, ShipProcess>();
  /** When to try again, by address. */
  const retryAt = new Map<string, number>();
  /** The last report of each target that is not logged again. */
  const reported = new Map<string, string>();
  const stopped = new AbortController();

  function onReport(target: string, report: ShipReport): void {
    if (report.is === 'sealed') return log.debug({ target, ...report }, 'shipping: sealed');
    if (report.is === 'busy' || report.is === 'failed') retryAt.set(target, clock.now() + RETRY_MS);
    const [text, isProblem] = describeReport(report);
    if (reported.get(target) === text) return;
    reported.set(target, text);
    if (isProblem) log.warn({ target }, text);
    else log.info({ target }, text);
  }

  function start({ address }: ShipTarget, isOnce: boolean): ShipProcess {
    const order = { path, address, variables, isOnce };
    const process = startShipProcess(order, env, (report) => onReport(address, report));
    running.set(address, process);
    void process.ended.then(() => {
      if (running.get(address) !== process) return;
      running.delete(address);
      if (!retryAt.has(address)) retryAt.set(address, clock.now() + RETRY_MS);
    });
    return process;
  }

  async function look(): Promise<void> {
    while (!stopped.signal.aborted) {
      for (const target of readTargets()) {
        if (running.has(target.address) || clock.now() < (retryAt.get(target.address) ?? 0)) continue;
        retryAt.delete(target.address);
        start(target, false);
      }
      await clock.sleep(LOOK_MS, stopped.signal).catch(() => undefined);
    }
  }

  const stop = async (): Promise<void> => {
    stopped.abort();
    await looking;
    await Promise.all(Array.from(running.values(), (process) => process[Symbol.asyncDispose]()));
  };
  const looking = look();
  looking.catch((error: unknown) => log.warn({ error: describeError(error) }, 'shipping has ended'));

  return {
    async finish(signal) {
      stopped.abort();
      await looking;
      const onAbort = (): void => void stop();
      signal.addEventListener('abort', onAbort, { once: true });
      await Promise.all(Array.from(running.values(), (process) => process.seal()));
      if (!signal.aborted) await Promise.all(readTargets().map((target) => start(target, true).ended));
      signal.removeEventListener('abort', onAbort);
      for (const { address: target, shippedEntry, waitingEntries } of readTargets()) {
        if (shippedEntry !== null && waitingEntries === 0) log.info({ target }, 'all facts are shipped');
        else log.warn({ target, waiting: waitingEntries }, 'facts are left: the next run ships them');
      }
    },
    [Symbol.asyncDispose]: stop,
  };
}

/** Returns what a report says, and whether it is a problem. */
function describeReport(report: Exclude<ShipReport, { is: 'sealed' }>): readonly [text: string, isProblem: boolean] {
  if (report.is === 'shipping') return ['shipping', false];
  if (report.is === 'busy') return ['another process ships to this target: crawls go on', false];
  if (report.is === 'unavailable') return [`the target does not answer and is tried again: ${report.error}`, true];
  return [`shipping failed, and is tried again in a minute: ${describeError(deserialiseError(report.error))}`, true];
}

/** What a worker asks a process to do: to ship a store to a target. `stop`: to seal what has arrived, and to exit. */
export type ShipOrder =
  | 'stop'
  | {
      /** The store. */
      readonly path: string;
      readonly address: string;
      readonly variables: S3Variables;
      /** Exit when nothing waits. */
      readonly isOnce: boolean;
    };

/** What a process that ships tells its worker. */
export type ShipReport =
  | { readonly is: 'shipping' }
  /** Another process ships to the target. */
  | { readonly is: 'busy' }
  | ({ readonly is: 'sealed' } & ShipProgress)
  | { readonly is: 'unavailable'; readonly error: string; readonly retryMs: number }
  | { readonly is: 'failed'; readonly error: SerialisedError };

/** A process that ships a store to a target. Disposal stops it; it seals what has arrived. */
interface ShipProcess extends AsyncDisposable {
  /** Resolves when the process has ended. */
  readonly ended: Promise<void>;
  /** Lets it seal what has arrived, and end. */
  seal(): Promise<void>;
}

const PROGRAM = join(PACKAGE_ROOT, 'dist/bundle/ship-main.js');
/** A worker exits within 5 s. What is not sealed by then is shipped again. */
const STOP_MS = 4 * SECOND;

/** @param env the environment of the process, without secrets */
function startShipProcess(
  order: Exclude<ShipOrder, 'stop'>,
  env: Readonly<Record<string, string>>,
  onReport: (report: ShipReport) => void,
): ShipProcess {
  const child = fork(PROGRAM, [], {
    env,
    execArgv: [],
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  });
  const send = (message: ShipOrder): void => void (child.connected && child.send(message, () => undefined));
  const ended = Promise.race([once(child, 'exit'), once(child, 'error')]).then(() => undefined);
  child.on('message', onReport);
  send(order);
  const seal = async (): Promise<void> => {
    send('stop');
    await ended;
  };
  return {
    ended,
    seal,
    async [Symbol.asyncDispose]() {
      if (!(await isSettledWithin(STOP_MS, seal()))) child.kill('SIGKILL');
      await ended;
    },
  };
}
