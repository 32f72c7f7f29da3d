import type { CrawlEnd } from '#service/kinds/decide-end.ts';
import type { CoverageUpdate, PageCommit, SearchedWindow } from '#store/schema/commit-messages.ts';
import type { CrawlRow } from '#store/schema/crawl-row.ts';
import { steps } from '#store/schema/tables.ts';
import type { Db } from '#store/sqlite/database.ts';
import { compileInsert } from '#store/sqlite/statement.ts';

export type StepRow = typeof steps.$inferSelect;

/** The outcome of a step that its pages do not contain. */
export interface StepOutcome {
  /** The number of pages. */
  readonly pages: number;
  /** The id of the target, if the step found it. */
  readonly targetId?: string | null | undefined;
  readonly covered?: CoverageUpdate | undefined;
  readonly searched?: SearchedWindow | undefined;
  /** The end that the page shows: what is stored may say otherwise, and is read again by whoever replays the step. */
  readonly end?: Omit<CrawlEnd, 'error'> | undefined;
  /** The digest of a list that is no evidence here. */
  readonly listDigest?: string | undefined;
  /** An intervention of a user, without a page. */
  readonly steered?: 'cancelled' | 'resumed' | undefined;
}

const ONE_PAGE: StepOutcome = { pages: 1 };

export const parseStepOutcome = ({ outcome }: Pick<StepRow, 'outcome'>): StepOutcome =>
  outcome === null ? ONE_PAGE : (JSON.parse(outcome) as StepOutcome);

/** The roles of responses in `_steps.response_roles`. */
export const RESPONSE_ROLES = { page: 'p', lookup: 'b', empty: 'n' } as const;

export type Steps = ReturnType<typeof prepareSteps>;

/** Records the steps that a rebuild replays. */
export function prepareSteps(db: Db) {
  const insert = compileInsert(db, steps);
  return {
    /** Records the step of a page. Returns its outcome, as JSON. */
    recordPage(
      crawl: Pick<CrawlRow, 'id' | 'targetRestId'>,
      page: PageCommit,
      stored: {
        readonly rawPageId: number | null;
        readonly requestId: number | null;
        readonly isWithheld: boolean;
        /** The end that the page shows, where the store has decided on another one. */
        readonly shownEnd?: CrawlEnd | undefined;
      },
    ): string | null {
      const { progress, coverage: covered, searchedWindow: searched } = page;
      const end = stored.shownEnd ?? page.end;
      const listDigest = stored.shownEnd && page.listDigest;
      const { pages, targetRestId } = progress;
      const targetId = targetRestId === crawl.targetRestId ? undefined : targetRestId;
      const isPlain = pages === 1 && targetId === undefined && !covered && !searched && !end;
      const kept = end && { state: end.state, reason: end.reason, ending: end.ending };
      const outcome = isPlain
        ? null
        : JSON.stringify({ pages, targetId, covered, searched, end: kept, listDigest } satisfies StepOutcome);
      insert.run({
        crawlId: crawl.id,
        committedAt: page.at,
        responseRoles: rolesIn(page),
        firstRawPageId: stored.rawPageId,
        lastRequestId: stored.requestId,
        outcome,
        withheld: stored.isWithheld ? 'erased' : null,
      });
      return outcome;
    },

    /** Records that a user cancelled or resumed a crawl. */
    recordIntervention(crawlId: number, steered: NonNullable<StepOutcome['steered']>, at: number): void {
      const outcome = JSON.stringify({ pages: 0, steered } satisfies StepOutcome);
      insert.run({ crawlId, committedAt: at, responseRoles: '', outcome });
    },
  };
}

/** Returns a letter for each response of a page, as in `_steps.response_roles`. */
export const rolesIn = ({ endpoints = [], responseIndex, lookups = [] }: PageCommit): string =>
  endpoints
    .map((_, i) => {
      if (i === responseIndex) return RESPONSE_ROLES.page;
      return lookups.some((other) => other.responseIndex === i) ? RESPONSE_ROLES.lookup : RESPONSE_ROLES.empty;
    })
    .join('');
