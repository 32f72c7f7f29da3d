import { systemClock } from '#base/clock.ts';
import { type OpenDb, openReadOnly } from '#store/sqlite/database.ts';
import type { AccountCoverage } from '../analysis/coverage/coverage-model.ts';
import type { StoreStatus } from '../analysis/status/status-model.ts';
import type {
  ChartRequest,
  CoverageRequest,
  FindRequest,
  FoundItems,
  SavedQueryAnswer,
  SavedQueryRequest,
  ReportExportRequest,
  ExportedReport,
  StatusRequest,
} from './answer-types.ts';
import { createConfig } from './create-config.ts';
import { getStoreHandle, withTypedErrors } from './store-handle.ts';
import type { SqlRow, TrawlStore } from './types.ts';

/** The answers of commands, from the same functions. What they need is loaded at the first call. */

/** Calls `read` with a connection that sees one state of the store. */
const withSnapshot = <T>(store: TrawlStore, read: (db: OpenDb, now: number) => T | Promise<T>): Promise<T> =>
  withTypedErrors(async () => {
    using db = openReadOnly(getStoreHandle(store).store.path);
    db.$client.exec('begin');
    return await read(db, systemClock.now());
  });

/**
 * Returns the state of a store, its workers and its quota, as `trawl status --json` does. Sends no request to the service.
 *
 * @throws UsageError if `service` is invalid.
 */
export function status({ store, service, redis }: StatusRequest): Promise<StoreStatus> {
  return withSnapshot(store, async (db, now) => {
    const { readStatus } = await import('#analysis/status/read-status.ts');
    const { createQueueView } = await import('./run/queue-view.ts');
    const { path } = store;
    const settings = createConfig(path, { service, redis });
    await using view = createQueueView({ config: settings, place: path, db });
    return readStatus({ db, path, queue: await view.read(), settings, now });
  });
}

/**
 * Returns how complete the stored lists of an account are, as `trawl coverage` does.
 *
 * @throws UsageError if `account` names no account; TrawlError if the store does not have it.
 */
export function readCoverage({ store, account }: CoverageRequest): Promise<AccountCoverage> {
  return withSnapshot(store, async (db) => {
    const { resolveAccount } = await import('#analysis/resolve-accounts.ts');
    const { prepareAccountCoverage } = await import('#analysis/coverage/account-coverage.ts');
    return prepareAccountCoverage(db)(resolveAccount(db, account, 'coverage').restId)!;
  });
}

/**
 * Searches the stored tweets or accounts, as `trawl find` does.
 *
 * @throws UsageError if the search is too long.
 */
export function find({
  store,
  query,
  in: place = 'tweets',
  limit = 20,
  includeDeleted,
}: FindRequest): Promise<FoundItems> {
  return withSnapshot(store, async (db) => {
    const options = { order: 'relevance', limit, includeHidden: includeDeleted ?? false } as const;
    const { findTweets } = await import('#analysis/find/find-tweets.ts');
    const { findUsers } = await import('#analysis/find/find-users.ts');
    const { listNotes } = await import('#analysis/search/list-notes.ts');
    const tweets = place === 'tweets' ? findTweets(db, query, options) : undefined;
    const accounts = place === 'accounts' ? findUsers(db, query, options) : undefined;
    const ranking = (tweets ?? accounts)!;
    const scope = { isForUsers: place === 'accounts', includeHidden: options.includeHidden };
    return {
      matches: ranking.matched,
      hidden: ranking.hidden,
      tweets: tweets?.results ?? [],
      accounts: accounts?.results ?? [],
      notes: listNotes(db, query, ranking, scope).map(({ text }) => text),
    };
  });
}

/** Runs a saved query with its chart. */
async function runSaved(db: OpenDb, now: number, { name, values = {}, folders }: Omit<SavedQueryRequest, 'store'>) {
  const { readCatalogue } = await import('#analysis/queries/catalogue.ts');
  const { prepareRun } = await import('#analysis/queries/prepare-run.ts');
  const { runSavedQuery } = await import('#analysis/queries/run-saved-query.ts');
  const saved = readCatalogue(folders).read(name);
  const { chart, notes } = prepareRun(db, saved, values, { now });
  return { ...runSavedQuery(db, saved, values, now), chart, notes };
}

/**
 * Runs a saved query, as `trawl query run` does.
 *
 * @throws UsageError if there is no such query, or a value is invalid or missing; TrawlError for a target that was not collected.
 */
export function query({ store, ...request }: SavedQueryRequest): Promise<SavedQueryAnswer> {
  return withSnapshot(store, async (db, now) => {
    const { columns, rows, missing, notes } = await runSaved(db, now, request);
    return {
      rows: rows.map((row): SqlRow => Object.fromEntries(columns.map((column, i) => [column, row[i]!]))),
      notes,
      missing,
    };
  });
}

/**
 * Draws the result of a saved query as SVG, as `trawl query run --format svg` does.
 *
 * @throws UsageError if there is no such query, a value is invalid or the result fits no chart; TrawlError if there is nothing to draw.
 */
export function chart({ store, width, ...request }: ChartRequest): Promise<string> {
  return withSnapshot(store, async (db, now) => {
    const { completeSpec } = await import('#files/chart/data/complete-spec.ts');
    const { drawChart } = await import('#files/chart/draw-chart.ts');
    const { chart: options, ...result } = await runSaved(db, now, request);
    const { data, spec } = completeSpec(result, options);
    return await drawChart(data, spec, { width });
  });
}

/**
 * Writes the report of an account, a search or a job as one page of HTML, and the sidecar `<file>.meta.json` with its figures, as
 * `trawl report` does.
 *
 * @throws UsageError if an argument is invalid; TrawlError if the store does not have the subject, or the file cannot be written.
 */
export function report({ store, ...request }: ReportExportRequest): Promise<ExportedReport> {
  return withTypedErrors(async () => {
    const { subject, target, file, collectors = [], includeDeleted = false, signal } = request;
    const { openSnapshot } = await import('#files/export/snapshot.ts');
    const { REPORT_READERS } = await import('#files/report/read-report.ts');
    const { writeReport } = await import('#files/report/write-report.ts');
    const { readCatalogue } = await import('#analysis/queries/catalogue.ts');
    using snapshot = openSnapshot(getStoreHandle(store).store.path);
    const found = REPORT_READERS[subject](snapshot, target, { catalogue: readCatalogue(), includeDeleted });
    const command = `report(${JSON.stringify(request)})`;
    const { bytes, sha256, dataSha256 } = await writeReport({
      snapshot,
      report: found.report,
      path: file,
      command,
      includeDeleted,
      collectors,
      signal,
    });
    return { file, sidecar: `${file}.meta.json`, bytes, sha256, dataSha256 };
  });
}
