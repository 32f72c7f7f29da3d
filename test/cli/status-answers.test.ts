import { readFileSync } from 'node:fs';
import { expect, onTestFinished, test } from 'vitest';
import { readStatus } from '#analysis/status/read-status.ts';
import type { CrawlAnswer, StoreStatus } from '#analysis/status/status-model.ts';
import { capitalise, toSentence } from '#base/text.ts';
import { formatStatus } from '#cli/status/run.ts';
import { NO_OUTAGE } from '#crawl/gates/outage/breaker-policy.ts';
import type { QueueReading } from '#crawl/queue/queue-snapshot.ts';
import type { CrawlData } from '#dashboard/server/api/crawl.ts';
import type { OverviewData } from '#dashboard/server/api/overview.ts';
import { readOverviewData } from '#dashboard/server/pages/read-overview.ts';
import { openStore, status } from '#index.ts';
import { mapPriorities } from '#service/quota/priorities.ts';
import type { PriorityStatus, QuotaStatus } from '#service/quota/quota-status.ts';
import { openReadOnly } from '#store/sqlite/database.ts';
import { crawlRow, createStoreOf, requestRow } from '../dashboard/store-rows.ts';
import { readJson, SETTINGS, startTestDashboard } from '../dashboard/support.ts';
import { readPage, rowsOf } from '../report/read-page.ts';
import { runJson, runSuccessfully } from '../support/cli.ts';
import { tempFile } from '../support/temp.ts';

type Fields = Parameters<typeof crawlRow>[0];

const NOW = Date.now();
const TARGET = 'nasa';
const paused = (reason: string, more: Fields = {}): Fields => ({ state: 'paused', reason, ...more });
const partial = (reason: string, more: Fields = {}): Fields => ({ state: 'partial', reason, cursor: 'A', ...more });
const failed = (reason: string): Fields => ({ state: 'failed', reason, cursor: 'A' });

/** What every surface says of a crawl, and the command that follows, by its row. */
const CRAWLS: Readonly<Record<string, readonly [Fields, command: string | null]>> = {
  queued: [{}, null],
  running: [{ state: 'running' }, null],
  'paused: waiting for quota': [paused('quota'), null],
  'paused: refused by the service (429)': [paused('refused'), null],
  'paused: the service is unavailable': [paused('outage'), null],
  'paused: waiting for space': [paused('disk'), null],
  'paused: attempt 2 of 8 failed': [paused('retry', { consecutive_failures: 2 }), null],
  'paused: the daily budget is spent': [paused('budget'), null],
  'paused: the service refuses the API key': [paused('unauthorized'), 'work'],
  complete: [{ state: 'complete', ending: 'served' }, null],
  'complete: older items are already stored': [{ state: 'complete', ending: 'joined' }, null],
  'complete: the service confirms that it is deleted': [
    { state: 'complete', reason: 'deleted', ending: 'served' },
    null,
  ],
  'capped: the service shows one page; more may exist': [{ state: 'capped', ending: 'one_page' }, null],
  'capped: the list is shorter than the count of the account explains': [
    { state: 'capped', reason: 'list_cut_short', ending: 'served' },
    null,
  ],
  'partial: page limit reached: more remain': [partial('max_pages'), 'crawls resume'],
  'partial: request budget used up: more remain': [partial('max_requests'), 'crawls resume'],
  'partial: the service said that its response is incomplete': [partial('incomplete_response'), 'crawls resume'],
  'partial: the service sent an unreadable cursor: more may exist': [partial('cursor_unreadable'), 'doctor'],
  'partial: items were rejected': [partial('rejected_items', { ending: 'served' }), 'rejects'],
  'failed: all attempts failed': [failed('unreachable'), 'crawls resume'],
  'failed: the response does not match the interface': [failed('contract_broken'), 'doctor'],
  'failed: the service does not have it': [failed('not_found'), null],
  'cancelled: the account was forgotten, and nothing of it is stored': [{ state: 'cancelled', reason: 'erased' }, null],
  cancelled: [{ state: 'cancelled', cursor: 'A' }, 'crawls resume'],
};

const unwrap = (text: string): string => text.replaceAll(/\s+/g, ' ');

test('command line, --json, dashboard, report and library say the same of a crawl', async () => {
  const entries = Object.entries(CRAWLS);
  const crawls = entries.map(([, [row]], i) => crawlRow({ id: i + 1, target: `${TARGET}${i}`, run_id: 1, ...row }));
  const runs = [{ id: 1, job_name: 'nightly', created_at: NOW }];
  const path = createStoreOf({ runs, crawls });
  const ids = entries.map((_, i) => String(i + 1));
  const listed = await runJson<{ crawls: CrawlAnswer[] }>(['crawls', '--db', path]);
  const answers = new Map(listed.crawls.map((crawl) => [crawl.id, crawl]));
  const explained = (await runSuccessfully(['crawls', 'show', ...ids, '--db', path])).stdout.split('\n\n').map(unwrap);
  const { url } = await startTestDashboard(path);
  await using library = openStore(path);
  const active = new Map((await status({ store: library })).active.map((crawl) => [crawl.id, crawl]));
  const file = tempFile('report.html');
  await runSuccessfully(['report', 'job', 'nightly', '-o', file, '--db', path]);
  const reported = rowsOf(readPage(readFileSync(file, 'utf8')), /^A row is a target/);
  for (const [i, [said, [row, command]]] of entries.entries()) {
    const { sentence, why, ...answer } = answers.get(i + 1)!;
    expect([sentence, answer.command?.replace(/ \d+$/, '') ?? null]).toEqual([said, command]);
    expect(explained[i], said).toContain(why === '' ? answer.state : `: ${why}`);
    const { body } = await readJson<CrawlData>(`${url}/api/crawls/${i + 1}`);
    expect([body.line.state, body.line.reason], said).toEqual([answer.state, why]);
    expect(active.get(i + 1)?.sentence ?? sentence, said).toBe(sentence);
    // The report has the reason of the newest crawl of a target, without its ending and attempts.
    const [, , state, reason = ''] = reported.find(([target]) => target === `${TARGET}${i}`)!;
    const isWhole = (row['ending'] ?? row['consecutive_failures']) === undefined;
    expect([state, isWhole ? reason : why], said).toEqual([answer.state, why]);
  }
  expect(active.size).toBe(8);
}, 120_000);

const FREE: PriorityStatus = {
  headroom: 100,
  spendable: 540,
  reason: undefined,
  pausedSince: undefined,
  pausedUntil: undefined,
};
const quotaOf = (given: Partial<QuotaStatus>, pause: Partial<PriorityStatus> = {}): QuotaStatus => ({
  limit: 1000,
  remaining: 700,
  estimate: 640,
  reserve: 100,
  resetAt: NOW + 60_000,
  sampledAt: NOW - 5000,
  windowMs: undefined,
  limitSource: 'token-info',
  estimatedSince: undefined,
  openReservations: 0,
  priorities: mapPriorities(() => ({ ...FREE, ...pause })),
  ...given,
});
const queueOf = (more: Partial<Exclude<QueueReading, undefined | { problem: string }>> = {}): QueueReading => ({
  description: 'a test',
  counts: { waiting: 3 },
  workers: 1,
  quota: quotaOf({}),
  outage: NO_OUTAGE,
  ...more,
});
const OPEN = { failures: 5, failedProbes: 1, openedAt: NOW - 1500, probeAt: NOW + 5000 };
const OUTAGE = { since: NOW - 3000, why: 'connection refused', failedProbes: 1 };
const isStopped = { spendable: 0, pausedSince: NOW, pausedUntil: NOW + 9000 };
const PAUSED = {
  crawls: ['quota', 'outage', 'unauthorized'].map((reason, i) => crawlRow({ id: i + 1, ...paused(reason) })),
};
const JOB = { name: 'daily', enabled: true, kind: 'followers', schedule: { every: 86_400_000 } };
const DUE = [{ name: 'daily', definition: JSON.stringify(JOB), schedule: '{}', scheduled_at: 1 }];

/** What every surface says of a store, by its rows and its queue. */
const STATES: Readonly<
  Record<string, { rows?: Parameters<typeof createStoreOf>[0]; queue?: QueueReading; minFree?: number }>
> = {
  'no worker is running': {},
  'no worker is running: 1 unfinished crawl waits': { rows: { crawls: [crawlRow({ id: 1 })] } },
  'no worker is running: 1 scheduled job is due': { rows: { _scheduled_jobs: DUE } },
  '2 workers running': { queue: queueOf({ workers: 2 }) },
  '3 workers running, 2 of them on other hosts: b (key-1), c (key-2: low quota, resets in 9 s)': {
    queue: queueOf({
      workers: 3,
      joined: [
        { host: 'b', keyLabel: 'key-1', hold: undefined, pid: 1, version: '1', seenAt: NOW },
        { host: 'c', keyLabel: 'key-2', hold: 'low quota, resets in 9 s', pid: 2, version: '1', seenAt: NOW },
      ],
    }),
  },
  'the number of workers is unknown': { queue: queueOf({ workers: undefined }) },
  'unknown: the queue does not answer: Redis is away': {
    queue: { problem: 'the queue does not answer: Redis is away' },
  },
  'less than the minimum of': { minFree: Number.MAX_SAFE_INTEGER },
  'the service has been unavailable for 3 s, next probe in 5 s: connection refused': {
    queue: queueOf({ outage: { service: OPEN, endpoints: {}, outage: OUTAGE } }),
  },
  "the service's followers has been unavailable for 3 s": {
    rows: PAUSED,
    queue: queueOf({ outage: { ...NO_OUTAGE, endpoints: { followers: OPEN }, outage: OUTAGE } }),
  },
  'has refused the API key (403) for 3 s': {
    queue: queueOf({
      outage: { ...NO_OUTAGE, endpoints: { followers: { ...OPEN, cause: 'forbidden' } }, outage: OUTAGE },
    }),
  },
  '640 of 1,000 requests left, 100 in reserve, resets in 1 min, sampled 5 s ago': { queue: queueOf() },
  '97 of 400 requests left, 40 in reserve, resets in 1 min, sampled 5 s ago': {
    rows: {
      crawls: [crawlRow({ id: 1, state: 'complete' })],
      requests: [1, 2, 3].map((id) => requestRow({ id, crawl_id: 1 })),
      _quota_samples: [
        { sampled_at: NOW - 5000, request_limit: 400, remaining: 100, reset_at: NOW + 60_000, key_hash: 'mine' },
      ],
    },
  },
  'low quota (640 of 1,000 left), resets in 9 s': {
    rows: PAUSED,
    queue: queueOf({ quota: quotaOf({}, { ...isStopped, reason: 'low' }) }),
  },
  'refused by the service (429), resumes in 9 s': {
    queue: queueOf({ quota: quotaOf({}, { ...isStopped, reason: 'refused' }) }),
  },
  'the service refuses the API key': { queue: queueOf({ quota: quotaOf({}, { spendable: 0, reason: 'key_dead' }) }) },
  'token-info does not answer: its last limit applies (20 s)': {
    queue: queueOf({ quota: quotaOf({ limitSource: 'estimated', estimatedSince: NOW - 20_000 }) }),
  },
  'the window of the quota is unknown: one request at a time (20 s)': {
    queue: queueOf({ quota: quotaOf({ limitSource: 'unknown', estimatedSince: NOW - 20_000 }, { spendable: 0 }) }),
  },
};

/** The sentences of a status, and those that the dashboard shows as causes beside times of its own. */
function listSentences({ disk, workers, outage, quota, paused: holds }: StoreStatus) {
  const stops = Object.values(quota.priorities).flatMap(({ hold }) => hold ?? []);
  return {
    sentences: [disk, workers, quota, ...(outage === null ? [] : [outage]), ...holds, ...stops].map(
      (one) => one.sentence,
    ),
    titles: [
      ...(outage === null ? [] : [toSentence(outage.cause)]),
      ...(disk.state === 'low' ? [`${disk.label}: ${disk.sentence}`] : []),
      ...(workers.command === null ? [] : [capitalise(workers.sentence.split(': ')[0]!)]),
      ...holds.map(({ reason, crawls, cause }) =>
        reason === 'unauthorized' ? toSentence(cause) : `${crawls} crawl paused: ${cause}`,
      ),
    ],
    quota: quota.left === null ? null : { left: quota.left, sentence: quota.sentence, priorities: quota.priorities },
  };
}

test.each(Object.entries(STATES))('command line and dashboard say the same: %s', (said, { rows, queue, minFree }) => {
  const path = createStoreOf(rows ?? {});
  const db = openReadOnly(path);
  onTestFinished(() => void db.$client.close());
  const settings = { ...SETTINGS, path, minFree: { bytes: minFree ?? 0 } };
  const answers = readStatus({ db, path, queue, settings, now: NOW });
  const { sentences, titles, quota } = listSentences(answers);
  expect(sentences.join('\n')).toContain(said);
  const terminal = unwrap(formatStatus(answers));
  for (const sentence of sentences.filter((one) => !one.startsWith('token-info'))) expect(terminal).toContain(sentence);
  const context = { db, settings, now: NOW, remember: <T>(_: string, __: number, compute: () => T) => compute() };
  const overview: OverviewData = readOverviewData(context, { parameters: {}, query: {}, queue });
  expect(overview.work).toEqual(answers.workers);
  expect(overview.growth).toMatchObject({ state: answers.disk.state, minFreeBytes: answers.disk.minFreeBytes });
  expect({ ...overview.quota }).toMatchObject(quota ?? {});
  expect(overview.attention.map(({ title }) => title)).toEqual(expect.arrayContaining(titles));
});

test('trawl status --json and the library answer the same', async () => {
  const path = createStoreOf({ ...PAUSED, _scheduled_jobs: DUE });
  await using library = openStore(path);
  const { at: _, rates: __, disk, db, ...answer } = await status({ store: library });
  const document = await runJson<StoreStatus>(['status', '--db', path]);
  const withoutTimes = (value: unknown): unknown =>
    JSON.parse(JSON.stringify(value, (name, each: unknown) => (/At$|^(since|until)$/.test(name) ? undefined : each)));
  expect(withoutTimes(document)).toMatchObject(withoutTimes(answer) as object);
  expect([document.disk.label, document.db.path]).toEqual([disk.label, db.path]);
});
