import { createInterface } from 'node:readline/promises';
import { requestsOf } from '../crawl/plan/plan.ts';
import { UsageError } from '../errors.ts';
import { perWindow } from '../quota/forecast.ts';
import { tell } from './common.ts';
import { outlookInWords, type Planned } from './plan-words.ts';

/**
 * Asks before crawls that are planned to take more than a whole window of the quota. What is smaller, or not known, goes
 * on unasked. @throws UsageError when nobody can be asked, or the answer is no.
 */
export async function confirmPlan(
  planned: Planned,
  words: { readonly yes?: true },
  signal: AbortSignal,
): Promise<void> {
  const { outlook } = planned;
  if (words.yes || outlook === undefined) return;
  const { likely, least } = requestsOf(planned.plans);
  if ((likely ?? least) <= perWindow(outlook)) return;
  const plan = outlookInWords(planned).join('\n  ');
  if (!process.stdin.isTTY || !process.stderr.isTTY) {
    throw new UsageError('this takes more than a window of the quota, and there is no terminal to ask on', {
      hint: `${plan}\n  Nothing was begun. --yes begins it; \`trawl plan\` tells more.`,
    });
  }
  tell(plan);
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  try {
    const answer = await lines.question('Begin? [y/N] ', { signal });
    if (/^y(es)?$/i.test(answer.trim())) return;
  } finally {
    lines.close();
  }
  throw new UsageError('nothing was begun', { hint: '--max-pages and --since make it smaller.' });
}
