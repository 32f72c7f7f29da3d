import { BATCH_SIZE } from '#base/batches.ts';
import { SECOND, systemClock } from '#base/clock.ts';
import { UsageError } from '#base/errors.ts';
import { getConfig, getContext } from '#cli/context.ts';
import { confirmPlan } from '#cli/forecast/format-plan.ts';
import { decideSkippedCode, EXIT, requireService } from '#cli/shared/common-options.ts';
import { readCrawlArguments } from '#cli/shared/crawl-arguments.ts';
import type { CrawlCommandOptions } from '#cli/shared/crawl-options.ts';
import { openNotifier } from '#cli/shared/notify-workers.ts';
import { printPanelNotes } from '#cli/targets/panel-notes.ts';
import { createJsonList, createProgressLine } from '#cli/terminal/output.ts';
import { hint, formatCount, pluralize, print, printJson, printNote } from '#cli/terminal/print.ts';
import { planEach, sumPlans } from '#crawl/planning/plan.ts';
import { beginRun } from '#library/run/begin-run.ts';
import { type PlanReport, requestOutlook } from '#library/run/forecast-requests.ts';
import { type QueuedCrawl, queueCrawls } from '#library/run/queue-connection.ts';
import { type RequestedCrawls } from '#library/run/requested-crawls.ts';
import { DEFAULT_CONCURRENCY } from '#library/run/run-defaults.ts';
import { formatTarget } from '#service/kinds/target.ts';
import type { Priority } from '#service/quota/priorities.ts';
import { openStore, type Store } from '#store/store.ts';

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
  const requested = await readCrawlArguments(kind, targets, options);
  await printPanelNotes(options);
  if (requested.specs.size === 0) reportNoTargets(options, requested);
  else await queueAndPrint(requested.specs, options);
  return decideSkippedCode(requested, EXIT.complete);
}

/** No target: a SELECT without rows is no error; a file without targets is. */
function reportNoTargets(
  { fromFile, fromSql, json }: CrawlCommandOptions,
  { forgottenTargets }: RequestedCrawls,
): void {
  if (forgottenTargets === 0 && fromFile !== undefined && fromSql === undefined) {
    throw new UsageError(`${fromFile === '-' ? 'standard input' : fromFile} has no target: nothing was queued`, {
      hint: 'One target per line; lines that begin with "# " are comments.',
    });
  }
  if (json) return printJson({ crawls: [] });
  printNote(`${forgottenTargets > 0 ? 'no targets' : 'the statement returned no target'}: nothing was queued`);
}

/** Stores and queues crawls in batches, and prints each. */
async function queueAndPrint(specs: RequestedCrawls['specs'], options: EnqueueOptions): Promise<void> {
  await using store = openStore(options.db);
  if (!options.yes) await confirmPlan(await createPlanReport(store, specs, options), options);
  await using notifier = await openNotifier(store, options.db);
  const runId = await beginRun(store.write, options);
  const list = options.json ? createJsonList('crawls') : undefined;
  // On a terminal, the printed crawls are the progress.
  const { isQuiet, streams } = getContext();
  const isHidden = isQuiet || streams.stdout.isTTY === true || specs.size <= BATCH_SIZE;
  using line = await createProgressLine({ isHidden });
  let queued = 0;
  for await (const batch of queueCrawls(specs, { store, notifier, runId })) {
    if (list) list.add(batch.map(toJson));
    else print(batch.map(formatLine).join('\n'));
    queued += batch.length;
    line.show(`queued ${formatCount(queued)} of ${pluralize(specs.size, 'crawl')}`);
  }
  list?.end();
  if (!list) printNote(`${hint('work')} runs queued crawls`);
}

const toJson = ({ opened: { id, isJoined }, spec: { kind, target } }: QueuedCrawl) => ({ id, kind, target, isJoined });

const formatLine = ({ opened: { id, isJoined }, spec }: QueuedCrawl): string =>
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
  const quota =
    config.apiKey && config.apiUrl
      ? await requestOutlook(
          { facts, config, service: requireService(config), priority, db, storeId: store.id },
          AbortSignal.timeout(TOKEN_INFO_MS),
        ).catch(() => undefined)
      : undefined;
  const isLimited = (quota ?? maxRequests) !== undefined;
  return {
    outlook: quota?.outlook,
    requestMs: quota?.requestMs,
    maxRequests,
    now,
    concurrency: DEFAULT_CONCURRENCY,
    totals: await sumPlans(planEach(isLimited ? specs : [], facts, now)),
  };
}
