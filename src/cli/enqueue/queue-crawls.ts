import { setFlagsFromString } from 'node:v8';
import { SECOND, systemClock } from '../../clock.ts';
import { UsageError } from '../../errors.ts';
import type { CrawlSpec } from '../../kinds/crawl-spec.ts';
import { formatTarget } from '../../kinds/target.ts';
import { addPlans, estimateTotals } from '../../planning/plan.ts';
import { BATCH_SIZE, splitIntoBatches } from '../../queue/batches.ts';
import type { Priority } from '../../quota/priorities.ts';
import type { OpenedCrawl } from '../../store/schema/messages.ts';
import { openStore, type Store } from '../../store/store.ts';
import { getConfig, getContext } from '../context.ts';
import { confirmPlan } from '../forecast/confirm-plan.ts';
import { requestOutlook } from '../forecast/outlook.ts';
import type { PlanReport } from '../forecast/plan-report.ts';
import { beginRun } from '../shared/begin-run.ts';
import { hint } from '../shared/command-hints.ts';
import { EXIT } from '../shared/common-options.ts';
import { type CrawlCommandOptions, DEFAULT_CONCURRENCY } from '../shared/crawl-options.ts';
import { openWorkerNotifier } from '../shared/notify-workers.ts';
import { readRequestedCrawls, type RequestedCrawls } from '../targets/requested-crawls.ts';
import { formatCount } from '../terminal/format.ts';
import { createJsonList } from '../terminal/json-list.ts';
import { print, printJson, printNote } from '../terminal/output.ts';
import { createProgressLine } from '../terminal/progress.ts';

interface EnqueueOptions extends CrawlCommandOptions {
  readonly priority: Priority;
  readonly yes?: true;
}

/** Queues the crawls of the command line. Returns the exit code. */
export async function enqueueCrawls(
  kind: string,
  targets: readonly string[],
  options: EnqueueOptions,
): Promise<number> {
  using requested = readRequestedCrawls(kind, targets, options, options.priority);
  if (requested.specs.size === 0) reportNoTargets(options);
  else await queueCrawls(requested.specs, options);
  return requested.invalidTargets > 0 ? EXIT.failed : EXIT.complete;
}

/** No target: a SELECT without rows is no error; a file without targets is. */
function reportNoTargets({ fromFile, fromSql, json }: CrawlCommandOptions): void {
  if (fromFile !== undefined && fromSql === undefined) {
    throw new UsageError(`${fromFile === '-' ? 'standard input' : fromFile} has no target: nothing was queued`, {
      hint: 'One target per line; lines that begin with "# " are comments.',
    });
  }
  if (json) return printJson({ crawls: [] });
  printNote('the statement returned no target: nothing was queued');
}

/** By default, V8 lets a heap of mostly garbage grow to four times its live size. */
const COLLECT_EARLY = '--heap-growing-percent=50';

/**
 * Stores and queues crawls in batches, and prints each. A kill in between loses nothing: what is stored is queued by the
 * workers, and the same command joins it.
 */
async function queueCrawls(specs: RequestedCrawls['specs'], options: EnqueueOptions): Promise<void> {
  setFlagsFromString(COLLECT_EARLY);
  await using store = openStore(options.db);
  if (!options.yes) await confirmPlan(await createPlanReport(store, specs, options), options);
  await using workers = await openWorkerNotifier(store, options.db);
  const runId = await beginRun(store.write, options);
  const list = options.json ? createJsonList('crawls') : undefined;
  // On a terminal, the printed crawls are the progress.
  const quiet = options.quiet || getContext().streams.stdout.isTTY === true || specs.size <= BATCH_SIZE;
  using line = await createProgressLine({ quiet, now: systemClock.now });
  const [facts, now] = [store.planningQueries(), systemClock.now()];
  let queued = 0;
  for (const specsOfBatch of splitIntoBatches(specs)) {
    const batch = await addPlans(specsOfBatch, facts, now);
    const opened = await store.write.openCrawls(
      batch.map((spec) => ({ ...spec, runId })),
      systemClock.now(),
    );
    await workers.dispatch(opened.map(({ id }) => id));
    if (list) list.add(opened.map((crawl, i) => toJson(crawl, batch[i]!)));
    else print(opened.map((crawl, i) => formatLine(crawl, batch[i]!)).join('\n'));
    queued += batch.length;
    line.show(`queued ${formatCount(queued)} of ${formatCount(specs.size)} crawls`);
  }
  list?.end();
  if (!list && !options.quiet) printNote(`${hint('work')} runs queued crawls`);
}

const toJson = ({ id, isJoined }: OpenedCrawl, { kind, target }: CrawlSpec) => ({ id, kind, target, isJoined });

const formatLine = ({ id, isJoined }: OpenedCrawl, spec: CrawlSpec): string =>
  `crawl ${id}: ${spec.kind} ${formatTarget(spec)}${isJoined ? ' (already queued)' : ''}`;

/** How long to wait for token-info, in ms: crawls can be queued without it. */
const TOKEN_INFO_MS = 3 * SECOND;

/** The plan of the crawls. Its quota is unknown without a service that answers. */
async function createPlanReport(
  store: Store,
  specs: RequestedCrawls['specs'],
  { db, priority, maxRequests }: EnqueueOptions,
): Promise<PlanReport> {
  const [facts, config, now] = [store.planningQueries(), getConfig(), systemClock.now()];
  const quota = config.apiKey
    ? await requestOutlook(
        { facts, config, priority, db, storeId: store.id },
        AbortSignal.timeout(TOKEN_INFO_MS),
      ).catch(() => undefined)
    : undefined;
  const isLimited = (quota ?? maxRequests) !== undefined;
  return {
    ...{ outlook: quota?.outlook, requestMs: quota?.requestMs, maxRequests, now, concurrency: DEFAULT_CONCURRENCY },
    // Without a limit there is nothing to confirm: very many crawls are not planned twice.
    totals: await estimateTotals(isLimited ? specs : [], facts, now),
  };
}
