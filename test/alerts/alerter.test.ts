import { PassThrough } from 'node:stream';
import { expect, onTestFinished, test } from 'vitest';
import { MINUTE, SECOND } from '#base/clock.ts';
import { createLog } from '#base/log.ts';
import { parseJobFile } from '#crawl/jobs/job-file.ts';
import { createScheduleEntry } from '#crawl/jobs/job.ts';
import { type Alerter, createAlerter, createWebhook } from '#ops/alerts/alerter.ts';
import { openStore, type Store } from '#store/store.ts';
import { createManualClock } from '../quota/manual-clock.ts';
import { newStore, pageOf, progressOf, spec } from '../store/support.ts';
import { startWebhook, WEBHOOK_SECRET } from '../support/webhook.ts';

const clock = createManualClock(Date.UTC(2026, 0, 31));

/** A store with the job `nightly`. */
async function storeWithJob(notify = ''): Promise<Store> {
  const store = newStore();
  const { job } = parseJobFile(`every: 1d\nkind: profile\ntargets: [nasa]\n${notify}`, 'nightly');
  await store.write.setSchedule([createScheduleEntry(job!)], clock.now());
  return store;
}

/** A run of the job whose only crawl ends so. */
async function runJob({ write }: Store, end: 'failed' | 'news' | 'empty'): Promise<void> {
  clock.pass(MINUTE);
  const at = clock.now();
  const run = { name: 'nightly', slot: at, at, specs: [spec({ kind: 'profile' })], problem: null };
  const [crawl] = (await write.openScheduledRun(run))!;
  const { leaseToken: lease } = (await write.takeLease(crawl!.id, at))!;
  const failed = { state: 'failed', reason: 'unreachable' } as const;
  const hasNews = end === 'news';
  await write.commitPage(
    pageOf(crawl!.id, lease, at, {
      progress: progressOf({ items: 1 }),
      ...(hasNews
        ? {
            rows: {
              ...pageOf(1, 1, 1).rows,
              users: [{ restId: String(at), detailLevel: 'profile', screenName: 'nasa' }],
            },
          }
        : {}),
      end: end === 'failed' ? failed : { state: 'complete', ending: 'one_page' },
    }),
  );
}

interface Worker extends Alerter {
  readonly log: () => string;
}

function workerOn(store: Store, url: string | undefined, isKeyAccepted?: () => boolean): Worker {
  const stream = new PassThrough();
  const webhook = createWebhook();
  onTestFinished(() => webhook[Symbol.asyncDispose]());
  const alerter = createAlerter({
    store,
    url,
    webhook,
    clock,
    isKeyAccepted,
    log: createLog({ stream }),
  });
  return { ...alerter, log: () => String((stream.read() as Buffer | null) ?? '') };
}

test('a job that fails three times sends one alert, and one when it recovers', async () => {
  const { url, received } = await startWebhook();
  const store = await storeWithJob();
  const worker = workerOn(store, url);
  for (const _ of [1, 2]) {
    await runJob(store, 'failed');
    await worker.check();
  }
  expect(received).toEqual([]);
  await runJob(store, 'failed');
  const at = clock.now();
  for (const _ of [1, 2]) await worker.check();
  await runJob(store, 'failed');
  await worker.check();
  expect(received).toEqual([
    {
      id: `job_failed-nightly-${at}`,
      alert: 'job_failed',
      state: 'firing',
      at: new Date(at).toISOString(),
      message: 'job nightly: the last 3 runs failed (unreachable)',
      job: 'nightly',
      runs: 3,
      reason: 'unreachable',
    },
  ]);
  await runJob(store, 'news');
  for (const _ of [1, 2]) await worker.check();
  expect(received.slice(1)).toMatchObject([
    { alert: 'job_failed', state: 'resolved', message: 'job nightly: a run succeeded again', job: 'nightly' },
  ]);
});

test('a job alerts its own webhook, after its own numbers of runs', async () => {
  const [ours, theirs] = [await startWebhook(), await startWebhook()];
  const store = await storeWithJob(`notify: { url: "${theirs.url}", emptyRuns: 2 }`);
  const worker = workerOn(store, ours.url);
  for (const end of ['empty', 'empty', 'news'] as const) {
    await runJob(store, end);
    await worker.check();
  }
  expect(theirs.received.map(({ alert, state, runs }) => [alert, state, runs])).toEqual([
    ['job_empty', 'firing', 2],
    ['job_empty', 'resolved', undefined],
  ]);
  expect(ours.received).toEqual([]);
});

test('a delivery that fails is repeated with a growing wait, also by another process, and redirects are not followed', async () => {
  const other = await startWebhook();
  const receiver = await startWebhook();
  receiver.answers = [{ status: 503 }, { status: 302, location: other.url }, { status: 429 }];
  const store = await storeWithJob('notify: { failedRuns: 1 }');
  const worker = workerOn(store, receiver.url);
  await runJob(store, 'failed');
  await worker.check();
  await worker.check();
  expect(receiver.received).toHaveLength(1);
  clock.pass(15 * SECOND);
  await worker.check();
  clock.pass(15 * SECOND);
  await worker.check();
  expect(receiver.received).toHaveLength(2);
  await using second = openStore(store.path);
  const restarted = workerOn(second, receiver.url);
  for (const _ of [1, 2, 3, 4]) {
    clock.pass(MINUTE);
    await Promise.all([worker.check(), restarted.check()]);
  }
  expect(receiver.received).toHaveLength(4);
  expect(new Set(receiver.received.map(({ id }) => id)).size, 'the same change').toBe(1);
  expect(other.received).toEqual([]);
  const log = worker.log() + restarted.log();
  expect(log).toContain('it answered 503');
  expect(log).toContain('it redirects (302), which is not followed');
  expect(log).not.toContain(WEBHOOK_SECRET);
  expect(JSON.stringify(receiver.received)).not.toContain(WEBHOOK_SECRET);
});

test('a failure of the network is logged without the address', async () => {
  const store = await storeWithJob('notify: { failedRuns: 1 }');
  const worker = workerOn(store, `http://127.0.0.1:1/${WEBHOOK_SECRET}`);
  await runJob(store, 'failed');
  await worker.check();
  const log = worker.log();
  expect(log).toContain('"problem":"connection refused"');
  expect(log).not.toContain(WEBHOOK_SECRET);
});

test('two workers send a change once', async () => {
  const { url, received } = await startWebhook();
  const store = await storeWithJob('notify: { failedRuns: 1 }');
  await using second = openStore(store.path);
  await runJob(store, 'failed');
  await Promise.all([workerOn(store, url).check(), workerOn(second, url).check()]);
  expect(received).toHaveLength(1);
});

test('an alert that ends before it was sent is not sent', async () => {
  const { url, received } = await startWebhook();
  const store = newStore();
  let isAccepted = false;
  const worker = workerOn(store, url, () => isAccepted);
  await worker.reportRefusedKey();
  isAccepted = true;
  await worker.check();
  expect(received).toEqual([]);
  expect(store.read.alerts()).toEqual([]);
});

test('a refused key is reported once, whatever the number of restarts, and so is its end', async () => {
  const { url, received } = await startWebhook();
  const store = newStore();
  for (const _ of [1, 2, 3]) {
    clock.pass(MINUTE);
    const worker = workerOn(store, url);
    await worker.reportRefusedKey();
    await worker.finish();
  }
  expect(received.map(({ alert, state }) => [alert, state])).toEqual([['key_refused', 'firing']]);
  clock.pass(MINUTE);
  for (const _ of [1, 2]) await workerOn(store, url, () => true).check();
  expect(received.map(({ alert, state }) => [alert, state])).toEqual([
    ['key_refused', 'firing'],
    ['key_refused', 'resolved'],
  ]);
});

test('without a webhook, nothing is stored; a removed job takes its alerts along', async () => {
  const { url } = await startWebhook();
  const store = await storeWithJob('notify: { failedRuns: 1 }');
  await runJob(store, 'failed');
  await workerOn(store, undefined).check();
  expect(store.read.alerts()).toEqual([]);
  await workerOn(store, url).check();
  expect(store.read.alerts()).toMatchObject([{ alert: 'job_failed', subject: 'nightly', nextAttemptAt: null }]);
  await store.write.setSchedule([], clock.now());
  expect(store.read.alerts()).toEqual([]);
});

test('a worker sends a change of its surroundings once, to its own webhook', async () => {
  const { url, received } = await startWebhook();
  const store = newStore();
  const webhook = createWebhook();
  onTestFinished(() => webhook[Symbol.asyncDispose]());
  let isFull = true;
  const evaluateWorker = async () => [
    { alert: 'disk_full', subject: '', isFiring: isFull, details: JSON.stringify({ message: 'the disk' }) } as const,
  ];
  const log = createLog({ level: 'silent' });
  const workers = [1, 2].map(() => createAlerter({ store, url, webhook, evaluateWorker, clock, log }));
  for (const worker of workers) await worker.check();
  isFull = false;
  for (const worker of workers) await worker.check();
  expect(received.map(({ alert, state, message }) => [alert, state, message])).toEqual([
    ['disk_full', 'firing', 'the disk'],
    ['disk_full', 'resolved', 'the disk'],
  ]);
});
