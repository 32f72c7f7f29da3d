import { countRows } from '#analysis/count-rows.ts';
import { readDisk } from '#analysis/disk-answer.ts';
import { judgeJobs } from '#analysis/jobs/job-answer.ts';
import { findMissingFields, hasFieldStatistics } from '#analysis/quality/missing-fields.ts';
import { groupRejects } from '#analysis/quality/rejected-items.ts';
import { findUnreadableFields, findUnusualCursors } from '#analysis/quality/unreadable-fields.ts';
import type { DiskAnswer } from '#analysis/status/status-model.ts';
import { describeError } from '#base/errors.ts';
import { pluralize } from '#base/text.ts';
import { isEnabled, parseJob } from '#crawl/jobs/job.ts';
import { readSchedule } from '#store/crawls/stored-schedule.ts';
import { readErasureState } from '#store/erasure/pending-erasure.ts';
import { crawls, follows, tweets, users } from '#store/schema/tables.ts';
import { corruptFileError } from '#store/sqlite/database-errors.ts';
import type { Db } from '#store/sqlite/database.ts';
import type { MinFreeSpace } from '#store/sqlite/disk-space.ts';
import { loadDriver } from '#store/sqlite/driver.ts';
import { describeCursor, describeMissingField, describeUnreadableField, isBrokenCursor } from './describe-fields.ts';

/** What checks of a store need to know. */
export interface StoreCheckContext {
  /** The file of the store, as it was typed. */
  readonly path: string;
  readonly minFree: MinFreeSpace | undefined;
  readonly now: number;
  readonly hint: FormatHint;
}

/** Checks an existing store. It only reads. */
export type StoreCheck = (store: Db, context: StoreCheckContext) => CheckResult;

/** Checks the version of Node and the driver of SQLite. */
export function checkNode(): CheckResult {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  if (major < 20 || (major === 20 && minor < 19))
    return wrong(`${process.version} is too old: trawl needs 20.19 or newer`);
  loadDriver();
  return ok(process.version);
}

/** The checks of an existing store, in order. The others need one that `database` finds in order. */
export const STORE_CHECKS = {
  database(store, { path, hint }) {
    const lines = (store.$client.pragma('quick_check', { simple: true }) as string).split('\n');
    // Lines with *** name the database only.
    const [found = '', ...more] = lines.filter((line) => !line.startsWith('***'));
    const faults = more.length === 0 ? found : `${found}, and ${pluralize(more.length, 'fault')} more`;
    if (found !== 'ok') return failCheck(corruptFileError(path, faults), hint);
    const totals = Object.entries({ user: users, tweet: tweets, follow: follows, crawl: crawls }).map(([name, table]) =>
      pluralize(countRows(store, table), name),
    );
    return ok(`${path}: ${totals.join(', ')}`);
  },

  fields(store, { hint }) {
    const missing = findMissingFields(store);
    const cursors = findUnusualCursors(store);
    const faults = [...missing.map(describeMissingField), ...cursors.filter(isBrokenCursor).map(describeCursor)];
    if (faults.length > 0) return wrong(faults.join('; '));
    const rejects = groupRejects(store).reduce((sum, { items }) => sum + items, 0);
    const notes = [
      ...cursors.map(describeCursor),
      ...findUnreadableFields(store).map(describeUnreadableField),
      ...(rejects > 0 ? [`${pluralize(rejects, 'rejected item')}: see ${hint('rejects')}`] : []),
    ];
    if (notes.length > 0) return note(notes.join('; '));
    return hasFieldStatistics(store)
      ? ok('the service sends the same fields as before')
      : note('no page is stored yet');
  },

  jobs(store) {
    const jobs = readSchedule(store).filter((entry) => isEnabled(parseJob(entry)));
    const found = judgeJobs(store).filter(({ name }) => jobs.some((job) => job.name === name));
    if (found.length > 0) {
      const judge = found.some(({ severity }) => severity === 'error') ? wrong : note;
      return judge(found.map(({ message }) => message).join('; '));
    }
    return jobs.length === 0 ? note('nothing is scheduled') : ok(`${pluralize(jobs.length, 'job')} scheduled`);
  },

  erasures({ $client }, { path }) {
    const { isUnfinished, isDue, onlyFile } = readErasureState(path);
    if (onlyFile > 0) {
      const found = pluralize(onlyFile, 'tombstone');
      return wrong(`${path}.tombstones has ${found} that the database lacks: it is an older copy; ${REPAIR}`);
    }
    if (isUnfinished) return wrong(`an erasure was interrupted: ${REPAIR}`);
    if (isDue) return note('other databases have forgotten accounts: their rows are erased when a worker starts alone');
    const erasures = $client.prepare<[], number>('select count(*) from _erasures').pluck().get()!;
    return erasures === 0 ? ok('no erasures') : ok(`${pluralize(erasures, 'erasure')}, all finished`);
  },

  disk: (store, { path, minFree, now }) => judgeDisk(readDisk(path, store, minFree, now)),
} as const satisfies Readonly<Record<string, StoreCheck>>;

/** Checks that read the whole store. */
export const DEEP_STORE_CHECKS = {
  keys({ $client }) {
    const tables = $client
      .prepare<[], { readonly name: string; readonly parent: string; readonly n: number }>(
        'select "table" as name, parent, count(*) as n from pragma_foreign_key_check group by 1, 2 order by 1, 2',
      )
      .all();
    const faults = tables.map(({ name, parent, n }) => `${pluralize(n, 'row')} of ${name} without a row of ${parent}`);
    return faults.length > 0 ? wrong(`foreign keys: ${faults.join('; ')}`) : ok('every foreign key names a row');
  },
} as const satisfies Readonly<Record<string, StoreCheck>>;

/** Judges the space on the disk, with or without a store. */
export function judgeDisk(disk: DiskAnswer): CheckResult {
  const { freeBytes, minFreeBytes, growthBytesPerDay, daysLeft } = disk;
  const judge = { low: wrong, scarce: note, enough: ok }[disk.state];
  return { ...judge(disk.sentence), figures: { freeBytes, minFreeBytes, growthBytesPerDay, daysLeft } };
}

const REPAIR = 'the next command that writes erases the accounts. Stop all processes that use the database first';

/** The result of a check: in order, to be known, or to be mended. */
export interface CheckResult {
  readonly status: 'ok' | 'note' | 'wrong';
  readonly message: string;
  readonly figures?: object;
}

/** Formats a command of trawl for a message, with the options that it needs. */
type FormatHint = (name: string, args?: string) => string;

export const ok = (message: string): CheckResult => ({ status: 'ok', message });
export const note = (message: string): CheckResult => ({ status: 'note', message });
export const wrong = (message: string): CheckResult => ({ status: 'wrong', message });

/** The result of a check that threw an error. */
export const failCheck = (error: unknown, hint: FormatHint): CheckResult => wrong(describeError(error, hint));
