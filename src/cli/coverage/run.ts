import { prepareAccountCoverage } from '#analysis/coverage/account-coverage.ts';
import { findEmptyLists } from '#analysis/quality/empty-lists.ts';
import { readEvidenceAge } from '#analysis/recheck/evidence-age.ts';
import { resolveAccount } from '#analysis/resolve-accounts.ts';
import { systemClock } from '#base/clock.ts';
import { UsageError } from '#base/errors.ts';
import { listFirst } from '#base/text.ts';
import type { CommonOptions } from '#cli/shared/common-options.ts';
import { decideEvidenceCode, type EvidenceOptions } from '#cli/shared/evidence-options.ts';
import { readStore } from '#cli/shared/existing-store.ts';
import { printPanelNotes } from '#cli/targets/panel-notes.ts';
import { print, printJson, printNote } from '#cli/terminal/print.ts';
import { ACCOUNT_KINDS } from '#service/kinds/crawl-spec.ts';
import { prepareListCoverage } from '#store/coverage/intervals.ts';
import { readPanelMembers } from '#store/panels/panels.ts';
import type { Db } from '#store/sqlite/database.ts';
import { type StoredAccountCoverage, toAccountJson, formatAccountCoverage } from './coverage-report.ts';

interface CoverageOptions extends CommonOptions, EvidenceOptions {
  readonly panel?: string;
}

/**
 * Prints the coverage of an account, or of the members of a panel. Returns the exit code.
 * @throws TrawlError if it is not in the store.
 */
export async function showCoverage(typed: string | undefined, options: CoverageOptions): Promise<number> {
  const { db: path, json, panel } = options;
  const now = systemClock.now();
  if (panel !== undefined) return await showPanelCoverage(panel, typed, options);
  if (typed === undefined) throw new UsageError('no account', { hint: 'Give an account or --panel.' });
  const found = await readStore(path, (db) => {
    const { restId, note } = resolveAccount(db, typed, 'coverage');
    if (note !== undefined) printNote(note);
    return prepareStoredCoverage(db, { ...options, now })(restId)!;
  });
  if (json) printJson(toAccountJson(found));
  else print(formatAccountCoverage(found, now));
  return decideEvidenceCode(options, found.deletions);
}

/** Prints the coverage of the members of a panel that are stored, and names the others. */
async function showPanelCoverage(
  panel: string,
  typed: string | undefined,
  { db: path, json, ...options }: CoverageOptions,
): Promise<number> {
  if (typed !== undefined) throw new UsageError('--panel takes the place of the account');
  const now = systemClock.now();
  const members = await readStore(path, (db) => {
    const readCoverage = prepareStoredCoverage(db, { ...options, now });
    return readPanelMembers(db, panel).map(({ restId }) => ({ restId, found: readCoverage(restId) }));
  });
  await printPanelNotes({ panel, db: path });
  const missing = members.flatMap(({ restId, found }) => (found ? [] : [restId]));
  const accounts = members.flatMap(({ found }) => found ?? []);
  if (members.length === 0) printNote(`the panel ${panel} has no members`);
  const code = decideEvidenceCode(options, ...accounts.map(({ deletions }) => deletions));
  if (json) {
    printJson({ panel, accounts: accounts.map(toAccountJson), notStored: missing });
    return code;
  }
  if (accounts.length > 0) print(accounts.map((found) => formatAccountCoverage(found, now)).join('\n\n\n'));
  if (missing.length > 0)
    printNote(
      `not stored yet: ${listFirst(
        missing.map((id) => `id:${id}`),
        NAMED,
      )}`,
    );
  return code;
}

/** The maximum number of named accounts. */
const NAMED = 5;

/** Prepares reading accounts by id, with the rows behind their coverage. Accounts that are not stored are undefined. */
function prepareStoredCoverage(db: Db, { now, olderThan }: EvidenceOptions & { readonly now: number }) {
  const readCoverage = prepareAccountCoverage(db);
  const rows = prepareListCoverage(db);
  return (restId: string): StoredAccountCoverage | undefined => {
    const coverage = readCoverage(restId);
    if (!coverage) return undefined;
    const lists = { kinds: ACCOUNT_KINDS, targets: [restId, `id:${restId}`] };
    const intervals = rows.intervals(lists);
    const emptyLists = findEmptyLists(db, restId).filter(({ kind }) => !intervals.some((each) => each.kind === kind));
    const deletions = readEvidenceAge(db, { now, olderThan, accountIds: [restId] });
    return { ...coverage, intervals, gaps: rows.gaps(lists), emptyLists, deletions };
  };
}
