/** When a job sends alerts, and the webhook that receives them. */
export interface JobNotify {
  /** The webhook; by default, that of the worker. */
  readonly url?: string | undefined;
  /** The number of consecutive failed runs after which an alert begins; 0: never. */
  readonly failedRuns?: number | undefined;
  /** The number of consecutive runs without anything new after which an alert begins; 0: never. */
  readonly emptyRuns?: number | undefined;
}

export const DEFAULT_FAILED_RUNS = 3;
export const DEFAULT_EMPTY_RUNS = 10;

/**
 * Parses the URL of a webhook. Returns undefined unless it is http or https, without user, password and fragment: a secret
 * belongs in the path or the query, as is usual for webhooks.
 */
export function parseWebhookUrl(text: string): string | undefined {
  if (!URL.canParse(text)) return undefined;
  const url = new URL(text);
  const isUsable = ['http:', 'https:'].includes(url.protocol) && !url.username && !url.password && !url.hash;
  return isUsable ? url.href : undefined;
}
