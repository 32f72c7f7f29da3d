import { describeError, UnauthorizedError, UsageError } from '#base/errors.ts';
import { printNote } from '#cli/terminal/print.ts';
import { type PlanReport, requestOutlook } from '#library/run/forecast-requests.ts';

/** Reads token-info and the quota record of the key. Prints a note if that is impossible. */
export async function readQuota(
  options: Omit<Parameters<typeof requestOutlook>[0], 'service'>,
): Promise<Pick<PlanReport, 'outlook' | 'requestMs'>> {
  const { apiUrl, apiKey } = options.config;
  try {
    if (!apiUrl || !apiKey) throw new UsageError('TRAWL_API_URL or TRAWL_API_KEY is not set');
    return await requestOutlook({ ...options, service: { apiUrl, apiKey } });
  } catch (error) {
    if (error instanceof UnauthorizedError) throw error;
    printNote(`planned without the quota: ${describeError(error)}`);
    return { outlook: undefined, requestMs: await options.facts.meanRequestMs() };
  }
}
