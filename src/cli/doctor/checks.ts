import { existsSync } from 'node:fs';
import { countRows } from '../../analysis/count-rows.ts';
import { type JobHistory, prepareJobHistory } from '../../analysis/crawls/job-runs.ts';
import { isLow, readDiskReport } from '../../analysis/disk-report.ts';
import { hasFieldStatistics, type MissingField, findMissingFields } from '../../analysis/quality/missing-fields.ts';
import { groupRejects } from '../../analysis/quality/rejected-items.ts';
import {
  findUnreadableFields,
  findUnusualCursors,
  type UnusualField,
} from '../../analysis/quality/unreadable-fields.ts';
import { createClient } from '../../client/client.ts';
import { systemClock } from '../../clock.ts';
import type { Config } from '../../config.ts';
import { CURSOR_DRIFT } from '../../contract/cursors.ts';
import { describeError } from '../../errors.ts';
import { isEnabled, parseJob } from '../../jobs/job.ts';
import { formatTarget } from '../../kinds/target.ts';
import { labelByHash } from '../../quota/service-key.ts';
import { readSchedule } from '../../store/crawls/schedule.ts';
import { readErasureState } from '../../store/erasure/pending-erasure.ts';
import { crawls, follows, tweets, users } from '../../store/schema/tables.ts';
import { corruptFileError } from '../../store/sqlite/database-errors.ts';
import type { Db } from '../../store/sqlite/database.ts';
import { loadDriver } from '../../store/sqlite/driver.ts';
import { getConfig } from '../context.ts';
import { hint } from '../shared/command-hints.ts';
import { type CommonOptions, EXIT } from '../shared/common-options.ts';
import { toDiskJson, describeDisk } from '../shared/disk-report.ts';
import { readStore } from '../shared/existing-store.ts';
import { formatCount, formatPercent, pluralize } from '../terminal/format.ts';
import { print, printJson } from '../terminal/output.ts';
import { formatDay } from '../terminal/times.ts';
import { checkRedis } from './redis-check.ts';

interface Finding {
  readonly check: string;
  readonly status: 'ok' | 'note' | 'wrong';
  readonly message: string;
  readonly figures?: object;
}

type Check = (config: Config, db: string, before: readonly Finding[]) => Promise<Omit<Finding, 'check'>>;

const ok = (message: string) => ({ status: 'ok', message }) as const;
const note = (message: string) => ({ status: 'note', message }) as const;
const wrong = (error: unknown) =>
  ({ status: 'wrong', message: typeof error === 'string' ? error : describeError(error, hint) }) as const;

const CHECKS: Readonly<Record<string, Check>> = {
  node: async () => {
    const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
    const good = major > 20 || (major === 20 && minor >= 19);
    if (!good) return wrong(`${process.version} is too old: trawl needs 20.19 or newer`);
    loadDriver();
    return ok(process.version);
  },

  service: async ({ apiUrl, apiKey, keyLabel, method }) => {
    if (!apiUrl) return note('TRAWL_API_URL is not set: crawls need it; `trawl demo` and `trawl serve` do not');
    if (!apiKey) return wrong('TRAWL_API_KEY is not set');
    await using client = createClient({ baseUrl: apiUrl, apiKey, method });
    const { remaining, limit } = await client.tokenInfo();
    const label = keyLabel ?? labelByHash({ apiUrl, apiKey });
    return ok(
      `${apiUrl} responds and accepts the key (label ${label}): ${formatCount(remaining)} of ${formatCount(limit)} requests left`,
    );
  },

  database: async (_, db) => {
    if (!existsSync(db)) return note(`${db} does not exist yet: the first crawl creates it`);
    return await readStore(db, (store) => {
      const lines = (store.$client.pragma('quick_check', { simple: true }) as string).split('\n');
      // Lines with *** name the database only.
      const [found = '', ...more] = lines.filter((line) => !line.startsWith('***'));
      if (found !== 'ok')
        return wrong(
          corruptFileError(db, more.length === 0 ? found : `${found}, and ${pluralize(more.length, 'fault')} more`),
        );
      const totals = Object.entries({ users, tweets, follows, crawls }).map(([name, table]) => {
        return `${formatCount(countRows(store, table))} ${name}`;
      });
      return ok(`${db}: ${totals.join(', ')}`);
    });
  },

  fields: async (_, db, before) =>
    await checkStore(db, before, (store) => {
      const missing = findMissingFields(store);
      const cursors = findUnusualCursors(store);
      const broken = cursors.filter(({ field }) => field === CURSOR_DRIFT.unreadable);
      const faults = [...missing.map(describeMissingField), ...broken.map(describeCursor)];
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
    }),

  jobs: async (_, db, before) =>
    await checkStore(db, before, (store) => {
      const readHistory = prepareJobHistory(store);
      const jobs = readSchedule(store)
        .filter((entry) => isEnabled(parseJob(entry)))
        .map(({ name }) => ({ name, ...readHistory(name) }));
      const failing = jobs.filter(({ consecutiveFailures }) => consecutiveFailures >= FAILED_RUNS);
      if (failing.length > 0) {
        const message = failing.map(describeFailingJob).join('; ');
        return failing.some(({ isAllFailed }) => isAllFailed) ? wrong(message) : note(message);
      }
      return jobs.length === 0 ? note('nothing is scheduled') : ok(`${pluralize(jobs.length, 'job')} scheduled`);
    }),

  erasures: async (_, db, before) =>
    await checkStore(db, before, ({ $client }) => {
      const { isUnfinished, onlyFile } = readErasureState(db);
      if (onlyFile > 0) {
        const found = pluralize(onlyFile, 'tombstone');
        return wrong(`${db}.tombstones has ${found} that the database lacks: it is an older copy; ${REPAIR}`);
      }
      if (isUnfinished) return wrong(`an erasure was interrupted: ${REPAIR}`);
      const erasures = $client.prepare<[], number>('select count(*) from _erasures').pluck().get()!;
      return erasures === 0 ? ok('nobody was erased') : ok(`${pluralize(erasures, 'erasure')}, all finished`);
    }),

  redis: async (config, db) => await checkRedis(config, db),

  disk: async (config, db, before) => {
    const now = systemClock.now();
    const disk =
      existsSync(db) && !isUnreadable(before)
        ? await readStore(db, (store) => readDiskReport(db, store, config.minFree, now))
        : readDiskReport(db, undefined, config.minFree, now);
    const isSoon = (disk.daysLeft ?? Infinity) < SOON_DAYS;
    const found = (isLow(disk) ? wrong : isSoon ? note : ok)(describeDisk(disk));
    return { ...found, figures: toDiskJson(disk) };
  },
};

const REPAIR = 'the next command that writes erases the accounts. Stop all processes that use the database first';

const isUnreadable = (before: readonly Finding[]): boolean =>
  before.some(({ check, status }) => check === 'database' && status === 'wrong');

async function checkStore(
  db: string,
  before: readonly Finding[],
  check: (store: Db) => Omit<Finding, 'check'>,
): ReturnType<Check> {
  if (!existsSync(db)) return note('nothing is stored yet');
  return isUnreadable(before) ? note('not checked: the database cannot be read') : await readStore(db, check);
}

/** Runs over the whole database: only with --deep. */
const DEEP_CHECKS: Readonly<Record<string, Check>> = {
  keys: async (_, db, before) =>
    await checkStore(db, before, ({ $client }) => {
      const tables = $client
        .prepare<[], { readonly name: string; readonly parent: string; readonly n: number }>(
          'select "table" as name, parent, count(*) as n from pragma_foreign_key_check group by 1, 2 order by 1, 2',
        )
        .all();
      const faults = tables.map(
        ({ name, parent, n }) => `${pluralize(n, 'row')} of ${name} without a row of ${parent}`,
      );
      return faults.length > 0 ? wrong(`foreign keys: ${faults.join('; ')}`) : ok('every foreign key names a row');
    }),
};

/** Runs all checks, whatever fails, and prints their results. Returns the exit code. */
export async function runChecks(options: CommonOptions & { readonly deep?: true }): Promise<number> {
  const config = getConfig();
  const findings: Finding[] = [];
  for (const [name, check] of Object.entries({ ...CHECKS, ...(options.deep ? DEEP_CHECKS : {}) })) {
    const found = await check(config, options.db, findings).catch(wrong);
    findings.push({ check: name, ...found });
    if (!options.json) print(`${MARKS[found.status]} ${name.padEnd(9)} ${found.message.replaceAll('\n', BELOW)}`);
  }
  if (options.json) printJson({ findings });
  return findings.some(({ status }) => status === 'wrong') ? EXIT.failed : EXIT.complete;
}

/** Room for fewer days than this is a note. */
const SOON_DAYS = 14;

/** The number of consecutive runs with a failure that is reported. */
const FAILED_RUNS = 3;

function describeFailingJob(job: JobHistory & { readonly name: string }): string {
  const { name, consecutiveFailures: n, isAllFailed, failure, runs } = job;
  const times = n >= runs.length ? `all of its last ${n}` : `the last ${n}`;
  const what = failure ? `: crawl ${failure.id}, ${formatTarget(failure)}, ${failure.reason}` : '';
  return `${isAllFailed ? 'every crawl' : 'a crawl'} of job ${name} failed in ${times} runs${what}`;
}

const describeMissingField = ({ endpoint, field, since, was }: MissingField): string =>
  `${endpoint} has not sent ${field} since ${formatDay(since)} (before, ${formatPercent(was)} of items had it)`;

const describeUnreadableField = ({ endpoint, field, lastSeen, sample }: UnusualField): string =>
  `${endpoint} sends ${field} in an unreadable form, last on ${formatDay(lastSeen)}: ${sample.slice(0, 60)}`;

/** Unusual forms of cursors, and what they mean for the lists of their endpoint. */
const CURSOR_FORMS: Readonly<Record<string, readonly [form: string, effect: string]>> = {
  [CURSOR_DRIFT.unreadable]: ['an unreadable cursor', 'its lists are stored up to that cursor, and are not complete'],
  [CURSOR_DRIFT.conflict]: ['two cursors that differ on one page', 'the documented one is followed'],
  [CURSOR_DRIFT.place]: ['its cursor in a place that the interface does not document', 'it is followed'],
  [CURSOR_DRIFT.number]: ['a number as a cursor', 'it is followed'],
  [CURSOR_DRIFT.type]: ['a cursor of an unknown type beside the one of type Bottom', 'it is not followed'],
};

function describeCursor({ endpoint, field, lastSeen, sample }: UnusualField): string {
  const [form = field, effect = ''] = CURSOR_FORMS[field] ?? [];
  return `${endpoint} sends ${form}, last on ${formatDay(lastSeen)}: ${effect} (${sample.slice(0, 120)})`;
}

/** Indents further lines below the first. */
const BELOW = `\n${' '.repeat(10)}`;

const MARKS = { ok: '✓', note: '·', wrong: '✗' } as const;
