import { placeholders } from '../merge/merge-rules.ts';
import type { Covered, CrawlEnd, CrawlRow, PageCommit, Searched } from '../schema/messages.ts';
import { steps } from '../schema/tables.ts';
import type { Db } from '../sqlite/database.ts';
import { compile } from '../sqlite/statement.ts';
import type { StoredPage } from '../writer/page-writer.ts';

export type StepRow = typeof steps.$inferSelect;

/** What the pages of a step do not say themselves. */
export interface Course {
  /** How many pages it counted. */
  readonly pages: number;
  /** The target's id, where the step found it out. */
  readonly targetId?: string | null | undefined;
  readonly covered?: Covered | undefined;
  readonly searched?: Searched | undefined;
  readonly end?: Omit<CrawlEnd, 'error'> | undefined;
  /** Somebody's word; no page at all. */
  readonly steered?: 'cancelled' | 'resumed' | undefined;
}

const ONE_PAGE: Course = { pages: 1 };

export const courseOf = ({ course }: Pick<StepRow, 'course'>): Course =>
  course === null ? ONE_PAGE : (JSON.parse(course) as Course);

/** What an answer was for, as `steps.answers` says it. */
export const ROLES = { page: 'p', beside: 'b', nothing: 'n' } as const;

/** Keeps the record that a rebuild goes by: a narrow row for each step, a number or two of it beside the bodies. */
export function prepareSteps(db: Db) {
  const insert = compile(
    db,
    db.insert(steps).values(placeholders(steps, ['crawlId', 'at', 'answers', 'rawPageId', 'requestId', 'course'])),
  );
  return {
    record(crawl: Pick<CrawlRow, 'id' | 'targetId'>, page: PageCommit, { rawPageId, requestId }: StoredPage): void {
      const course = spell(crawl, page);
      insert.run({ crawlId: crawl.id, at: page.at, answers: rolesIn(page), rawPageId, requestId, course });
    },

    /** Somebody stopped a crawl, or opened it again. */
    steer(crawlId: number, steered: NonNullable<Course['steered']>, at: number): void {
      insert.run({ crawlId, at, answers: '', course: JSON.stringify({ pages: 0, steered } satisfies Course) });
    },
  };
}

function spell(crawl: Pick<CrawlRow, 'targetId'>, { checkpoint, covered, searched, end }: PageCommit): string | null {
  const { pages, targetId } = checkpoint;
  const isNew = targetId !== crawl.targetId;
  if (pages === 1 && !isNew && !covered && !searched && !end) return null;
  const how = end && { state: end.state, reason: end.reason, ending: end.ending };
  return JSON.stringify({ pages, ...(isNew ? { targetId } : {}), covered, searched, end: how } satisfies Course);
}

const rolesIn = ({ answers = [], answer, beside = [] }: PageCommit): string =>
  answers
    .map((_, i) => {
      if (i === answer) return ROLES.page;
      return beside.some((other) => other.answer === i) ? ROLES.beside : ROLES.nothing;
    })
    .join('');
