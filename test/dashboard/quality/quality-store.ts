import { createStoreOf } from '../store-rows.ts';

const DAY = 86_400_000;
const TODAY = Math.floor(Date.now() / DAY) * DAY;
export const dayBefore = (days: number): string => new Date(TODAY - days * DAY).toISOString().slice(0, 10);

const HOSTILE = `<img src=x onerror=alert(1)>\u202Egnp.exe مرحبا ${'long'.repeat(100)}`;

/**
 * Creates a store whose service stopped sending `tweet.text` to the endpoint user-tweets three days ago, with rejects of two kinds, an
 * unreadable field, drift for five days, and 40 users, of whom the half seen today have no biography.
 */
export function createQualityStore(file?: string): string {
  const statistics = Array.from({ length: 10 }, (_, i) => ({ day: dayBefore(9 - i), isLate: i > 6 }));
  const crawl = {
    kind: 'timeline',
    options: '{}',
    priority: 'interactive',
    state: 'partial',
    reason: 'rejected_items',
  };
  return createStoreOf(
    {
      crawls: [1, 2].map((id) => ({
        ...crawl,
        id,
        target: `account${id}`,
        created_at: TODAY,
        updated_at: TODAY,
        finished_at: TODAY,
      })),
      rejects: Array.from({ length: 30 }, (_, i) => ({
        crawl_id: 1 + (i % 2),
        endpoint: 'user-tweets',
        rejected_at: TODAY - (i % 10) * DAY,
        resolved_at: null,
        path: `/data/tweets/${i}/${i < 20 ? 'id' : 'author/rest_id'}`,
        reason: i < 20 ? 'has no identity: neither id nor rest_id' : `has the wrong type or form: ${HOSTILE}`,
        sample: i === 19 ? HOSTILE : `{"text":"item ${i}"}`,
      })),
      _dropped_fields: [
        {
          crawl_id: 1,
          endpoint: 'user-tweets',
          field: 'tweet.created_at',
          reason: 'has the wrong type or form: number',
          occurrences: 7,
          first_seen_at: TODAY - DAY,
          last_seen_at: TODAY,
          sample: '1762300800',
        },
      ],
      _drift: [
        {
          endpoint: 'user-tweets',
          field: 'tweet.edit_control',
          first_seen_at: TODAY - 4 * DAY,
          last_seen_at: TODAY,
          occurrences: 60,
          sample: HOSTILE,
        },
        {
          endpoint: 'followers',
          field: 'cursor (a number)',
          first_seen_at: TODAY - DAY,
          last_seen_at: TODAY,
          occurrences: 2,
          sample: '17',
        },
      ],
      _field_statistics: [
        ...statistics.flatMap(({ day, isLate }) => [
          {
            endpoint: 'user-tweets',
            day,
            field: 'tweet.text',
            is_drift: 0,
            inspected_count: 400,
            filled_count: isLate ? 0 : 396,
          },
          { endpoint: 'user-tweets', day, field: 'author.name', is_drift: 0, inspected_count: 200, filled_count: 150 },
          { endpoint: 'followers', day, field: 'summary.name', is_drift: 0, inspected_count: 50, filled_count: 50 },
        ]),
        ...statistics.slice(5).map(({ day }, i) => ({
          endpoint: 'user-tweets',
          day,
          field: 'tweet.edit_control',
          is_drift: 1,
          inspected_count: 10 + i,
          filled_count: 10 + i,
        })),
      ],
      users: Array.from({ length: 40 }, (_, i) => ({
        rest_id: String(i + 1),
        screen_name: `user_${i}`,
        description: i < 20 ? 'text' : null,
        has_stale_columns: 0,
        first_seen_at: i < 20 ? TODAY - 2 * DAY : TODAY,
      })),
    },
    file,
  );
}
