import { droppedFields } from '../../analysis/quality/dropped-fields.ts';
import { systemClock } from '../../clock.ts';
import { openWork, type WorkContext } from '../../composition.ts';
import { type Config, loadConfig } from '../../config.ts';
import type { OutageState } from '../../engine/outage/circuit.ts';
import { createLog } from '../../log.ts';
import { planCrawls, withPlans } from '../../planning/plan.ts';
import { CLAIM_MS, CLAIM_RENEWAL_MS, runName } from '../../queue/soft-locks.ts';
import type { Reads } from '../../store/reads.ts';
import type { CrawlRow, CrawlSpec } from '../../store/schema/messages.ts';
import { isDiskTrouble } from '../../store/sqlite/database-errors.ts';
import type { MinFree } from '../../store/sqlite/disk-space.ts';
import { findReplacement } from '../../store/sqlite/file-watch.ts';
import { outlookOf } from '../plan/outlook.ts';
import type { Planned } from '../plan/plan-report.ts';
import { beginRun } from '../shared/begin-run.ts';
import { EXIT, requireService, tell } from '../shared/common-options.ts';
import type { CrawlWords } from '../shared/crawl-options.ts';
import { diskInWords } from '../shared/disk-messages.ts';
import { readStore } from '../shared/existing-store.ts';
import { outageInWords, waitedInWords } from '../shared/outage-report.ts';
import { COMMAND_WAIT, createOutageWait } from '../shared/outage-wait.ts';
import { onInterrupt } from '../shared/signals.ts';
import { exitCode } from '../shared/summary.ts';
import { nameCrawls } from '../targets/name-crawls.ts';
import { plural } from '../terminal/format.ts';
import { createProgressLine, tellAside } from '../terminal/progress.ts';
import { confirmPlan } from './confirm-plan.ts';
import { createProgress, follow, type Quota } from './follow.ts';
import { type Outcome, report, tellKept, tellOfHandles, tellWhatNext, unfinished } from './report.ts';

export type RunWords = CrawlWords & {
  readonly concurrency: number;
  readonly raw: boolean;
  /** How long to wait for a service that is out, in ms. */
  readonly wait?: number;
  /** How much of the disk stays free. */
  readonly minFreeDisk?: MinFree;
  /** Ask before what takes long, unless that was answered beforehand. */
  readonly asks?: boolean;
  readonly yes?: true;
};

/** Crawls what the command line names, here and now. Returns the exit code. */
export async function runCrawls(kind: string, targets: readonly string[], words: RunWords): Promise<number> {
  const config = loadConfig();
  const { specs, faults } = crawlsOf(kind, targets, words);
  if (specs.length === 0) {
    tell('no target is named there: nothing to do');
    return EXIT.complete;
  }
  const code = await crawlHere(specs, { ...words, asks: true }, config);
  return faults > 0 ? EXIT.failed : code;
}

function crawlsOf(kind: string, targets: readonly string[], words: RunWords) {
  using named = nameCrawls(kind, targets, words, 'interactive');
  return { specs: [...named.specs], faults: named.faults };
}

/** What a command has to say beside the crawls that it began with. */
export interface Stages {
  /** What to crawl when all so far has ended, by what the store knows then; nothing when that was all. */
  next(read: Reads, rows: readonly CrawlRow[]): readonly CrawlSpec[];
  /** What it came to: lines for people, fields for the JSON document. */
  outcome(read: Reads): Outcome;
}

export async function crawlHere(
  specs: readonly CrawlSpec[],
  words: RunWords,
  config: Config,
  stages?: Stages,
): Promise<number> {
  using interruption = onInterrupt('stopping: the page under way is finished and stored first');
  try {
    const startedAt = systemClock.now();
    const { rows, ids, outcome } = await crawlUntil(interruption.signal, specs, words, config, stages);
    const dropped = await readStore(words.db, (db) =>
      droppedFields(
        db,
        rows.map(({ id }) => id),
      ),
    );
    report(rows, { ...words, ms: systemClock.now() - startedAt, outcome, dropped });
    if (!words.quiet) {
      await tellOfHandles(rows, words.db);
      tellWhatNext(rows);
    }
    tellKept(rows);
    const code = exitCode(rows, ids);
    return interruption.code() ?? (code === EXIT.complete && outcome?.isPartial ? EXIT.partial : code);
  } catch (error) {
    // Stopped before there was anything to finish.
    if (error !== interruption.signal.reason) throw error;
    return interruption.code()!;
  }
}

/** Crawls without a word, and without an answer. */
export async function crawlQuietly(specs: readonly CrawlSpec[], words: RunWords, config: Config): Promise<CrawlRow[]> {
  using interruption = onInterrupt('stopping: the page under way is finished and stored first');
  return (await crawlUntil(interruption.signal, specs, words, config)).rows;
}

/** What came of a run. */
interface Came {
  readonly rows: CrawlRow[];
  /** Of these, those that it was for. */
  readonly ids: readonly number[];
  readonly outcome: Outcome | undefined;
}

async function crawlUntil(
  signal: AbortSignal,
  specs: readonly CrawlSpec[],
  words: RunWords,
  config: Config,
  stages?: Stages,
): Promise<Came> {
  const run = runName();
  await using work = await openWork({
    config,
    run,
    db: words.db,
    service: requireService(config),
    log: createLog({ level: words.quiet ? 'silent' : 'error' }),
    keepRaw: words.raw,
    minFree: words.minFreeDisk,
    signal,
    onWarning: (message) => words.quiet || tellAside(`warning: ${message}`),
    onOutage: (event) => words.quiet || tellAside(outageInWords(event)),
    onDisk: (event) => words.quiet || tellAside(diskInWords(event)),
  });
  signal.throwIfAborted();
  if (!words.quiet) tell(`queue: ${work.engine.description}`);
  if (words.asks) await confirmPlan(plannedHere(work, specs, words, config), words, signal);
  const renewal = setInterval(() => {
    // A renewal that fails is tried again long before the claim ends.
    work.store.write.claim({ by: run, until: systemClock.now() + CLAIM_MS }).catch(() => undefined);
  }, CLAIM_RENEWAL_MS);
  let ids: readonly number[] = [];
  let rows: CrawlRow[] = [];
  try {
    const runId = await beginRun(work.store.write, words);
    for (let more = specs; more.length > 0;) {
      ids = [...new Set([...ids, ...(await enqueue(work, more, runId, words))])];
      rows = await workOn(work, ids, words, signal);
      more = signal.aborted || unfinished(rows) > 0 ? [] : (stages?.next(work.store.read, rows) ?? []);
    }
  } catch (error) {
    if (!findReplacement(work.store.files)) tellKept(work.store.read.family(ids));
    throw error;
  } finally {
    clearInterval(renewal);
    // On a full disk, the claim ends with this process.
    await work.store.write.claim({ by: run, until: 0 }).catch((error: unknown) => {
      if (!isDiskTrouble(error)) throw error;
    });
  }
  return { rows, ids, outcome: stages?.outcome(work.store.read) };
}

/** Returns the numbers of the crawls, and says how many of them, with what came of them, are gone on with. */
async function enqueue(
  { producer, store }: WorkContext,
  specs: readonly CrawlSpec[],
  runId: number | undefined,
  words: RunWords,
): Promise<number[]> {
  const inRun = specs.map((spec) => ({ ...spec, runId }));
  const opened = await producer.enqueue(withPlans(inRun, store.read.planFacts(), systemClock.now()));
  const ids = [...new Set(opened.map(({ id }) => id))];
  // A target that was named twice joins itself: that is nothing to tell.
  const created = new Set(opened.filter((crawl) => !crawl.joined).map(({ id }) => id));
  const joined = unfinished(store.read.family(ids.filter((id) => !created.has(id))));
  if (joined > 0 && !words.quiet) tell(`going on with ${plural(joined, 'unfinished crawl')}`);
  return ids;
}

/** What the plan comes to by what token-info has just said. */
function plannedHere(
  { greeting, store }: WorkContext,
  specs: readonly CrawlSpec[],
  words: RunWords,
  config: Config,
): Planned {
  const facts = store.read.planFacts();
  const now = systemClock.now();
  const plans = planCrawls(specs, facts, now);
  const service = requireService(config);
  const outlook = greeting && outlookOf({ sample: greeting, facts, service, config, class: 'interactive' });
  return { plans, outlook, pace: facts.pace(), concurrency: words.concurrency, maxRequests: words.maxRequests, now };
}

async function workOn(
  work: WorkContext,
  ids: readonly number[],
  words: RunWords,
  signal: AbortSignal,
): Promise<CrawlRow[]> {
  const { store, governor, breaker, disk } = work;
  await using workers = work.work(words.concurrency);
  using line = createProgressLine({ quiet: words.quiet ?? false, now: systemClock.now });
  const progress = createProgress(store, store.read.family(ids), systemClock.now());
  let quota: Quota | undefined;
  let outage: OutageState | undefined;
  const isOver = createOutageWait(words.wait ?? COMMAND_WAIT);
  const look = async () => {
    outage = await breaker.state();
    const { limit, estimate, classes } = await governor.state();
    quota = limit === undefined || estimate === undefined ? undefined : { limit, left: estimate, classes };
  };
  const looking = setInterval(() => void look().catch(() => undefined), 1000);
  const ended = new AbortController();
  let hasWaited = false;
  try {
    const followed = follow({
      store,
      ids,
      clock: systemClock,
      signal: AbortSignal.any([signal, ended.signal]),
      onLook(rows) {
        const now = systemClock.now();
        line.show(progress(rows, { now, quota, outage, shortage: disk.shortage }));
        const open = rows.filter(({ finishedAt }) => finishedAt === null);
        const done = rows.reduce((sum, { pages }) => sum + pages, rows.length - open.length);
        hasWaited ||= isOver(open, { outage, shortage: disk.shortage }, { progress: done, now });
        if (hasWaited) ended.abort();
      },
    });
    await Promise.race([followed, workers.stopped]);
  } finally {
    ended.abort();
    clearInterval(looking);
    await workers[Symbol.asyncDispose]();
  }
  if (hasWaited) tellAside(waitedInWords(words.wait ?? COMMAND_WAIT, disk.shortage !== undefined));
  return store.read.family(ids);
}
