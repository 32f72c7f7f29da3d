import { expect, test } from 'vitest';
import { formatForecast } from '#cli/forecast/format-plan.ts';
import type { PlanReport } from '#library/run/forecast-requests.ts';
import type { Estimate } from '#service/kinds/crawl-spec.ts';

const NOW = Date.UTC(2026, 0);

/** The sentences of a plan of requests of a second, one at a time, of which 4 may be sent now, and 16 of 20 in a window. */
function describePlan(requests: Estimate): string[] {
  const totals = { crawls: 20, requests, longest: 1, hasChildren: false };
  const outlook = { limit: 20, remaining: 8, headroom: 4, resetAt: NOW + 30_000, windowMs: 60_000 };
  const report: PlanReport = { totals, outlook, requestMs: 1000, concurrency: 1, now: NOW };
  return formatForecast(report).slice(1);
}

test('a plan says once that its latest finish is unknown, and why', () => {
  // 4 requests now, 16 after 30 s, and 2 after 90 s, of a second each.
  const earliest = 'Earliest finish: in 1 min 32 s (2026-01-01T00:01:32Z)';
  expect(describePlan({ min: 22, expected: null, max: null })).toEqual([
    'Takes at least 3 windows of 16 usable requests each, with at least 2 pauses for quota.',
    `${earliest}; the latest is unknown, because the number of requests is unknown.`,
  ]);
  const why = 'the window may be longer than token-info shows';
  expect(describePlan({ min: 22, expected: 22, max: 22 })).toEqual([
    'Takes 3 windows of 16 usable requests each, with 2 pauses for quota.',
    `${earliest}; the latest is unknown, because ${why}.`,
  ]);
  expect(describePlan({ min: 2, expected: null, max: 4 })).toEqual([
    'Takes at least 1 window of 16 usable requests.',
    'Earliest finish: in 2 s (2026-01-01T00:00:02Z), latest: in 4 s (2026-01-01T00:00:04Z).',
    'A range, because the number of requests is unknown.',
  ]);
});

test('a plan tells the most windows from the requests of a window', () => {
  // 4 requests now, and 160 or 496 in windows of 16.
  expect(describePlan({ min: 164, expected: 164, max: 500 })[0]).toBe(
    'Takes 11 windows of 16 usable requests each, at most 32 windows, with 10 pauses for quota.',
  );
});
