import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { systemClock } from '#base/clock.ts';
import { UsageError } from '#base/errors.ts';
import { isFolderAddress } from '#base/target-address.ts';
import { getContext, resolvePath } from '#cli/context.ts';
import type { CommonOptions } from '#cli/shared/common-options.ts';
import { requireStore } from '#cli/shared/existing-store.ts';
import { formatBytes, hint, printJson, printNote } from '#cli/terminal/print.ts';
import { readTargetVariables } from '#config.ts';
import type { Lake } from '#lake/files/lake.ts';
import { formatLakeAddress, LAKE_EXAMPLES, openLake } from '#lake/files/open-lake.ts';
import { countOwnCrawls, isMergedFrom } from '#lake/merge/merged-stores.ts';
import { addShipTarget, readShipTargets, removeShipTarget, type ShipTarget } from '#store/outbox/ship-targets.ts';
import { type Db, openDatabase } from '#store/sqlite/database.ts';

/** The address of a typed target. That of a folder is absolute, since commands run in other folders, too. @throws UsageError */
export function parseTargetAddress(text: string): string {
  // It would be the current folder.
  if (text === '') throw new UsageError('the target is empty', { hint: `Targets: ${LAKE_EXAMPLES}.` });
  return isFolderAddress(text) ? resolve(resolvePath(text)) : formatLakeAddress(text);
}

/** Opens a target, with the variables of the environment. @param address as it is stored */
export const openTarget = (address: string): Promise<Lake> => openLake(address, readTargetVariables(getContext().env));

interface AddOptions extends CommonOptions {
  readonly shipBacklog?: number;
}

export async function addTarget(text: string, { db: path, json, shipBacklog }: AddOptions): Promise<void> {
  const address = parseTargetAddress(text);
  if (existsSync(path)) await requireStore(path);
  const lake = await openTarget(address);
  await lake.prepare();
  // A target that is added before the first crawl begins with an empty snapshot.
  using db = openDatabase(path);
  const isKnown = readShipTargets(db).some((target) => target.address === address);
  if (!isKnown && countOwnCrawls(db) > 0 && isMergedFrom(db, await lake.readStores()))
    throw new UsageError(`${path} was merged from ${address}, and has crawled since`, {
      hint: 'Merge into another file, named with --db, and add the target before the first crawl.',
    });
  const isNew = addShipTarget(db, { address, maxBacklogBytes: shipBacklog, at: systemClock.now() });
  const { maxBacklogBytes } = findTarget(db, text);
  if (json) return printJson({ target: address, isNew, maxBacklogBytes });
  if (isNew)
    return printNote(
      `facts are recorded for ${address} from now on: ${hint('lake ship')} ships them, first a snapshot`,
    );
  printNote(
    `${address} was added before: facts are recorded for it, and crawls pause when ${formatBytes(maxBacklogBytes)} wait`,
  );
}

export async function removeTarget(text: string, { db: path, json }: CommonOptions): Promise<void> {
  await requireStore(path);
  using db = openDatabase(path);
  const { address } = findTarget(db, text);
  removeShipTarget(db, address);
  if (json) return printJson({ target: address });
  printNote(`no more facts are recorded for ${address}; its files stay`);
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
    command: { name: 'lake add', result: 'adds one' },
  });
}
