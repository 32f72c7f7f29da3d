import { and, count, eq, type SQL, sql } from 'drizzle-orm';
import { CAPABILITY_MAX_AGE } from '../../service/kinds/kinds.ts';
import { compileUpsert, type Rule, takeObserved } from '../merge/merge-rules.ts';
import type { EndpointFinding, ObservedCursorSupport, PageSize } from '../schema/commit-messages.ts';
import { endpointCapabilities, endpointFindings } from '../schema/tables.ts';
import type { Db } from '../sqlite/database.ts';
import { bound, compileStatement } from '../sqlite/statement.ts';

const { cursorSupport, largestPageItems, largestPageSeenAt } = endpointCapabilities;

const IGNORED = 'cursor ignored';
/** An endpoint ignores cursors if it did so for this many accounts without a success between them. */
const IGNORING_ACCOUNTS = 2;

/** Stores observed properties of endpoints. */
export function prepareEndpointCapabilities(db: Db) {
  const upsert = (rules: Readonly<Record<string, Rule>>, setWhere: SQL) =>
    compileUpsert(db, endpointCapabilities, ['endpoint'], rules, { setWhere });
  const upsertCursor = upsert(
    { cursorSupport: takeObserved, cursorSeenAt: takeObserved },
    sql`excluded.cursor_support = 'ignored' or ${cursorSupport} is not 'followed'`,
  );
  const isCapability = eq(endpointCapabilities.endpoint, bound.endpoint);
  const setAsked = compileStatement(
    db.update(endpointCapabilities).set({ cursorSeenAt: bound.at }).where(isCapability),
  );
  const isFinding = and(eq(endpointFindings.endpoint, bound.endpoint), eq(endpointFindings.finding, bound.finding));
  const removeFinding = compileStatement(db.delete(endpointFindings).where(isFinding));
  const countFindings = compileStatement(db.select({ n: count() }).from(endpointFindings).where(isFinding));
  const upsertFinding = compileUpsert(db, endpointFindings, ['endpoint', 'finding', 'account'], {
    outcome: takeObserved,
    seenAt: takeObserved,
  });
  // Of two concurrent pages, the larger one remains.
  const upsertPage = upsert(
    { largestPageItems: takeObserved, largestPageSeenAt: takeObserved },
    sql`${largestPageItems} is null or excluded.largest_page_items >= ${largestPageItems}
      or excluded.largest_page_seen_at - ${largestPageSeenAt} > ${CAPABILITY_MAX_AGE}`,
  );
  return {
    /** @param size that of a page that is as large as any recent one */
    recordPageSize(size: PageSize, at: number): void {
      upsertPage.run({ endpoint: size.endpoint, largestPageItems: size.entries, largestPageSeenAt: at });
    },
    recordCursorSupport({ endpoint, cursor, account }: ObservedCursorSupport, at: number): void {
      if (cursor === 'asked') return void setAsked.run({ endpoint, at });
      if (cursor === 'followed') removeFinding.run({ endpoint, finding: IGNORED });
      else upsertFinding.run({ endpoint, finding: IGNORED, account, outcome: cursor, seenAt: at });
      const [accounts] = countFindings.get({ endpoint, finding: IGNORED }) as [number];
      if (cursor === 'followed' || accounts >= IGNORING_ACCOUNTS)
        upsertCursor.run({ endpoint, cursorSupport: cursor, cursorSeenAt: at });
    },
    /** Stores what a page shows. A hint that leads on needs no memory, and clears what was learnt of it. */
    recordFinding({ endpoint, finding, account, outcome }: Omit<EndpointFinding, 'seenAt'>, at: number): void {
      if (outcome === 'followed') removeFinding.run({ endpoint, finding });
      else upsertFinding.run({ endpoint, finding, account, outcome, seenAt: at });
    },
  };
}
