import { once } from 'node:events';
import { quoteShellWord } from '../../../base/text.ts';
import { watchFiles } from '../../../store/sqlite/file-watch.ts';
import type { FaultsOptions } from '../../../twin/faults/fault-injector.ts';
import { loadFaultPlan } from '../../../twin/faults/fault-plan-file.ts';
import { describeRule } from '../../../twin/faults/fault-plan.ts';
import { startTwin } from '../../../twin/serve/http/start-twin.ts';
import { type Address, type CommonOptions, LOOPBACK_HOSTS } from '../../shared/common-options.ts';
import { requireStore } from '../../shared/existing-store.ts';
import { openLog } from '../../shared/open-log.ts';
import { endOnInterrupt } from '../../shared/signals.ts';
import { printNote } from '../../terminal/print.ts';
import { parsePageSizes } from './page-sizes.ts';

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
    printNote(`no active key; create one: trawl twin keys create --db ${quoteShellWord(file)}`);
  if (!LOOPBACK_HOSTS.includes(listen.host))
    printNote(`anyone with access to ${listen.host} and a key can read all of ${file}, unencrypted`);
  printNote(`serving ${file} on ${twin.url}`);
  using watch = watchFiles(twin.files);
  await Promise.race([stopped, watch.replaced]);
}

/** Loads a fault plan, and prints its rules. */
function loadFaults(file: string, seed: number): FaultsOptions {
  const plan = loadFaultPlan(file);
  printNote(
    [`faults of ${file}, seed ${seed} (the log shows each applied fault):`, ...plan.map(describeRule)].join('\n  '),
  );
  return { plan, seed };
}
