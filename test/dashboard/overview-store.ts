import { crawlRow, createStoreOf, requestRow } from './store-rows.ts';

const HOSTILE = `<script>document.title = "owned"</script><img src=https://example.org/x onerror=alert(1)>"'&lt; \u202egnp.exe مرحبا ${'w'.repeat(400)}`;

/** Creates a store with everything that the page Overview can show. */
export function createFullStore(file?: string): string {
  const now = Date.now();
  const planned = { planned_requests_min: 1, planned_requests_expected: 40, planned_requests_max: 100 };
  return createStoreOf(
    {
      crawls: [
        crawlRow({ id: 1, state: 'failed', reason: 'unreachable', error: HOSTILE, target: HOSTILE }),
        crawlRow({ id: 2, state: 'paused', reason: 'quota', resume_at: now + 600_000, ...planned, pages: 12 }),
        crawlRow({ id: 3, state: 'running', started_at: now - 90_000, ...planned, pages: 20, requests: 21 }),
        crawlRow({ id: 4, state: 'queued', handle: 'مرحبا', target: 'مرحبا' }),
        crawlRow({ id: 5, state: 'complete', requests: 4 }),
        crawlRow({ id: 6, state: 'partial', reason: 'max_pages', requests: 4 }),
        crawlRow({ id: 7, state: 'capped', kind: 'search', target: '#moon', requests: 1 }),
        crawlRow({ id: 8, state: 'cancelled', requests: 0 }),
      ],
      requests: [
        ...Array.from({ length: 21 }, () => requestRow({ crawl_id: 3 })),
        ...Array.from({ length: 4 }, () => requestRow({ crawl_id: 5, status: 500 })),
        requestRow({ crawl_id: 1 }),
      ],
      _ship_targets: [
        {
          id: 1,
          address: `/lakes/${HOSTILE}`,
          added_at: 1,
          max_backlog_bytes: 1e9,
          shipped_bytes: 0,
          shipped_entry: 3,
        },
        { id: 2, address: '/lakes/2', added_at: now - 5000, max_backlog_bytes: 1e9, shipped_bytes: 4e8 },
      ],
      _ship_outbox: [{ id: 9, recorded_at: now - 9e6, facts: '{}', total_bytes: 4e8 }],
      _quota_samples: Array.from({ length: 40 }, (_, i) => ({
        sampled_at: now - 15e5 + 3e4 * i + (i > 20 ? 2e5 : 0),
        request_limit: 400,
        remaining: 390 - 8 * i,
        reset_at: now + 3e5,
        key_hash: 'mine',
      })),
    },
    file,
  );
}
