import { once } from 'node:events';
import { UsageError } from '#base/errors.ts';
import { isLoopback } from '#base/listen.ts';
import { quoteShellWord } from '#base/text.ts';
import type { Address, CommonOptions } from '#cli/shared/common-options.ts';
import { requireStore } from '#cli/shared/existing-store.ts';
import { openLog } from '#cli/shared/open-log.ts';
import { endOnInterrupt } from '#cli/shared/signals.ts';
import { printMessage } from '#cli/terminal/print.ts';
import { endpointTable } from '#service/contract/endpoints.ts';
import { watchFiles } from '#store/sqlite/file-watch.ts';
import type { FaultsOptions } from '#twin/faults/fault-injector.ts';
import { loadFaultPlan } from '#twin/faults/fault-plan-file.ts';
import { describeRule } from '#twin/faults/fault-table.ts';
import type { PageSizes } from '#twin/serve/http/routes.ts';
import { startTwin } from '#twin/serve/http/start-twin.ts';

interface ServeOptions extends CommonOptions {
  readonly listen: Address;
  readonly pageSize?: readonly string[];
  readonly extended?: true;
  readonly latency?: number;
  readonly followingCache?: number;
  readonly faults?: string;
  readonly seed: number;
}

/** Serves a store until it is interrupted or its file is replaced. */
export async function runTwin(options: ServeOptions): Promise<void> {
  const { db: file, listen, latency, followingCache, quiet, ...given } = options;
  await requireStore(file);
  const { extended } = given;
  const pageSize = parsePageSizes(given.pageSize ?? []);
  const faults = given.faults === undefined ? undefined : loadFaults(given.faults, given.seed);
  const log = openLog({ level: quiet ? 'silent' : 'info', isBuffered: true });
  const stopped = once(endOnInterrupt(), 'abort');
  await using twin = await startTwin({
    file,
    ...listen,
    pageSize,
    extended,
    faults,
    log,
    latencyMs: latency,
    followingCacheMs: followingCache,
  });
  if (twin.activeKeys === 0)
    printMessage(`no active key; create one: trawl twin keys create --db ${quoteShellWord(file)}`);
  if (!isLoopback(listen.host))
    printMessage(`anyone with access to ${listen.host} and a key can read all of ${file}, unencrypted`);
  printMessage(`serving ${file} on ${twin.url}`);
  using watch = watchFiles(twin.files);
  await Promise.race([stopped, watch.replaced]);
}

/** Loads a fault plan, and prints its rules. */
function loadFaults(file: string, seed: number): FaultsOptions {
  const plan = loadFaultPlan(file);
  printMessage(
    [`faults of ${file}, seed ${seed} (the log shows each applied fault):`, ...plan.map(describeRule)].join('\n  '),
  );
  return { plan, seed };
}

const LISTS: readonly string[] = Object.values(endpointTable).flatMap(({ name, layout }) => (layout ? [name] : []));

/**
 * Parses the values of `--page-size`: `50` is for all lists, `search=100` for one, in any order.
 * @throws UsageError for an invalid value.
 */
export function parsePageSizes(given: readonly string[]): PageSizes {
  const sizes = new Map<string, number>();
  for (const text of given) {
    const [, name = '', digits] = /^(?:([^=]*)=)?(\d{1,9})$/.exec(text) ?? [];
    const known = !text.includes('=') || LISTS.includes(name);
    if (digits === undefined || Number(digits) === 0 || !known) {
      throw new UsageError(`--page-size ${text} is not a page size`, {
        hint: `50 is for all lists, search=100 for one of them. Lists: ${LISTS.join(', ')}.`,
      });
    }
    sizes.set(name, Number(digits));
  }
  const entries = LISTS.map((list) => [list, sizes.get(list) ?? sizes.get('')] as const);
  return Object.fromEntries(entries.filter(([, size]) => size !== undefined));
}
