import { resolve } from 'node:path';
import { systemClock } from '../../clock.ts';
import { readTargetVariables } from '../../config.ts';
import { UsageError } from '../../errors.ts';
import { findTargetKind, isFolderAddress, loadTargetKind, TARGET_EXAMPLES } from '../../ship/targets/target-kinds.ts';
import { addShipTarget, readShipTargets, removeShipTarget, type ShipTarget } from '../../store/outbox/targets.ts';
import { type Db, openDatabase } from '../../store/sqlite/database.ts';
import { getContext, resolvePath } from '../context.ts';
import { hint } from '../shared/command-hints.ts';
import type { CommonOptions } from '../shared/common-options.ts';
import { requireStore } from '../shared/existing-store.ts';
import { formatBytes } from '../terminal/format.ts';
import { printNote } from '../terminal/output.ts';
import { toIso } from '../terminal/times.ts';

/** The address of a typed target. That of a folder is absolute, since commands run in other folders, too. @throws UsageError */
export function parseTargetAddress(text: string): string {
  // It would be the current folder.
  if (text === '') throw new UsageError('the target is empty', { hint: `Targets: ${TARGET_EXAMPLES.join(', ')}.` });
  return isFolderAddress(text) ? resolve(resolvePath(text)) : findTargetKind(text).parse(text);
}

interface AddOptions extends CommonOptions {
  readonly shipBacklog?: number;
  readonly bodies?: boolean;
}

export async function addTarget(text: string, { db: path, shipBacklog, bodies }: AddOptions): Promise<void> {
  const address = parseTargetAddress(text);
  await requireStore(path);
  const kind = await loadTargetKind(address);
  await kind.prepare({ address, variables: readTargetVariables(getContext().env) });
  using db = openDatabase(path);
  const isNew = addShipTarget(db, {
    address,
    maxBacklogBytes: shipBacklog,
    hasBodies: bodies,
    at: systemClock.now(),
  });
  const { bodiesSince, maxBacklogBytes, shippedEntry } = readShipTargets(db).find((each) => each.address === address)!;
  const what = bodiesSince === null ? 'facts' : 'facts and bodies of pages';
  if (isNew)
    return printNote(
      `${what} are recorded for ${address} from now on: ${hint('ship run')} ships them, first a snapshot`,
    );
  printNote(
    `${address} was added before: ${what} are recorded for it, and crawls pause when ${formatBytes(maxBacklogBytes)} wait`,
  );
  if (bodies && shippedEntry !== null)
    printNote(`bodies from before ${toIso(bodiesSince)} are not shipped: it has its snapshot`);
}

export async function removeTarget(text: string, { db: path }: CommonOptions): Promise<void> {
  await requireStore(path);
  using db = openDatabase(path);
  const { address } = findTarget(db, text);
  removeShipTarget(db, address);
  printNote(`no more facts are recorded for ${address}; ${findTargetKind(address).remains}`);
}

/** Returns the target of a typed address, or the only one. @throws UsageError if there is none */
export function findTarget(db: Db, text: string | undefined): ShipTarget {
  const targets = readShipTargets(db);
  const address = text === undefined ? undefined : parseTargetAddress(text);
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
