import { DAY, SECOND } from '../../src/clock.ts';
import type { OutageEvent } from '../../src/engine/outage/events.ts';
import { decideResume } from '../../src/engine/resume.ts';
import { startOfDay } from '../../src/engine/search/date-windows.ts';
import type { SliceResult } from '../../src/engine/slice-result.ts';
import { createScheduleEntry, type Job, createJobCrawls } from '../../src/jobs/job.ts';
import { createCrawlSpec } from '../../src/kinds/crawl-spec.ts';
import { type KindName, kindTable } from '../../src/kinds/kinds.ts';
import type { Priority } from '../../src/quota/priorities.ts';
import { createSeededRandom } from '../../src/seeded-random.ts';
import type { Budget, OpenedCrawl } from '../../src/store/schema/messages.ts';
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
  readonly strangers: number;
  /** Ended crawls that were resumed, one element per time. */
  readonly resumed: readonly number[];
  /** The crawls that each command requested; those with a budget share one command. */
  readonly asked: readonly { readonly ids: readonly number[]; readonly isBudgeted: boolean }[];
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
/** An untrusted token-info is polled for hours. */
const MOST_EVENTS = 100_000;
/** The jobs of a killed worker are queued again after this time. */
const STALLED_MS = 20 * SECOND;
const LOOK_MS = 5 * SECOND;
const RECONCILE_MS = 60 * SECOND;

export interface SimulateOptions {
  /** Called before every statement of every process. */
  readonly hook?: (process: Process) => Hook;
}

/** Runs a plan to its end and leaves the store as it is then. */
export async function simulate(plan: Plan, pool: StorePool, { hook }: SimulateOptions = {}): Promise<Run> {
  pool.clear();
  const events = createEvents(BEGIN);
  const realNow = Date.now;
  // Dependencies, such as expiry in Redis, read this clock.
  Date.now = events.now;
  const failures: Failure[] = [];
  const fail = (invariant: string, message: string): void => void failures.push({ invariant, message });
  const onRejection = (error: unknown): void => fail('no surprises', `unhandled: ${words(error)}`);
  process.on('unhandledRejection', onRejection);
  const person = pool.take();
  try {
    return await play();
  } finally {
    pool.release(person);
    process.off('unhandledRejection', onRejection);
    Date.now = realNow;
  }

  async function play(): Promise<Run> {
    const truth = createTruth(plan.size, createSeededRandom(plan.seed, 'truth'), BEGIN);
    const faults = new Map(plan.faults.map((fault) => [fault.request, fault]));
    const random = createSeededRandom(plan.seed, 'chance');
    const service = createService({
      outages: plan.outages ?? [],
      truth,
      traits: plan.traits,
      quota: plan.quota,
      faults,
      shapes: plan.shapes ?? [],
      events,
      dice: random,
    });
    const redis = await createSimRedis();
    const activations: Activation[] = [];
    const processes: Process[] = [];
    const resumed: number[] = [];
    const asked: { ids: number[]; isBudgeted: boolean }[] = [];
    const outages: OutageEvent[] = [];
    const blows = [...plan.disturbances];
    let started = 0;
    let kills = 0;
    let diskFullAfter = Infinity;
    let diskFullFor = 0;
    let killAfter = Infinity;
    let refusesUntil = 0;

    const shortage = () => shortageAt(plan.disks, events.now() - BEGIN);
    const isFull = (): boolean => ['full', 'over quota'].includes(shortage()?.how ?? '');

    /** The queue: crawl ids with their earliest time. */
    const line = new Map<number, number>();
    /** Ends of the pauses by priority. */
    const rest = new Map<Priority, number>();
    const classOf = (crawlId: number): Priority => person.read.crawl(crawlId)!.priority;

    const enqueue = (crawlId: number, at = events.now()): void => {
      if (line.has(crawlId) || processes.some(({ active }) => active.has(crawlId))) return;
      line.set(crawlId, at);
      events.after(at - events.now(), pump);
    };

    function pump(): void {
      const now = events.now();
      const due = [...line]
        .filter(([id, at]) => at <= now && (rest.get(classOf(id)) ?? 0) <= now)
        .toSorted(([, a], [, b]) => a - b);
      for (const [crawlId] of due) {
        const idle = processes
          .filter((one) => one.isAlive && !one.isLeaving && one.active.size < plan.slots && !one.active.has(crawlId))
          .toSorted((a, b) => a.number - b.number);
        // Any idle process may take it.
        if (idle.length === 0) continue;
        line.delete(crawlId);
        random.pick(idle).work(crawlId);
      }
    }

    function ended(crawlId: number, slice: SliceResult): void {
      if (slice.next === 'again') enqueue(crawlId);
      if (slice.next === 'wait') {
        if (slice.priority !== undefined) {
          const until = Math.max(rest.get(slice.priority) ?? 0, Math.min(events.now() + LOOK_MS, slice.until));
          rest.set(slice.priority, until);
          enqueue(crawlId, until);
        } else enqueue(crawlId, slice.until);
      }
      events.after(0, pump);
    }

    function start(): void {
      const process = startProcess({
        ...{ number: (started += 1), seed: plan.seed, events, service, pool, redis, dice: random, ended },
        reserve: { requests: plan.reserve },
        newActivation(crawlId, number) {
          const activation = { id: activations.length, crawlId, process: number, isClean: true };
          activations.push(activation);
          return activation;
        },
        announce: (ids) => ids.forEach((id) => enqueue(id)),
        left(gone) {
          processes.splice(processes.indexOf(gone), 1);
        },
        wake() {
          for (const [id, at] of line) if (at > events.now()) line.set(id, events.now());
          events.after(0, pump);
        },
        outage: (event) => void outages.push(event),
        disk: {
          free: () => (['low', 'full'].includes(shortage()?.how ?? '') ? 0 : 1e9),
          canWrite: () => !isFull() && diskFullAfter >= 0,
        },
        onDeath: (self) => killed(self, 0),
        onUnexpectedError: (error) => fail('no surprises', `a slice threw ${words(error)}`),
        hook: (self) => {
          const inner = hook?.(self);
          return (sql) => {
            // A rollback needs no disk space.
            const needsRoom = !/^(rollback|release|begin|savepoint)/.test(sql);
            if (needsRoom && (diskFullAfter -= 1) < 0) {
              if ((diskFullFor -= 1) <= 0) diskFullAfter = Infinity;
              throw diskFull();
            }
            if (needsRoom && isFull()) throw diskFull();
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
      for (const { id, resumeAt } of person.read.unfinished()) enqueue(id, Math.max(events.now(), resumeAt ?? 0));
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
        if (person.read.unfinished().length > 0) keepReconciling();
      });
    }

    function killed(self: Process, restartAfter: number): void {
      kills += 1;
      for (const crawlId of self.kill()) events.after(STALLED_MS, () => enqueue(crawlId));
      events.after(restartAfter, start);
    }

    function strike({ what, which, span }: Disturbance): void {
      const hit = processes[which % Math.max(1, processes.length)];
      if (what === 'disk full') {
        diskFullAfter = span;
        // For some statements, or for a while.
        diskFullFor = which === 5 ? Infinity : 1 + which;
        events.after(15 * SECOND, () => {
          diskFullAfter = Infinity;
        });
      } else if (what === 'kill in a statement') killAfter = span;
      else if (what === 'store refuses') refusesUntil = events.now() + span;
      else if (!hit) return;
      else if (what === 'kill') killed(hit, span);
      else if (what === 'stop') {
        hit.stop();
        events.after(span, start);
      } else {
        // The queue treats a crawl of a live worker as stalled, and another worker takes it, too.
        const held = [...hit.active.keys()];
        const crawlId = held[which % Math.max(1, held.length)];
        if (crawlId !== undefined) line.set(crawlId, events.now());
        events.after(0, pump);
      }
    }

    let run: number | undefined;
    const runOf = (begin: (budget: Budget) => number): number => (run ??= begin({ perRun: plan.budget }));
    function act(what: Act): void {
      const opened = doAct(what, person, events.now(), truth, runOf);
      for (const { id } of opened) enqueue(id);
      if (what.what === 'crawl') asked.push({ ids: opened.map(({ id }) => id), isBudgeted: what.isBudgeted === true });
      if (what.what === 'resume') resumed.push(...opened.map(({ id }) => id));
      if (opened.length > 0) keepReconciling();
    }

    schedule(plan, person, truth);
    for (let i = 0; i < plan.processes; i++) start();
    for (const one of plan.acts) events.after(one.at, () => act(one));
    for (const { at, change, a, b } of plan.changes) {
      const own = createSeededRandom(plan.seed, `change ${at} ${a} ${b}`);
      events.after(at, () => CHANGES[change](truth, { a, b, dice: own, now: events.now() }));
    }
    for (const { at, requests } of plan.strangers) events.after(at, () => service.strangersSpend(requests));

    await waitUntilIdle();
    while (events.next()) {
      await waitUntilIdle();
      while (blows[0] && blows[0].after <= events.count) strike(blows.shift()!);
      if (events.count > MOST_EVENTS) {
        fail('crawls end', `after ${MOST_EVENTS} events there is still work`);
        break;
      }
    }
    const unfinished = person.read.unfinished();
    if (unfinished.length > 0)
      fail('crawls end', `${unfinished.length} crawls never ended: ${JSON.stringify(unfinished[0])}`);
    for (const one of [...processes]) one.kill();
    await waitUntilIdle();
    const lasted = events.now() - BEGIN;
    const { log, strangers } = service;
    return {
      plan,
      truth,
      log,
      activations,
      strangers,
      resumed,
      asked,
      outages,
      startedAt: BEGIN,
      failures,
      events: events.count,
      kills,
      durationMs: lasted,
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

function schedule(plan: Plan, { runGroup }: Connections, truth: Truth): void {
  const jobs = plan.acts.flatMap((act) => (act.what === 'run' ? [jobFor(act, truth)] : []));
  const entries = [...new Map(jobs.map((job) => [job.name, createScheduleEntry(job)])).values()];
  if (entries.length > 0) runGroup([{ operation: 'setSchedule', args: [entries, BEGIN] }]);
}

/** Performs an act like the command line: on the store, with a writer of its own. */
function doAct(
  act: Act,
  { read, runGroup }: Connections,
  now: number,
  truth: Truth,
  runOf: (begin: (budget: Budget) => number) => number,
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
    const runId = act.isBudgeted && runOf((budget) => call('createRun', now, budget) as number);
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
  const again = crawl.finishedAt === null ? { refused: 'it goes on' } : decideResume(crawl);
  return 'refused' in again ? [] : (call('resumeCrawls', [again], now) as OpenedCrawl[]);
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

const words = (error: unknown): string => (error instanceof Error ? (error.stack ?? error.message) : String(error));
