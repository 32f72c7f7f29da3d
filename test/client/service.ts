import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { onTestFinished } from 'vitest';
import { type Client, type ClientOptions, createClient } from '#service/client/client.ts';

export const CANARY = 'canary-7f3a/+%="key';

export interface ReceivedRequest {
  readonly method: string;
  readonly url: URL;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

/** A service for one test: answers every request by `answer`, and remembers what it was asked. */
export async function serve(
  answer: (response: ServerResponse, requests: ReceivedRequest) => unknown,
): Promise<{ url: string; requests: ReceivedRequest[] }> {
  const requests: ReceivedRequest[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { method = '', url = '', headers } = request;
      const one = { method, url: new URL(url, 'http://service'), headers, body: Buffer.concat(chunks).toString() };
      requests.push(one);
      answer(response, one);
    });
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, requests };
}

/** A client that is closed when the test ends. */
export function clientOf(baseUrl: string, options: Partial<ClientOptions> = {}): Client {
  const client = createClient({ baseUrl, apiKey: CANARY, ...options });
  onTestFinished(() => client.close());
  return client;
}

export const json = (response: ServerResponse, body: unknown): void => {
  response.setHeader('content-type', 'application/json');
  response.end(JSON.stringify(body));
};

/** The same as gzip. */
export const gzipped = (response: ServerResponse, body: unknown): void => {
  response.setHeader('content-type', 'application/json');
  response.setHeader('content-encoding', 'gzip');
  response.end(gzipSync(JSON.stringify(body)));
};

/** The error of a promise that should fail. */
export async function errorOf(promise: Promise<unknown>): Promise<unknown> {
  try {
    await promise;
  } catch (error) {
    return error;
  }
  throw new Error('it should have failed');
}
