import type { CrawlEnd } from '../../kinds/end-states.ts';
import type { CrawlRow } from '../schema/crawl-row.ts';
import type { CoverageUpdate, PageCommit, SearchedWindow } from '../schema/messages.ts';
import { steps } from '../schema/tables.ts';
import type { Db } from '../sqlite/database.ts';
import { compileStatement, placeholders } from '../sqlite/statement.ts';

export type StepRow = typeof steps.$inferSelect;

/** What the pages of a step do not say themselves. */
export interface StepOutcome {
  /** How many pages it counted. */
  readonly pages: number;
  /** The target's id, where the step found it out. */
  readonly targetId?: string | null | undefined;
  readonly covered?: CoverageUpdate | undefined;
  readonly searched?: SearchedWindow | undefined;
  readonly end?: Omit<CrawlEnd, 'error'> | undefined;
  /** Somebody's word; no page at all. */
  readonly steered?: 'cancelled' | 'resumed' | undefined;
}

const ONE_PAGE: StepOutcome = { pages: 1 };

export const parseStepOutcome = ({ outcome }: Pick<StepRow, 'outcome'>): StepOutcome =>
  outcome === null ? ONE_PAGE : (JSON.parse(outcome) as StepOutcome);

/** What an answer was for, as `_steps.response_roles` says it. */
export const RESPONSE_ROLES = { page: 'p', lookup: 'b', empty: 'n' } as const;

/** Keeps the record that a rebuild goes by: a narrow row for each step, a number or two of it beside the bodies. */
export function prepareSteps(db: Db) {
  const insert = compileStatement(
    db
      .insert(steps)
      .values(
        placeholders(steps, ['crawlId', 'committedAt', 'responseRoles', 'firstRawPageId', 'lastRequestId', 'outcome']),
      ),
  );
  return {
    recordPage(
      crawl: Pick<CrawlRow, 'id' | 'targetRestId'>,
      page: PageCommit,
      stored: { readonly rawPageId: number | null; readonly requestId: number | null },
    ): void {
      insert.run({
        ...{ crawlId: crawl.id, committedAt: page.at, responseRoles: rolesIn(page) },
        firstRawPageId: stored.rawPageId,
        lastRequestId: stored.requestId,
        outcome: spell(crawl, page),
      });
    },

    /** Somebody stopped a crawl, or opened it again. */
    recordIntervention(crawlId: number, steered: NonNullable<StepOutcome['steered']>, at: number): void {
      const outcome = JSON.stringify({ pages: 0, steered } satisfies StepOutcome);
      insert.run({ crawlId, committedAt: at, responseRoles: '', outcome });
    },
  };
}

function spell(
  crawl: Pick<CrawlRow, 'targetRestId'>,
  { progress, coverage, searchedWindow, end }: PageCommit,
): string | null {
  const { pages, targetRestId } = progress;
  const isNew = targetRestId !== crawl.targetRestId;
  if (pages === 1 && !isNew && !coverage && !searchedWindow && !end) return null;
  const how = end && { state: end.state, reason: end.reason, ending: end.ending };
  return JSON.stringify({
    pages,
    ...(isNew ? { targetId: targetRestId } : {}),
    covered: coverage,
    searched: searchedWindow,
    end: how,
  } satisfies StepOutcome);
}

const rolesIn = ({ endpoints = [], responseIndex, lookups = [] }: PageCommit): string =>
  endpoints
    .map((_, i) => {
      if (i === responseIndex) return RESPONSE_ROLES.page;
      return lookups.some((other) => other.responseIndex === i) ? RESPONSE_ROLES.lookup : RESPONSE_ROLES.empty;
    })
    .join('');
