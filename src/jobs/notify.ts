/** When a job sends alerts, and where to. */
export interface JobNotify {
  /** The webhook; by default that of the worker. */
  readonly url?: string | undefined;
  /** Consecutive runs that failed, and that found nothing new, after which an alert is sent; 0 for never. */
  readonly failedRuns?: number | undefined;
  readonly emptyRuns?: number | undefined;
}

export const DEFAULT_FAILED_RUNS = 3;
export const DEFAULT_EMPTY_RUNS = 10;

/**
 * Parses the address of a webhook. Undefined unless it is http or https, without a user and without a fragment: a
 * password belongs into the path or the query, as webhooks have it.
 */
export function parseWebhookUrl(text: string): string | undefined {
  if (!URL.canParse(text)) return undefined;
  const url = new URL(text);
  const isUsable = ['http:', 'https:'].includes(url.protocol) && !url.username && !url.password && !url.hash;
  return isUsable ? url.href : undefined;
}
