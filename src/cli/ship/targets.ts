import { mkdirSync } from 'node:fs';
import { resolve } from 'node:path';
import { systemClock } from '../../clock.ts';
import { describeError, UsageError } from '../../errors.ts';
import { addShipTarget, readShipTargets, removeShipTarget, type ShipTarget } from '../../store/outbox/targets.ts';
import { type Db, openDatabase } from '../../store/sqlite/database.ts';
import { resolvePath } from '../context.ts';
import { hint } from '../shared/command-hints.ts';
import type { CommonOptions } from '../shared/common-options.ts';
import { requireStore } from '../shared/existing-store.ts';
import { formatBytes } from '../terminal/format.ts';
import { printNote } from '../terminal/output.ts';

/** The address of a typed folder: absolute, since commands run in other folders, too. @throws UsageError for a URL */
function parseTarget(folder: string): string {
  if (/^[a-z][a-z\d+.-]*:\/\//i.test(folder))
    throw new UsageError(`${folder} is not a folder`, { hint: 'Targets are folders of this machine, such as ./lake.' });
  return resolve(resolvePath(folder));
}

export async function addTarget(
  folder: string,
  { db: path, shipBacklog }: CommonOptions & { readonly shipBacklog: number },
): Promise<void> {
  const address = parseTarget(folder);
  await requireStore(path);
  try {
    mkdirSync(address, { recursive: true, mode: 0o700 });
  } catch (cause) {
    throw new UsageError(`cannot create ${address}: ${describeError(cause)}`, { cause });
  }
  using db = openDatabase(path);
  const isNew = addShipTarget(db, { address, maxBacklogBytes: shipBacklog, at: systemClock.now() });
  printNote(
    isNew
      ? `facts are recorded for ${address} from now on: ${hint('ship run')} ships them, first a snapshot`
      : `${address} was added before; crawls pause when ${formatBytes(shipBacklog)} of facts wait for it`,
  );
}

export async function removeTarget(folder: string, { db: path }: CommonOptions): Promise<void> {
  await requireStore(path);
  using db = openDatabase(path);
  const { address } = findTarget(db, folder);
  removeShipTarget(db, address);
  printNote(`no more facts are recorded for ${address}; its files stay`);
}

/** Returns the target with a folder, or the only one. @throws UsageError if there is none */
export function findTarget(db: Db, folder: string | undefined): ShipTarget {
  const targets = readShipTargets(db);
  const address = folder === undefined ? undefined : parseTarget(folder);
  const found = address === undefined ? targets : targets.filter((target) => target.address === address);
  const [target] = found;
  if (target && found.length === 1) return target;
  if (found.length > 1) {
    throw new UsageError('the database has several targets', {
      hint: `Name one of them: ${targets.map((each) => each.address).join(', ')}.`,
    });
  }
  throw new UsageError(address === undefined ? 'the database has no target' : `${address} is not a target`, {
    hint: targets.length > 0 ? `Targets: ${targets.map((each) => each.address).join(', ')}.` : undefined,
    command: { name: 'ship add', result: 'adds one' },
  });
}
