import { once } from 'node:events';
import { createInterface } from 'node:readline/promises';
import { UsageError } from '../../errors.ts';
import { computeRequestsPerWindow } from '../../quota/estimation/forecast.ts';
import { getContext } from '../context.ts';
import { formatForecast, type PlanReport } from '../plan/plan-report.ts';
import { hint } from '../shared/command-hints.ts';
import { printNote } from '../shared/common-options.ts';

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
  const { stdin, stderr } = getContext().streams;
  if (!stdin.isTTY || !stderr.isTTY) {
    throw new UsageError(`this takes more than ${limit}, and there is no terminal to confirm it on`, {
      hint: `${plan}\n  Nothing was started. --yes starts it; ${hint('plan')} prints the whole plan.`,
    });
  }
  printNote(plan);
  const lines = createInterface({ input: stdin, output: stderr });
  // A terminal in raw mode sends no signal.
  lines.on('SIGINT', () => process.kill(process.pid, 'SIGINT'));
  try {
    const closed = once(lines, 'close').then(() => '');
    const answer = await Promise.race([lines.question('Start? [y/N] ', signal ? { signal } : {}), closed]);
    if (/^y(es)?$/i.test(answer.trim())) return;
  } finally {
    lines.close();
  }
  throw new UsageError('nothing was started', { hint: '--max-pages and --since reduce the number of requests.' });
}

/** The limit that the crawls are expected to exceed. */
function findExceededLimit({ totals, outlook, maxRequests }: PlanReport): string | undefined {
  const requests = totals.requests.expected ?? totals.requests.min;
  if (maxRequests !== undefined) return requests > maxRequests ? `--max-requests ${maxRequests}` : undefined;
  return outlook !== undefined && requests > computeRequestsPerWindow(outlook) ? 'one quota window' : undefined;
}
