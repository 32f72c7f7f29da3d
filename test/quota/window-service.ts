import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';
import { endpointTable as endpoints } from '#service/contract/endpoints.ts';
import { createModelWindow } from './model-window.ts';

export interface WindowService {
  readonly url: string;
  /** When requests were granted, and how many were refused, by key. */
  readonly granted: Readonly<Record<string, number[]>>;
  readonly refused: Readonly<Record<string, number>>;
  /** The number of polls. */
  polls(): number;
  /** Spends one request by another client of the key. */
  spend(): void;
}

/** A service whose only feature is its quota: a sliding or a fixed window, for one key that several clients share. */
export async function serveWindow(options: {
  limit: number;
  windowMs: number;
  sliding: boolean;
}): Promise<WindowService> {
  const granted: Record<string, number[]> = { us: [], others: [] };
  const refused: Record<string, number> = { us: 0, others: 0 };
  const begun = Date.now();
  let polls = 0;
  const window = createModelWindow(options);
  const spend = (who: string, now: number): boolean => {
    const isGranted = window.ask(now - begun) === undefined;
    if (isGranted) granted[who]!.push(now);
    else refused[who]! += 1;
    return isGranted;
  };
  const server = createServer((request, response) => {
    const now = Date.now();
    response.setHeader('content-type', 'application/json');
    if (request.url === endpoints['token-info'].path) {
      polls += 1;
      const remaining = window.remaining(now - begun);
      const reset_at = new Date(begun + window.nextReturn(now - begun)).toISOString();
      response.end(JSON.stringify({ data: { app_limit: options.limit, remaining, reset_at } }));
    } else if (spend('us', now)) response.end('{"data":{}}');
    else response.writeHead(429).end('{}');
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { url, granted, refused, polls: () => polls, spend: () => void spend('others', Date.now()) };
}
