import { createStoreOf } from '../store-rows.ts';

const HOUR = 3_600_000;
/** The start of the hour two days before. */
export const START = Math.floor(Date.now() / HOUR) * HOUR - 48 * HOUR;
const at = (hours: number): number => START + hours * HOUR;

const HOSTILE = '<img src=x onerror=alert(1)>\u202Egnp.exe';

interface JobOfTest {
  readonly name: string;
  readonly schedule?: object;
  readonly scheduledAt?: number;
  readonly slot?: number | null;
  readonly [key: string]: unknown;
}

const jobRow = ({ name, schedule = { every: HOUR }, scheduledAt = START, slot = null, ...job }: JobOfTest) => ({
  name,
  definition: JSON.stringify({
    name,
    schedule,
    kind: 'timeline',
    targets: { list: ['nasa', 'esa'] },
    priority: 'scheduled',
    options: {},
    ...job,
  }),
  schedule: JSON.stringify(schedule),
  scheduled_at: scheduledAt,
  last_slot_at: slot,
  last_run_at: slot,
  last_run_added: 1,
  last_run_joined: 0,
});

const crawlRow = (id: number, run: number, hours: number, row: object = {}) => ({
  id,
  kind: 'timeline',
  target: `account${id}`,
  options: `{"maxPages":${id}}`,
  priority: 'scheduled',
  run_id: run,
  state: 'complete',
  created_at: at(hours),
  started_at: at(hours),
  updated_at: at(hours) + 6e4,
  finished_at: at(hours) + 6e4,
  requests: 4,
  new_items: 40,
  changes: 2,
  reason: null,
  ...row,
});

/**
 * Creates a store with jobs that began 48 hours ago, at a full hour: `hourly` ran at the hours 0, 1, 6 (partial, with a child
 * crawl) and 47; `failing` failed in its last three runs; `disabled` and `daily` never ran; `empty` found nothing new ten times.
 */
export function createJobStore(file?: string): string {
  const empty = Array.from({ length: 10 }, (_, i) => ({ run: 20 + i, hours: 36 + i }));
  const failing = [1, 2, 3].map((i) => ({ run: 10 + i, hours: 40 + i }));
  return createStoreOf(
    {
      _scheduled_jobs: [
        jobRow({
          name: 'hourly',
          slot: at(47),
          budget: { perRun: 200 },
          options: { since: '30d' },
          retention: 'until 2031',
          retentionLimits: {
            bodies: '30d',
            tweets: '180d',
          },
          notify: {
            url: 'https://hooks.example.org/secret-part',
            failedRuns: 2,
          },
          purpose: HOSTILE,
        }),
        jobRow({ name: 'failing', slot: at(43), targets: { list: [HOSTILE] } }),
        jobRow({ name: 'empty', slot: at(45) }),
        jobRow({ name: 'disabled', enabled: false }),
        jobRow({
          name: 'daily',
          schedule: {
            cron: '30 6 * * 1-5',
            timezone: 'Europe/Berlin',
          },
          scheduledAt: at(72),
          targets: {
            recheck: {
              items: 'tweets',
              olderThan: '30d',
            },
          },
        }),
      ],
      runs: [
        ...[0, 1, 6, 47].map((hours, i) => ({
          id: 1 + i,
          job_name: 'hourly',
          created_at: at(hours) + 1000,
          error: null,
        })),
        ...failing.map(({ run, hours }) => ({
          id: run,
          job_name: 'failing',
          created_at: at(hours) + 1000,
          error: null,
        })),
        ...empty.map(({ run, hours }) => ({ id: run, job_name: 'empty', created_at: at(hours) + 1000, error: null })),
      ],
      crawls: [
        crawlRow(1, 1, 0),
        crawlRow(2, 2, 1),
        crawlRow(3, 3, 6),
        crawlRow(4, 3, 6, { state: 'partial', reason: 'cursor_cycle', new_items: 0, changes: 0 }),
        crawlRow(5, 3, 7, { parent_id: 3, root_id: 3, requests: 2, new_items: 18, changes: 0 }),
        crawlRow(6, 4, 47, { state: 'running', finished_at: null }),
        ...failing.map(({ run, hours }, i) =>
          crawlRow(10 + i, run, hours, { state: 'failed', reason: 'not_found', new_items: 0, changes: 0 }),
        ),
        ...empty.map(({ run, hours }, i) => crawlRow(20 + i, run, hours, { new_items: 0, changes: 0 })),
      ],
      _crawl_tree: [
        { root_id: 3, descendant_id: 3 },
        { root_id: 3, descendant_id: 5 },
      ],
    },
    file,
  );
}
