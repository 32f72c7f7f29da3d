import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { isSettledWithin } from '../../base/abortable-wait.ts';
import { SECOND } from '../../base/clock.ts';
import { PACKAGE_ROOT } from '../../base/package-root.ts';
import type { ShipOrder, ShipReport } from './ship-messages.ts';

/** A process that ships a store to a target. Disposal stops it; it seals what has arrived. */
export interface ShipProcess extends AsyncDisposable {
  /** Resolves when the process has ended. */
  readonly ended: Promise<void>;
}

const PROGRAM = join(PACKAGE_ROOT, 'dist/bundle/ship-main.js');
/** A worker exits within 5 s. What is not sealed by then is shipped again. */
const STOP_MS = 4 * SECOND;

/** @param env the environment of the process, without secrets */
export function startShipProcess(
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
  return {
    ended,
    async [Symbol.asyncDispose]() {
      send('stop');
      if (!(await isSettledWithin(STOP_MS, ended))) child.kill('SIGKILL');
      await ended;
    },
  };
}
