import { existsSync } from 'node:fs';
import { createClient } from '../../client/client.ts';
import { systemClock } from '../../clock.ts';
import { connectToQueue } from '../../composition.ts';
import { type Config, loadConfig } from '../../config.ts';
import { describeError, UnauthorizedError } from '../../errors.ts';
import type { CrawlSpec } from '../../kinds/crawl-spec.ts';
import { buildCrawlKey, planCrawls } from '../../planning/plan.ts';
import { chooseProbes } from '../../planning/probes.ts';
import type { Priority } from '../../quota/priorities.ts';
import { NO_PLANNING_READS, type PlanningReads } from '../../store/planning-reads.ts';
import { openStore, type Store } from '../../store/store.ts';
import { crawlSilently } from '../crawl/run.ts';
import { EXIT, keyWithheldError, print, printNote } from '../shared/common-options.ts';
import type { CrawlCommandOptions } from '../shared/crawl-options.ts';
import { readRequestedCrawls } from '../targets/requested-crawls.ts';
import { pluralize } from '../terminal/format.ts';
import { readOutlook } from './outlook.ts';
import { type PlanReport, toPlanJson, formatPlan } from './plan-report.ts';

export interface PlanOptions extends CrawlCommandOptions {
  readonly priority: Priority;
  readonly concurrency: number;
  readonly probe?: number | true;
}

const MOST_PROBES = 10;

/** Prints the estimated cost of crawls. Returns the exit code. */
export async function runPlan(kind: string, targets: readonly string[], words: PlanOptions): Promise<number> {
  const config = loadConfig();
  using named = readRequestedCrawls(kind, targets, words, words.priority);
  const specs = [...named.specs];
  if (words.probe !== undefined) await probe(specs, words, config);
  const planned = await withFacts(words.db, async (facts, storeId) => {
    const now = systemClock.now();
    const quota = await readQuota(config, words, facts, storeId);
    const { concurrency, maxRequests } = words;
    return { ...quota, plans: planCrawls(specs, facts, now), concurrency, maxRequests, now } satisfies PlanReport;
  });
  print(words.json ? JSON.stringify(toPlanJson(planned), null, 2) : formatPlan(planned));
  return named.invalidTargets > 0 ? EXIT.failed : EXIT.complete;
}

/** A plan does not create a missing store. */
async function withFacts<T>(path: string, fn: (facts: PlanningReads, storeId?: string) => T | Promise<T>): Promise<T> {
  if (!existsSync(path)) return await fn(NO_PLANNING_READS);
  await using store: Store = openStore(path);
  return await fn(store.read.planningReads(), store.id);
}

/** Reads token-info and the quota record of the key. */
async function readQuota(
  config: Config,
  words: PlanOptions,
  facts: PlanningReads,
  storeId: string | undefined,
): Promise<Pick<PlanReport, 'outlook' | 'requestMs'>> {
  const { apiUrl, apiKey, isKeyWithheld, method } = config;
  const pace = facts.meanRequestMs();
  if (!apiUrl || !apiKey) {
    const why = isKeyWithheld ? describeError(keyWithheldError()) : 'TRAWL_API_URL or TRAWL_API_KEY is not set';
    if (!words.quiet) printNote(`planned without the quota: ${why}`);
    return { outlook: undefined, requestMs: pace };
  }
  await using client = createClient({ baseUrl: apiUrl, apiKey, method });
  try {
    const sample = await client.tokenInfo();
    const took = systemClock.now() - sample.at;
    const leastMs = await readWindowFromLedger(config, words.db, storeId);
    const outlook = readOutlook({ sample, facts, service: { apiUrl, apiKey }, config, class: words.priority, leastMs });
    return { outlook, requestMs: pace ?? Math.max(1, took) };
  } catch (error) {
    if (error instanceof UnauthorizedError) throw error;
    if (!words.quiet) printNote(`planned without the quota: ${describeError(error)}`);
    return { outlook: undefined, requestMs: pace };
  }
}

/** The minimum length of the window in ms, from the ledger that all workers of the key share. */
async function readWindowFromLedger(
  config: Config,
  db: string,
  storeId: string | undefined,
): Promise<number | undefined> {
  if (storeId === undefined) return undefined;
  try {
    await using visit = await connectToQueue({ config, db, storeId });
    const state = await visit?.readQuota();
    return state?.knownBy === 'token-info' ? state.windowMs : undefined;
  } catch {
    // The plan is useful without it.
    return undefined;
  }
}

/** Crawls single pages that show missing facts. They are stored; a result may allow the next probe. */
async function probe(specs: readonly CrawlSpec[], words: PlanOptions, config: Config): Promise<void> {
  let left = words.probe === true || words.probe === undefined ? MOST_PROBES : words.probe;
  const asked = new Set<string>();
  let sent = 0;
  for (;;) {
    const these = await withFacts(words.db, (facts) => {
      const isKnown = (handle: string): boolean => facts.account({ handle }) !== undefined;
      return chooseProbes(planCrawls(specs, facts, systemClock.now()), { asked, isKnown }).slice(0, Math.max(0, left));
    });
    if (these.length === 0) break;
    for (const spec of these) asked.add(buildCrawlKey(spec));
    // A probe may take a second request: the budget enforces the limit.
    const rows = await crawlSilently(these, { ...words, raw: true, quiet: true, maxRequests: left }, config);
    const requests = rows.reduce((sum, row) => sum + row.requests, 0);
    sent += requests;
    left -= Math.max(these.length, requests);
  }
  if (!words.quiet) printNote(`probed with ${pluralize(sent, 'request')}`);
}
