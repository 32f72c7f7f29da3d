import { systemClock } from '#base/clock.ts';
import { describeError, TargetUnavailableError, TrawlError } from '#base/errors.ts';
import { getContext } from '#cli/context.ts';
import type { CommonOptions } from '#cli/shared/common-options.ts';
import { requireStore } from '#cli/shared/existing-store.ts';
import { trapSignals } from '#cli/shared/signals.ts';
import { createProgressLine, printAboveProgress } from '#cli/terminal/output.ts';
import { formatDuration, pluralize, printJson, printNote } from '#cli/terminal/print.ts';
import { readTargetVariables } from '#config.ts';
import { eraseForgotten } from '#lake/apply-erasures.ts';
import { shipFacts, type ShipProgress } from '#lake/ship-facts.ts';
import { tryShipLock } from '#lake/worker/ship-lock.ts';
import type { ShipTarget } from '#store/outbox/ship-targets.ts';
import { openDatabase } from '#store/sqlite/database.ts';
import { openStore } from '#store/store.ts';
import { findTarget } from './edit-targets.ts';

/** Ships facts to a target until a signal; with `once`, until nothing waits. */
export async function runShipping(
  address: string | undefined,
  { db: path, json, once = false }: CommonOptions & { readonly once?: boolean },
): Promise<void> {
  await requireStore(path);
  using interruption = trapSignals('sealing the facts that have arrived', { orderly: 0 });
  const { signal } = interruption;
  const variables = readTargetVariables(getContext().env);
  const target = readTarget(path, address);
  if (await eraseForgotten({ path, address: target.address, variables, now: systemClock.now, signal }))
    printNote(
      'other databases have forgotten accounts: their rows are erased when `lake ship` or a worker starts alone',
    );
  await using store = openStore(path);
  using db = openDatabase(path);
  using lock = tryShipLock(path, target.id);
  if (!lock)
    throw new TrawlError(`another process ships ${path} to ${target.address}`, {
      hint: 'One process is enough.',
      command: { name: 'lake status', result: 'shows the shipped facts' },
    });
  printNote(`shipping to ${target.address}`);
  using line = await createProgressLine();
  const shipped = await shipFacts({
    db,
    path,
    target,
    store: store.id,
    clock: systemClock,
    signal,
    isOnce: once,
    variables,
    onProgress: (progress) => line.show(describeProgress(progress)),
    onRetry: (error, ms) =>
      printAboveProgress(`${describeError(error)}\n  The next attempt is in ${formatDuration(ms)}.`),
  }).catch((error: unknown) => {
    if (!(error instanceof TargetUnavailableError)) throw error;
    const { message, hint = 'Facts wait in the database until the next run.' } = error;
    throw new TargetUnavailableError(message, { hint, cause: error });
  });
  if (json) printJson({ target: target.address, store: store.id, ...shipped });
  else printNote(describeProgress(shipped));
}

function readTarget(path: string, address: string | undefined): ShipTarget {
  using db = openDatabase(path);
  return findTarget(db, address);
}

/** What is sealed: an entry is a page, or what became of a crawl. */
function describeProgress({ entries, hasSnapshot }: ShipProgress): string {
  if (!hasSnapshot) return `${pluralize(entries, 'entry is', 'entries are')} sealed`;
  return entries === 0 ? 'a snapshot is sealed' : `a snapshot and ${pluralize(entries, 'entry', 'entries')} are sealed`;
}
