import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import { onTestFinished } from 'vitest';

/** What a service answered: a page, or that something does not exist. */
export interface Answer {
  readonly path: string;
  readonly status: number;
  readonly body: Buffer;
}

/**
 * Forwards requests to a service until the test ends, and keeps every answer. Every second one is compressed by gzip, so that
 * bodies are stored both as they arrive and compressed by trawl.
 */
export async function startRecordingProxy(
  service: string,
): Promise<{ readonly url: string; readonly answers: readonly Answer[] }> {
  const answers: Answer[] = [];
  const forward = async (request: IncomingMessage): Promise<Answer> => {
    const path = request.url!;
    const headers: Record<string, string> = {
      ...(request.headers as Record<string, string>),
      'accept-encoding': 'identity',
    };
    for (const name of ['host', 'connection', 'content-length', 'transfer-encoding']) delete headers[name];
    const sent = await buffer(request);
    const { method = 'GET' } = request;
    const response = await fetch(`${service}${path}`, { method, headers, ...(sent.length > 0 ? { body: sent } : {}) });
    return { path, status: response.status, body: Buffer.from(await response.arrayBuffer()) };
  };
  const server = createServer((request, response) => {
    void forward(request).then((answer) => {
      if (!answer.path.includes('token') && [200, 404].includes(answer.status)) answers.push(answer);
      const isGzip = answers.length % 2 === 0;
      response.writeHead(answer.status, {
        'content-type': 'application/json',
        ...(isGzip ? { 'content-encoding': 'gzip' } : {}),
      });
      response.end(isGzip ? gzipSync(answer.body) : answer.body);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, answers };
}
