import { expect, test } from 'vitest';
import type { OverviewData } from '#dashboard/server/api/overview.ts';
import type { JobData, JobRun, ScheduleListData } from '#dashboard/server/api/schedules.ts';
import { createStoreFile } from '../../support/store-file.ts';
import { readJson, shareDashboard, startTestDashboard } from '../support.ts';
import { createJobStore, START } from './job-store.ts';

const HOUR = 3_600_000;

const shared = shareDashboard(createJobStore);

test('jobs are listed with those that need attention first, and with what the overview says', async () => {
  const { url } = shared;
  const { body } = await readJson<ScheduleListData>(`${url}/api/schedules`);
  expect(body.jobs.map(({ name }) => name)).toEqual(['failing', 'empty', 'hourly', 'daily', 'disabled']);
  const [failing, empty, , daily, disabled] = body.jobs;
  expect(failing!.attention).toEqual({
    severity: 'error',
    message: 'Job failing: the last 3 runs failed (not_found)',
  });
  expect(empty!.attention).toEqual({ severity: 'warning', message: 'Job empty: the last 10 runs found nothing new' });
  expect(daily).toMatchObject({
    kind: 'recheck tweets',
    targets: 'older than 30d',
    dueAt: null,
    history: [],
    schedule: 'At 06:30, Monday through Friday, Europe/Berlin',
    pattern: '30 6 * * 1-5 Europe/Berlin',
  });
  expect(daily!.nextAt).toHaveLength(3);
  expect(disabled).toMatchObject({ isEnabled: false, dueAt: null, nextAt: [] });

  const { attention } = (await readJson<OverviewData>(`${url}/api/overview`)).body;
  for (const { name, attention: own } of [failing!, empty!])
    expect(attention).toContainEqual(
      expect.objectContaining({ severity: own!.severity, title: own!.message, link: `/schedules/${name}` }),
    );
});

test('a job has its runs with outcomes, yield and duration, and the times that were missed', async () => {
  const { url } = shared;
  const { body } = await readJson<JobData>(`${url}/api/schedules/hourly`);
  const { history, totals } = body.line;
  const outcomes = history.map((entry) => (entry.type === 'run' ? entry.outcome : entry.count));
  expect(outcomes.slice(-5)).toEqual([40, 'partial', 4, 'succeeded', 'succeeded']);
  expect(outcomes.slice(0, -5).at(-1)).toBe('unfinished');
  const partial = history.find((entry): entry is JobRun => entry.type === 'run' && entry.outcome === 'partial')!;
  expect(partial).toMatchObject({
    id: 3,
    crawls: 2,
    requests: 10,
    newItems: 58,
    changes: 2,
    reason: "1 of 2 crawls partial: the service's cursors form a cycle",
  });
  // Its last child crawl ended an hour and a minute after the full hour; the run began a second after it.
  expect(partial.finishedAt! - partial.at).toBe(HOUR + 59_000);
  expect(history.filter(({ type }) => type === 'missed').at(-1)).toMatchObject({
    from: START + 2 * HOUR,
    to: START + 5 * HOUR,
  });
  expect(totals).toEqual({ requests: 22, newItems: 178, changes: 8 });
  const definition = Object.fromEntries(body.definition.map(({ name, value }) => [name, value]));
  expect(definition).toMatchObject({
    Budget: '200 requests a run',
    Options: 'since: 30d',
    Retention: 'bodies are deleted after 30d; tweets are deleted after 180d; stated: until 2031',
    Alerts: expect.stringContaining('sent to https://hooks.example.org'),
  });
  expect(JSON.stringify(body), 'the path of a webhook may be a secret').not.toContain('secret-part');
  expect(JSON.stringify(body)).not.toContain('\u202e');
});

test('a job that is not scheduled is not found, and an empty store has no jobs', async () => {
  const { url } = await startTestDashboard(createStoreFile());
  expect((await readJson<ScheduleListData>(`${url}/api/schedules`)).body.jobs).toEqual([]);
  for (const name of ['nobody', 'constructor', '%2e%2e']) {
    expect(await readJson(`${url}/api/schedules/${name}`), name).toMatchObject({ status: 404 });
  }
});

test('due jobs without a worker need attention, and none while a worker runs', async () => {
  const workers = { description: 'a queue', counts: {}, quota: undefined, outage: undefined };
  const { path } = shared;
  const read = async (n: number) => {
    const { url } = await startTestDashboard(path, { readQueue: async () => ({ ...workers, workers: n }) });
    return (await readJson<OverviewData>(`${url}/api/overview`)).body.attention.find(({ id }) => id === 'worker');
  };
  expect(await read(0)).toMatchObject({
    title: 'No worker is running',
    detail: '1 unfinished crawl waits, 3 scheduled jobs are due',
  });
  expect(await read(1)).toBeUndefined();
});
