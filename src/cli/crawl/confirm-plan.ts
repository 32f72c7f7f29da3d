import { createInterface } from 'node:readline/promises';
import { UsageError } from '../../errors.ts';
import { sumRequests } from '../../planning/plan.ts';
import { computeRequestsPerWindow } from '../../quota/estimation/forecast.ts';
import { formatForecast, type PlanReport } from '../plan/plan-report.ts';
import type { BudgetOptions } from '../shared/begin-run.ts';
import { printNote } from '../shared/common-options.ts';

interface AskWords extends BudgetOptions {
  readonly yes?: true;
}

/**
 * Asks for a confirmation of crawls that are expected to take more than one quota window, or more than their budget.
 * @throws UsageError without a terminal, or if the answer is no.
 */
export async function confirmPlan(planned: PlanReport, words: AskWords, signal: AbortSignal): Promise<void> {
  if (words.yes) return;
  const why = reasonToAsk(planned, words);
  if (why === undefined) return;
  const plan = formatForecast(planned).join('\n  ');
  if (!process.stdin.isTTY || !process.stderr.isTTY) {
    throw new UsageError(`this takes more than ${why}, and there is no terminal to confirm it on`, {
      hint: `${plan}\n  Nothing was started. --yes starts it; \`trawl plan\` prints the whole plan.`,
    });
  }
  printNote(plan);
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  try {
    const answer = await lines.question('Start? [y/N] ', { signal });
    if (/^y(es)?$/i.test(answer.trim())) return;
  } finally {
    lines.close();
  }
  throw new UsageError('nothing was started', { hint: '--max-pages and --since reduce the number of requests.' });
}

/** The limit that the crawls are expected to exceed. */
function reasonToAsk({ plans, outlook }: PlanReport, { maxRequests }: AskWords): string | undefined {
  const { expected, min } = sumRequests(plans);
  const requests = expected ?? min;
  if (maxRequests !== undefined) return requests > maxRequests ? `--max-requests ${maxRequests}` : undefined;
  return outlook !== undefined && requests > computeRequestsPerWindow(outlook) ? 'one quota window' : undefined;
}
