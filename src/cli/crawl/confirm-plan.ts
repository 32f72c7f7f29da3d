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
 * Asks before crawls that are planned to take more than a whole window of the quota, or than their budget. What is smaller, or not known, goes
 * on unasked. @throws UsageError when nobody can be asked, or the answer is no.
 */
export async function confirmPlan(planned: PlanReport, words: AskWords, signal: AbortSignal): Promise<void> {
  if (words.yes) return;
  const why = reasonToAsk(planned, words);
  if (why === undefined) return;
  const plan = formatForecast(planned).join('\n  ');
  if (!process.stdin.isTTY || !process.stderr.isTTY) {
    throw new UsageError(`this takes more than ${why}, and there is no terminal to ask on`, {
      hint: `${plan}\n  Nothing was begun. --yes begins it; \`trawl plan\` tells more.`,
    });
  }
  printNote(plan);
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  try {
    const answer = await lines.question('Begin? [y/N] ', { signal });
    if (/^y(es)?$/i.test(answer.trim())) return;
  } finally {
    lines.close();
  }
  throw new UsageError('nothing was begun', { hint: '--max-pages and --since make it smaller.' });
}

/** What the crawls are likely to take more than. */
function reasonToAsk({ plans, outlook }: PlanReport, { maxRequests }: AskWords): string | undefined {
  const { expected, min } = sumRequests(plans);
  const requests = expected ?? min;
  if (maxRequests !== undefined) return requests > maxRequests ? `--max-requests ${maxRequests}` : undefined;
  return outlook !== undefined && requests > computeRequestsPerWindow(outlook) ? 'a window of the quota' : undefined;
}
