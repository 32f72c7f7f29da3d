import type { Readable } from 'node:stream';
import type { FastifyInstance } from 'fastify';
import type { QueueReading } from '../../../crawl/queue/queue-snapshot.ts';
import type { ReadRequest, ReadSettings } from '../reader/read.ts';
import type { Reader } from '../reader/reader-process.ts';
import { READS } from '../reader/reads.ts';
import type { QueryRuns } from '../runs/query-runs.ts';
import { readValues, refuse } from './replies.ts';

interface GetRouteOptions {
  readonly settings: ReadSettings;
  readonly reader: Pick<Reader, 'read'>;
  readonly runs: QueryRuns;
  readonly readQueue: () => Promise<QueueReading>;
}

interface Answer {
  readonly body: string | Readable;
  readonly contentType: string;
  /** Of a file to download: letters, digits, `-` and `_`, with an extension. */
  readonly name?: string;
}

const toAnswer = (json: string | undefined): Answer | undefined =>
  json === undefined ? undefined : { body: json, contentType: 'application/json; charset=utf-8' };

/** Adds the routes that read the store and run saved queries. They end with the connection of their client. */
export function addGetRoutes(app: FastifyInstance, { settings, reader, runs, readQueue }: GetRouteOptions): void {
  const serve = (
    path: string,
    find: (request: Omit<ReadRequest, 'queue'>, signal: AbortSignal) => Promise<Answer | undefined>,
  ) =>
    app.get(path, async (request, reply) => {
      const closed = new AbortController();
      reply.raw.once('close', () => closed.abort());
      try {
        const parameters = request.params as Record<string, string>;
        const answer = await find({ parameters, query: readValues(request) }, closed.signal);
        if (!answer) return await refuse(reply, 404, 'it is not in the store');
        if (answer.name !== undefined) reply.header('content-disposition', `attachment; filename="${answer.name}"`);
        return await reply.header('cache-control', 'no-store').type(answer.contentType).send(answer.body);
      } catch (error) {
        // Nobody is left to answer.
        if (closed.signal.aborted) return reply.hijack();
        throw error;
      }
    });
  for (const path of Object.keys(READS))
    serve(path, async (request, signal) => {
      const order = { settings, path, request: { ...request, queue: await readQueue() } };
      const { json, file } = await reader.read(order, signal);
      return file ? { body: file.text, contentType: file.mediaType, name: file.name } : toAnswer(json);
    });
  serve('/api/queries/:name/result', async ({ parameters, query }, signal) =>
    toAnswer(await runs.answer({ name: parameters['name']!, query }, signal)),
  );
  serve('/api/queries/:name/file', ({ parameters, query }, signal) =>
    runs.openFile({ name: parameters['name']!, query }, signal),
  );
}
