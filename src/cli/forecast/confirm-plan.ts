import { UsageError } from '../../base/errors.ts';
import type { PlanReport } from '../../library/run/forecast-requests.ts';
import { computeRequestsPerWindow } from '../../service/quota/forecast.ts';
import { askYes, requireTerminal } from '../terminal/ask.ts';
import { hint, printNote } from '../terminal/print.ts';
import { formatForecast } from './format-plan.ts';

/**
 * Asks for a confirmation of crawls that are expected to take more than one quota window, or more than their budget.
 * @throws UsageError without a terminal, or if the answer is no.
 */
export async function confirmPlan(
  report: PlanReport,
  { yes }: { readonly yes?: true },
  signal?: AbortSignal,
): Promise<void> {
  const limit = yes ? undefined : findExceededLimit(report);
  if (limit === undefined) return;
  const plan = formatForecast(report).join('\n  ');
  requireTerminal(
    `this takes more than ${limit}`,
    `${plan}\n  Nothing was started. --yes starts it; ${hint('plan')} prints the whole plan.`,
  );
  printNote(plan);
  if (await askYes('Start?', signal)) return;
  throw new UsageError('nothing was started', { hint: '--max-pages and --since reduce the number of requests.' });
}

/** The limit that the crawls are expected to exceed. */
function findExceededLimit({ totals, outlook, maxRequests }: PlanReport): string | undefined {
  const requests = totals.requests.expected ?? totals.requests.min;
  if (maxRequests !== undefined) return requests > maxRequests ? `--max-requests ${maxRequests}` : undefined;
  return outlook !== undefined && requests > computeRequestsPerWindow(outlook) ? 'one quota window' : undefined;
}
