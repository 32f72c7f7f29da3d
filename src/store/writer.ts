import { and, eq, isNull, sql } from 'drizzle-orm';
import { StaleLeaseError } from '../errors.ts';
import { prepareCoverage } from './coverage.ts';
import { type Db, transact } from './database.ts';
import { prepareFacts } from './facts.ts';
import { prepareFamily, rootOf, withFamily } from './family.ts';
import { sameIdentity } from './identity.ts';
import { placeholders } from './merge.ts';
import type {
  Claim,
  Committed,
  CrawlEnd,
  CrawlRow,
  CrawlSpec,
  HandBack,
  OpenedCrawl,
  PageCommit,
  QuotaSampleRow,
  RequestEntry,
  Resumption,
} from './messages.ts';
import { preparePageWriter } from './page.ts';
import { prepareSchedule, type RunOpening, type ScheduleChange, type ScheduleEntry } from './schedule.ts';
import { crawls, quotaSamples } from './schema.ts';
import { FREE, prepareSteering } from './steering.ts';

/** Everything that writes crawls into a store. Each call is one transaction; what crosses is clonable. */
export interface Writer {
  /** Creates crawls, or joins the unfinished ones of the same identity; with a claim, takes them for one run. */
  open(specs: readonly CrawlSpec[], at: number, claim?: Claim): Promise<OpenedCrawl[]>;
  /** Takes a crawl for one activation: from now on only this lease may commit. Undefined when it is finished. */
  lease(crawlId: number, at: number): Promise<CrawlRow | undefined>;
  /** Stores one page with its checkpoint. @throws StaleLeaseError, having changed nothing (law 3). */
  commit(page: PageCommit): Promise<Committed>;
  /** Gives a leased crawl back unfinished. @throws StaleLeaseError */
  handBack(to: HandBack): Promise<void>;
  /** Adds requests to a crawl's account that nothing else could be stored of: they were sent all the same (law 8). */
  account(crawlId: number, requests: readonly RequestEntry[]): Promise<void>;
  /** Renews everything that a run has claimed, or gives it up (`until` 0). */
  claim(claim: Claim): Promise<void>;
  /**
   * Ends unfinished crawls as cancelled, with what came of them and is wanted by nobody else; their workers find out by
   * the lease. Returns the ids of those that it ended.
   */
  cancel(crawlIds: readonly number[], at: number): Promise<number[]>;
  /** Opens ended crawls again where they stopped. Returns, in the same order, what is unfinished now in their place. */
  resume(again: readonly Resumption[], at: number): Promise<OpenedCrawl[]>;
  /** Makes the schedule this one. A job whose times stay the same keeps how far it has come. */
  setSchedule(jobs: readonly ScheduleEntry[], at: number): Promise<ScheduleChange[]>;
  /** Opens the crawls of a scheduled run; undefined, having changed nothing, when that run was made before. */
  openRun(run: RunOpening): Promise<OpenedCrawl[] | undefined>;
  sampleQuota(sample: QuotaSampleRow): Promise<void>;
}

/** A writer on this thread and connection. */
export function createWriter(db: Db): Writer {
  const pages = preparePageWriter(db);
  const coverage = prepareCoverage(db);
  const family = prepareFamily(db);
  const facts = prepareFacts(db);
  const schedule = prepareSchedule(db, open);

  const insertCrawl = db
    .insert(crawls)
    .values({
      ...placeholders(crawls, [
        ...['kind', 'target', 'options', 'class', 'parentId', 'rootId'],
        ...['claimedBy', 'claimedUntil', 'createdAt', 'updatedAt'],
      ] as const),
      state: 'queued',
    })
    .onConflictDoNothing()
    .returning({ id: crawls.id })
    .prepare();
  const findUnfinished = db
    .select({ id: crawls.id })
    .from(crawls)
    .where(and(sameIdentity, isNull(crawls.finishedAt)))
    .prepare();
  const steering = prepareSteering(db, { coverage, unfinished: (crawl) => findUnfinished.get(crawl)?.id });
  const takeLease = db
    .update(crawls)
    .set({
      lease: sql`${crawls.lease} + 1`,
      state: 'running',
      reason: null,
      resumeAt: null,
      startedAt: sql`coalesce(${crawls.startedAt}, ${sql.placeholder('at')})`,
      updatedAt: sql`${sql.placeholder('at')}`,
    })
    .where(and(eq(crawls.id, sql.placeholder('id')), isNull(crawls.finishedAt)))
    .returning()
    .prepare();
  const held = and(
    eq(crawls.id, sql.placeholder('id')),
    eq(crawls.lease, sql.placeholder('lease')),
    isNull(crawls.finishedAt),
  );
  const findHeld = db.select().from(crawls).where(held).prepare();
  const advance = db
    .update(crawls)
    .set({
      cursor: sql`${sql.placeholder('cursor')}`,
      guard: sql`${sql.placeholder('guard')}`,
      targetId: sql`${sql.placeholder('targetId')}`,
      pages: sql`${crawls.pages} + ${sql.placeholder('pages')}`,
      items: sql`${crawls.items} + ${sql.placeholder('items')}`,
      newItems: sql`${crawls.newItems} + ${sql.placeholder('newItems')}`,
      rejected: sql`${crawls.rejected} + ${sql.placeholder('rejected')}`,
      requests: sql`${crawls.requests} + ${sql.placeholder('requests')}`,
      failures: 0,
      error: null,
      updatedAt: sql`${sql.placeholder('at')}`,
    })
    .where(held)
    .prepare();
  const finish = db
    .update(crawls)
    .set({
      state: sql`${sql.placeholder('state')}`,
      reason: sql`${sql.placeholder('reason')}`,
      ending: sql`${sql.placeholder('ending')}`,
      error: sql`${sql.placeholder('error')}`,
      ...FREE,
      finishedAt: sql`${sql.placeholder('at')}`,
    })
    .where(eq(crawls.id, sql.placeholder('id')))
    .prepare();
  const giveBack = db
    .update(crawls)
    .set({
      state: sql`${sql.placeholder('state')}`,
      reason: sql`${sql.placeholder('reason')}`,
      error: sql`${sql.placeholder('error')}`,
      resumeAt: sql`${sql.placeholder('resumeAt')}`,
      failures: sql`${sql.placeholder('failures')}`,
      requests: sql`${crawls.requests} + ${sql.placeholder('requests')}`,
      updatedAt: sql`${sql.placeholder('at')}`,
    })
    .where(held)
    .prepare();
  /** A run that waits for a child takes it, unless another run has it. */
  const adopt = db
    .update(crawls)
    .set({ claimedBy: sql`${sql.placeholder('claimedBy')}`, claimedUntil: sql`${sql.placeholder('claimedUntil')}` })
    .where(
      and(eq(crawls.id, sql.placeholder('id')), sql`coalesce(${crawls.claimedUntil}, 0) <= ${sql.placeholder('at')}`),
    )
    .prepare();
  const insertSample = db
    .insert(quotaSamples)
    .values(placeholders(quotaSamples, ['at', 'appLimit', 'remaining', 'resetAt']))
    .prepare();

  function open(spec: CrawlSpec, at: number, parent?: CrawlRow): OpenedCrawl {
    const { kind, target, options } = spec;
    const rolling = parent ? undefined : family.findAtWork(spec);
    if (rolling !== undefined) return { id: rolling, joined: true };
    const created = insertCrawl.get({
      ...{ kind, target, options, class: spec.class, createdAt: at, updatedAt: at },
      parentId: parent?.id ?? null,
      rootId: parent ? rootOf(parent) : null,
      // Who works on the parent works on the children.
      claimedBy: parent?.claimedBy ?? null,
      claimedUntil: parent?.claimedUntil ?? null,
    });
    if (created) return { id: created.id, joined: false };
    const { id } = findUnfinished.get({ kind, target, options })!;
    if (parent?.claimedBy != null)
      adopt.run({ id, at, claimedBy: parent.claimedBy, claimedUntil: parent.claimedUntil });
    return { id, joined: true };
  }

  function end(crawlId: number, at: number, how: CrawlEnd): void {
    finish.run({
      id: crawlId,
      at,
      state: how.state,
      reason: how.reason ?? null,
      ending: how.ending ?? null,
      error: how.error ?? null,
    });
    coverage.close(crawlId, how, at);
  }

  return {
    async open(specs, at, claim) {
      return transact(db, () => {
        const opened = specs.map((spec) => open(spec, at));
        // The newest run takes a claim over: its user is waiting now.
        if (claim) {
          const ids = opened.map(({ id }) => id);
          db.update(crawls)
            .set(claimed(claim))
            .where(and(withFamily(ids), isNull(crawls.finishedAt)))
            .run();
        }
        return opened;
      });
    },

    async lease(crawlId, at) {
      return transact(db, () => takeLease.get({ id: crawlId, at }));
    },

    async commit(page) {
      return transact(db, () => {
        const { crawlId, lease, at, checkpoint, rows } = page;
        const crawl = findHeld.get({ id: crawlId, lease });
        if (!crawl) throw stale(crawlId);
        const { newItems } = pages.storePage(page, crawl.items);
        advance.run({
          id: crawlId,
          lease,
          at,
          ...checkpoint,
          newItems: checkpoint.pages > 0 ? newItems : 0,
          rejected: rows.rejects.length,
          requests: page.requests.length,
        });
        coverage.extend(crawl, page);
        const children = family.admit(crawl, page).map((spec) => open(spec, at, crawl));
        family.add(crawl, children);
        if (page.learnt) facts.learn(page.learnt, at);
        if (page.end) end(crawlId, at, page.end);
        return { newItems, children };
      });
    },

    async handBack(to) {
      transact(db, () => {
        pages.storeRequests(to.crawlId, to.requests);
        const { changes } = giveBack.run({
          id: to.crawlId,
          lease: to.lease,
          at: to.at,
          state: to.state,
          reason: to.reason ?? null,
          error: to.error ?? null,
          resumeAt: to.resumeAt ?? null,
          failures: to.failures,
          requests: to.requests.length,
        });
        if (changes === 0) throw stale(to.crawlId);
      });
    },

    async account(crawlId, requests) {
      transact(db, () => {
        pages.storeRequests(crawlId, requests);
        db.update(crawls)
          .set({ requests: sql`${crawls.requests} + ${requests.length}` })
          .where(eq(crawls.id, crawlId))
          .run();
      });
    },

    async claim(claim) {
      const ours = and(eq(crawls.claimedBy, claim.by), isNull(crawls.finishedAt));
      transact(db, () => void db.update(crawls).set(claimed(claim)).where(ours).run());
    },

    async cancel(crawlIds, at) {
      return transact(db, () => steering.cancel(crawlIds, at));
    },

    async resume(again, at) {
      return transact(db, () => steering.resume(again, at));
    },

    async setSchedule(jobs, at) {
      return transact(db, () => schedule.set(jobs, at));
    },

    async openRun(run) {
      return transact(db, () => schedule.openRun(run));
    },

    async sampleQuota(sample) {
      insertSample.run({
        at: sample.at,
        appLimit: sample.limit,
        remaining: sample.remaining,
        resetAt: sample.resetAt ?? null,
      });
    },
  };
}

const claimed = ({ by, until }: Claim) => ({ claimedBy: by, claimedUntil: until });

const stale = (crawlId: number) =>
  new StaleLeaseError(`crawl ${crawlId} is in other hands now`, {
    hint: 'Another worker took it over, or it has ended.',
  });
