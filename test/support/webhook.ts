import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { onTestFinished } from 'vitest';
import type { Notification } from '#ops/alerts/notification.ts';

/** A receiver of notifications that ends with the test. */
export interface WebhookReceiver {
  /** Its address, with a secret. */
  readonly url: string;
  /** All notifications that arrived, in order, whatever the answer. */
  readonly received: readonly Notification[];
  /** The answers to the next notifications; then 204. */
  answers: { status: number; location?: string }[];
}

export const WEBHOOK_SECRET = 'hook-secret-1234';

export async function startWebhook(): Promise<WebhookReceiver> {
  const received: Notification[] = [];
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      received.push(JSON.parse(body) as Notification);
      const { status, location } = receiver.answers.shift() ?? { status: 204 };
      response.writeHead(status, location === undefined ? {} : { location }).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/${WEBHOOK_SECRET}?token=${WEBHOOK_SECRET}`;
  const receiver: WebhookReceiver = { url, received, answers: [] };
  return receiver;
}
