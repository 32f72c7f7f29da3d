import { type SQL, sql } from 'drizzle-orm';
import { CAPABILITY_MAX_AGE } from '#service/kinds/kinds.ts';
import { compileUpsert, type Rule, takeObserved } from '#store/merge/merge-rules.ts';
import type { EndpointFinding, ObservedCursorSupport, PageSize } from '#store/schema/commit-messages.ts';
import { endpointCapabilities, endpointFindings } from '#store/schema/tables.ts';
import type { Db } from '#store/sqlite/database.ts';

const { cursorSupport, largestPageItems, largestPageSeenAt } = endpointCapabilities;

const IGNORED = 'cursor ignored';
/** An endpoint ignores cursors if it did so for this many accounts without a success between them. */
const IGNORING_ACCOUNTS = 2;

/** Stores observed properties of endpoints. */
export function prepareEndpointCapabilities(db: Db) {
  const { $client } = db;
  const upsert = (rules: Readonly<Record<string, Rule>>, setWhere: SQL) =>
    compileUpsert(db, endpointCapabilities, ['endpoint'], rules, { setWhere });
  const upsertCursor = upsert(
    { cursorSupport: takeObserved, cursorSeenAt: takeObserved },
    sql`excluded.cursor_support = 'ignored' or ${cursorSupport} is not 'followed'`,
  );
  const setAsked = $client.prepare<[at: number, endpoint: string]>(
    'update _endpoint_capabilities set cursor_seen_at = ? where endpoint = ?',
  );
  const ofFinding = 'from _endpoint_findings where endpoint = ? and finding = ?';
  const removeFinding = $client.prepare<[endpoint: string, finding: string]>(`delete ${ofFinding}`);
  const countFindings = $client
    .prepare<[endpoint: string, finding: string], number>(`select count(*) ${ofFinding}`)
    .pluck();
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
      if (cursor === 'asked') return void setAsked.run(at, endpoint);
      if (cursor === 'followed') removeFinding.run(endpoint, IGNORED);
      else upsertFinding.run({ endpoint, finding: IGNORED, account, outcome: cursor, seenAt: at });
      if (cursor === 'followed' || countFindings.get(endpoint, IGNORED)! >= IGNORING_ACCOUNTS)
        upsertCursor.run({ endpoint, cursorSupport: cursor, cursorSeenAt: at });
    },
    /** Stores what a page shows. A hint that leads on needs no memory, and clears what was learnt of it. */
    recordFinding({ endpoint, finding, account, outcome }: Omit<EndpointFinding, 'seenAt'>, at: number): void {
      if (outcome === 'followed') removeFinding.run(endpoint, finding);
      else upsertFinding.run({ endpoint, finding, account, outcome, seenAt: at });
    },
  };
}
