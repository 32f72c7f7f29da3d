import { Agent, request } from 'undici';
import { SECOND } from '../../base/clock.ts';
import { CONNECT_ERRORS } from '../../base/errors.ts';
import { formatDuration } from '../../base/units.ts';
import type { Notification } from './notification.ts';

export type Webhook = ReturnType<typeof createWebhook>;

const TIMEOUT_MS = 10 * SECOND;

/** Creates a client for webhooks. It follows no redirects, so that the body is sent only to the configured address. */
export function createWebhook() {
  const agent = new Agent({ connect: { timeout: TIMEOUT_MS }, maxResponseSize: 1e6 });
  return {
    /** Sends a notification. Returns undefined if it was accepted (2xx), otherwise the reason, which contains no address. */
    async post(url: string, notification: Notification, signal?: AbortSignal): Promise<string | undefined> {
      const timeout = AbortSignal.timeout(TIMEOUT_MS);
      try {
        const { statusCode, body } = await request(url, {
          method: 'POST',
          dispatcher: agent,
          body: JSON.stringify(notification),
          headers: {
            'content-type': 'application/json',
            'user-agent': 'trawl',
          },
          signal: signal ? AbortSignal.any([signal, timeout]) : timeout,
        });
        await body.dump();
        if (statusCode >= 200 && statusCode < 300) return undefined;
        return statusCode >= 300 && statusCode < 400
          ? `it redirects (${statusCode}), which is not followed`
          : `it answered ${statusCode}`;
      } catch (error) {
        if (timeout.aborted) return `no answer within ${formatDuration(TIMEOUT_MS)}`;
        // The messages of some errors contain the address, which may contain a secret.
        const { code = 'an error without a code' } = error as NodeJS.ErrnoException;
        return CONNECT_ERRORS[code] ?? `the network failed (${code})`;
      }
    },
    [Symbol.asyncDispose]: (): Promise<void> => agent.destroy(),
  };
}
