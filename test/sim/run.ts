import { DAY, SECOND } from '#base/clock.ts';
import { createSeededRandom } from '#base/seeded-random.ts';
import type { OutageEvent } from '#crawl/gates/outage/outage-events.ts';
import { createScheduleEntry, type Job, createJobCrawls } from '#crawl/jobs/job.ts';
import { startOfDay } from '#crawl/search/date-windows.ts';
import { decideResume } from '#crawl/slice/resume.ts';
import type { SliceResult } from '#crawl/slice/slice-result.ts';
import { createCrawlSpec } from '#service/kinds/crawl-spec.ts';
import { type KindName, kindTable } from '#service/kinds/kinds.ts';
import type { Priority } from '#service/quota/priorities.ts';
import type { Budget, OpenedCrawl } from '#store/schema/commit-messages.ts';
import { shortageAt } from './disks.ts';
import { createEvents, waitUntilIdle } from './events.ts';
import type { Act, Disturbance, Plan } from './plan.ts';
import { type Activation, type Process, startProcess } from './process.ts';
import { createSimRedis } from './redis.ts';
import { createService, type Served } from './service.ts';
import type { Connections, Hook, StorePool } from './stores.ts';
import { CHANGES, createTruth, itemAt, type Truth } from './truth.ts';

/** A broken invariant with its description. */
export interface Failure {
  readonly invariant: string;
  readonly message: string;
}

/** The record of a simulation, for the oracle. */
export interface Run {
  readonly plan: Plan;
  readonly truth: Truth;
  readonly log: readonly Served[];
  readonly activations: readonly Activation[];
  readonly strangers: readonly number[];
  /** Ended crawls that were resumed, one element per time. */
  readonly resumed: readonly number[];
  /** The crawls that each command requested; those with a budget share one command. */
  readonly requested: readonly { readonly ids: readonly number[]; readonly isBudgeted: boolean }[];
  /** Events of the circuit breaker in all processes. */
  readonly outages: readonly OutageEvent[];
  /** Failures during the run. */
  readonly failures: Failure[];
  readonly events: number;
  readonly kills: number;
  /** Virtual start time. */
  readonly startedAt: number;
  /** Virtual milliseconds. */
  readonly durationMs: number;
}

const BEGIN = Date.UTC(2026, 0, 10);
/** A run with more events hangs. */
const MAX_EVENTS = 100_000;
/** The jobs of a killed worker are queued again after this time. */
const STALLED_MS = 20 * SECOND;
const PAUSE_POLL_MS = 5 * SECOND;
const RECONCILE_MS = 60 * SECOND;

export interface SimulateOptions {
  /** Called before every statement of every process. */
  readonly hook?: (process: Process) => Hook;
  /** The virtual start time; the same for all simulations by default. */
  readonly begin?: number;
  /** Called before the first event, with the empty store. */
  readonly prepare?: () => void;
  /** Called after a virtual time, with the store as it is then. */
  readonly observe?: { readonly at: number; readonly look: () => void };
}

/** Runs a plan to its end and leaves the store as it is then. */
export async function simulate(
  plan: Plan,
  pool: StorePool,
  { hook, begin = BEGIN, prepare, observe }: SimulateOptions = {},
): Promise<Run> {
  pool.clear();
  prepare?.();
  const events = createEvents(begin);
  const realNow = Date.now;
  // Dependencies, such as expiry in Redis, read this clock.
  Date.now = events.now;
  const failures: Failure[] = [];
  const fail = (invariant: string, message: string): void => void failures.push({ invariant, message });
  const onRejection = (error: unknown): void => fail('no surprises', `unhandled: ${describeFailure(error)}`);
  process.on('unhandledRejection', onRejection);
  const commandLine = pool.take();
  try {
    return await runPlan();
  } finally {
    pool.release(commandLine);
    process.off('unhandledRejection', onRejection);
    Date.now = realNow;
  }

  async function runPlan(): Promise<Run> {
    const truth = createTruth(plan.size, createSeededRandom(plan.seed, 'truth'), begin);
    const faults = new Map(plan.faults.map((fault) => [fault.request, fault]));
    const random = createSeededRandom(plan.seed, 'chance');
    const { traits, quota, outages: plannedOutages = [], refusals = [], shapes = [] } = plan;
    const service = createService({
      truth,
      traits,
      quota,
      faults,
      shapes,
      events,
      random,
      outages: plannedOutages,
      refusals,
    });
    const redis = await createSimRedis();
    const activations: Activation[] = [];
    const processes: Process[] = [];
    const resumed: number[] = [];
    const requested: { ids: number[]; isBudgeted: boolean }[] = [];
    const outages: OutageEvent[] = [];
    const disturbances = [...plan.disturbances];
    let started = 0;
    let kills = 0;
    let diskFullAfter = Infinity;
    let diskFullFor = 0;
    let killAfter = Infinity;
    let refusesUntil = 0;

    const currentShortage = () => shortageAt(plan.disks, events.now() - begin);
    const isDiskFull = (): boolean => ['full', 'over quota'].includes(currentShortage()?.how ?? '');

    /** The queue: crawl ids with their earliest time. */
    const queue = new Map<number, number>();
    /** Ends of the pauses by priority. */
    const pauseEnds = new Map<Priority, number>();
    const priorityOf = (crawlId: number): Priority => commandLine.read.crawl(crawlId)!.priority;

    const enqueue = (crawlId: number, at = events.now()): void => {
      if (queue.has(crawlId) || processes.some(({ active }) => active.has(crawlId))) return;
      queue.set(crawlId, at);
      events.after(at - events.now(), pump);
    };

    function pump(): void {
      const now = events.now();
      const isPausing = [...pauseEnds.values()].some((end) => end > now);
      const isPaused = (id: number): boolean => isPausing && (pauseEnds.get(priorityOf(id)) ?? 0) > now;
      const due = [...queue].filter(([id, at]) => at <= now && !isPaused(id)).toSorted(([, a], [, b]) => a - b);
      for (const [crawlId] of due) {
        const idle = processes
          .filter((one) => one.isAlive && !one.isLeaving && one.active.size < plan.slots && !one.active.has(crawlId))
          .toSorted((a, b) => a.number - b.number);
        // Any idle process may take it.
        if (idle.length === 0) continue;
        queue.delete(crawlId);
        random.pick(idle).work(crawlId);
      }
    }

    function ended(crawlId: number, slice: SliceResult): void {
      if (slice.next === 'again') enqueue(crawlId);
      if (slice.next === 'wait') enqueue(crawlId, slice.until);
      if (slice.next === 'pause_priority') {
        const until = Math.max(pauseEnds.get(slice.priority) ?? 0, Math.min(events.now() + PAUSE_POLL_MS, slice.until));
        pauseEnds.set(slice.priority, until);
        enqueue(crawlId, until);
      }
      events.after(0, pump);
    }

    function start(): void {
      const process = startProcess({
        number: (started += 1),
        isJoined: plan.hosts === 'other' || (plan.hosts === 'both' && started % 2 === 0),
        seed: plan.seed,
        events,
        service,
        pool,
        redis,
        random,
        ended,
        reserve: { requests: plan.reserve },
        newActivation(crawlId, number) {
          const activation = {
            id: activations.length,
            crawlId,
            process: number,
            isClean: true,
          };
          activations.push(activation);
          return activation;
        },
        announce: (ids) => ids.forEach((id) => enqueue(id)),
        left(gone) {
          processes.splice(processes.indexOf(gone), 1);
        },
        wake() {
          for (const [id, at] of queue) if (at > events.now()) queue.set(id, events.now());
          events.after(0, pump);
        },
        outage: (event) => void outages.push(event),
        disk: {
          free: () => (['low', 'full'].includes(currentShortage()?.how ?? '') ? 0 : 1e9),
          canWrite: () => !isDiskFull() && diskFullAfter >= 0,
        },
        onDeath: (self) => killProcess(self, 0),
        onUnexpectedError: (error) => fail('no surprises', `a slice threw ${describeFailure(error)}`),
        hook: (self) => {
          const inner = hook?.(self);
          return (sql) => {
            const needsRoom = !/^(rollback|release|begin|savepoint)/.test(sql);
            if (needsRoom && (diskFullAfter -= 1) < 0) {
              if ((diskFullFor -= 1) <= 0) diskFullAfter = Infinity;
              throw diskFull();
            }
            if (needsRoom && isDiskFull()) throw diskFull();
            if ((killAfter -= 1) < 0) {
              killAfter = Infinity;
              self.dieInStatement();
            }
            if (events.now() < refusesUntil && sql.startsWith('insert into "tweets" ')) throw new TypeError('planted');
            inner?.(sql);
          };
        },
      });
      processes.push(process);
      reconcile();
    }

    /** Queues unfinished crawls that have no job. */
    function reconcile(): void {
      for (const { id, resumeAt } of commandLine.read.unfinished()) enqueue(id, Math.max(events.now(), resumeAt ?? 0));
      events.after(0, pump);
    }
    let isReconciling = false;
    function keepReconciling(): void {
      if (isReconciling) return;
      isReconciling = true;
      events.after(RECONCILE_MS, () => {
        isReconciling = false;
        reconcile();
        if (processes.length === 0) start();
        if (commandLine.read.unfinished().length > 0) keepReconciling();
      });
    }

    function killProcess(self: Process, restartAfter: number): void {
      kills += 1;
      for (const crawlId of self.kill()) events.after(STALLED_MS, () => enqueue(crawlId));
      events.after(restartAfter, start);
    }

    function disturb({ what, which, span }: Disturbance): void {
      const target = processes[which % Math.max(1, processes.length)];
      if (what === 'disk full') {
        diskFullAfter = span;
        // For some statements, or for a while.
        diskFullFor = which === 5 ? Infinity : 1 + which;
        events.after(15 * SECOND, () => {
          diskFullAfter = Infinity;
        });
      } else if (what === 'kill in a statement') killAfter = span;
      else if (what === 'store refuses') refusesUntil = events.now() + span;
      else if (!target) return;
      else if (what === 'kill') killProcess(target, span);
      else if (what === 'stop') {
        target.stop();
        events.after(span, start);
      } else {
        // The queue treats a crawl of a live worker as stalled, and another worker takes it, too.
        const crawlIds = [...target.active.keys()];
        const crawlId = crawlIds[which % Math.max(1, crawlIds.length)];
        if (crawlId !== undefined) queue.set(crawlId, events.now());
        events.after(0, pump);
      }
    }

    let budgetedRun: number | undefined;
    const runIdOf = (begin: (budget: Budget) => number): number => (budgetedRun ??= begin({ perRun: plan.budget }));
    function act(what: Act): void {
      const opened = performAct(what, commandLine, events.now(), truth, runIdOf);
      for (const { id } of opened) enqueue(id);
      if (what.what === 'crawl')
        requested.push({ ids: opened.map(({ id }) => id), isBudgeted: what.isBudgeted === true });
      if (what.what === 'resume') resumed.push(...opened.map(({ id }) => id));
      if (opened.length > 0) keepReconciling();
    }

    if (observe) events.after(observe.at, observe.look);
    schedule(plan, commandLine, truth, begin);
    for (let i = 0; i < plan.processes; i++) start();
    for (const one of plan.acts) events.after(one.at, () => act(one));
    for (const { at, change, a, b } of plan.changes) {
      const own = createSeededRandom(plan.seed, `change ${at} ${a} ${b}`);
      events.after(at, () => CHANGES[change](truth, { a, b, random: own, now: events.now() }));
    }
    for (const { at, requests } of plan.strangers) events.after(at, () => service.strangersSpend(requests));

    await waitUntilIdle();
    while (events.next()) {
      await waitUntilIdle();
      while (disturbances[0] && disturbances[0].after <= events.count) disturb(disturbances.shift()!);
      if (events.count > MAX_EVENTS) {
        fail('crawls end', `after ${MAX_EVENTS} events there is still work`);
        break;
      }
    }
    const unfinished = commandLine.read.unfinished();
    if (unfinished.length > 0)
      fail('crawls end', `${unfinished.length} crawls never ended: ${JSON.stringify(unfinished[0])}`);
    for (const one of Array.from(processes)) one.kill();
    await waitUntilIdle();
    const { log, strangers } = service;
    return {
      plan,
      truth,
      log,
      strangers,
      activations,
      resumed,
      requested,
      outages,
      failures,
      kills,
      events: events.count,
      startedAt: begin,
      durationMs: events.now() - begin,
    };
  }
}

const jobName = ({ kind, target }: { kind: KindName; target: number }): string => `${kind}-${target}`;

/** Returns the job of a run; it keeps its target. */
function jobFor({ kind, target }: { kind: KindName; target: number }, truth: Truth): Job {
  const account = truth.accounts[target % truth.accounts.length]!;
  const list = [account.formerHandles[0]?.handle ?? account.handle];
  return {
    name: jobName({ kind, target }),
    schedule: { every: 1 },
    kind,
    targets: { list },
    priority: 'scheduled',
    options: {},
  };
}

function schedule(plan: Plan, { runGroup }: Connections, truth: Truth, begin: number): void {
  const jobs = plan.acts.flatMap((act) => (act.what === 'run' ? [jobFor(act, truth)] : []));
  const entries = [...new Map(jobs.map((job) => [job.name, createScheduleEntry(job)])).values()];
  if (entries.length > 0) runGroup([{ operation: 'setSchedule', args: [entries, begin] }]);
}

/** Performs an act like the command line: on the store, with a writer of its own. */
function performAct(
  act: Act,
  { read, runGroup }: Connections,
  now: number,
  truth: Truth,
  runIdOf: (begin: (budget: Budget) => number) => number,
): readonly OpenedCrawl[] {
  const call = (
    operation: 'openCrawls' | 'resumeCrawls' | 'cancelCrawls' | 'createRun' | 'openScheduledRun',
    ...args: unknown[]
  ): unknown => {
    const outcome = runGroup([{ operation, args }])[0]!;
    if ('error' in outcome) throw outcome.error;
    return outcome.value;
  };
  if (act.what === 'crawl') {
    const { since, from, to } = act.options;
    const options = {
      ...act.options,
      ...(since === undefined ? {} : { since: now + since }),
      ...(from === undefined || to === undefined
        ? {}
        : { from: startOfDay(now) + from * DAY, to: startOfDay(now) + to * DAY }),
    };
    const specs = [act.target, ...(act.also ?? [])].map((target) =>
      createCrawlSpec({
        kind: act.kind,
        target: targetOf(act.kind, { ...act, target }, truth),
        options,
        priority: act.priority,
      }),
    );
    const runId = act.isBudgeted && runIdOf((budget) => call('createRun', now, budget) as number);
    return call(
      'openCrawls',
      specs.map((spec) => ({ ...spec, runId })),
      now,
    ) as OpenedCrawl[];
  }
  if (act.what === 'run') {
    const job = jobFor(act, truth);
    const { list } = job.targets as { list: string[] };
    const known = { unfinished: read.unfinished(), accounts: read.jobAccounts(job.name) };
    const { specs } = createJobCrawls(job, list, now, known);
    return (call('openScheduledRun', { name: job.name, slot: now, at: now, specs, problem: null }) ??
      []) as OpenedCrawl[];
  }
  const crawl = read.crawl(1 + act.crawl);
  if (!crawl) return [];
  if (act.what === 'cancel') {
    call('cancelCrawls', [crawl.id], now);
    return [];
  }
  const resumption = crawl.finishedAt === null ? { refused: 'it goes on' } : decideResume(crawl);
  return 'refused' in resumption ? [] : (call('resumeCrawls', [resumption], now) as OpenedCrawl[]);
}

/** Returns a target by its number; undefined for one that does not exist. */
function targetOf(
  kind: KindName,
  { target, byId, typed }: { target: number; byId: boolean; typed?: 'lower' | 'upper' | undefined },
  truth: Truth,
): string {
  const at = <T>(list: readonly T[]): T | undefined => itemAt(list, target);
  switch (kindTable[kind].targetType) {
    case 'account': {
      const account = at(truth.accounts);
      if (!account) return byId ? 'id:404' : 'nobody';
      if (byId) return `id:${account.id}`;
      const { handle } = account;
      return typed === 'lower' ? handle.toLowerCase() : typed === 'upper' ? handle.toUpperCase() : handle;
    }
    case 'tweet':
      return at(truth.posts)?.id ?? '404';
    case 'community':
      return at(truth.communities)?.id ?? '404';
    case 'list':
      return at(truth.lists)?.id ?? '404';
    case 'query':
      return ['tram', '#cop', `from:${truth.accounts[0]!.handle}`, 'river moon', 'nothing'][target % 5]!;
  }
}

const diskFull = (): Error => Object.assign(new Error('database or disk is full'), { code: 'SQLITE_FULL' });

const describeFailure = (error: unknown): string =>
  error instanceof Error ? (error.stack ?? error.message) : String(error);
