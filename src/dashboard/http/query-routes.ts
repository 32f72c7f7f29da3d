import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { QueryRuns, RunRequest } from '../runs/query-runs.ts';

interface QueryRouteOptions {
  readonly runs: QueryRuns;
  /** Returns the values of a query string. */
  readonly readQuery: (request: FastifyRequest) => Readonly<Record<string, string>>;
  readonly refuse: (reply: FastifyReply, status: number, message: string) => FastifyReply;
}

/** Adds the routes that run saved queries: they read only, are bounded, and end with the connection of their client. */
export function addQueryRoutes(app: FastifyInstance, { runs, readQuery, refuse }: QueryRouteOptions): void {
  const serve = (
    path: string,
    run: (request: RunRequest, signal: AbortSignal) => Promise<string | object | undefined>,
  ) =>
    app.get(path, async (request, reply) => {
      const closed = new AbortController();
      reply.raw.once('close', () => closed.abort());
      const { name } = request.params as { name: string };
      try {
        const answer = await run({ name, query: readQuery(request) }, closed.signal);
        if (answer === undefined) return await refuse(reply, 404, 'there is no such query');
        return await reply.header('cache-control', 'no-store').type('application/json; charset=utf-8').send(answer);
      } catch (error) {
        // Nobody is left to answer.
        if (closed.signal.aborted) return reply.hijack();
        throw error;
      }
    });
  serve('/api/queries/:name/result', runs.answer);
  serve('/api/queries/:name/file', runs.writeFile);

  const GONE = 'this file is not kept any more: write it again';
  app.get('/api/query-files/:id/file', (request, reply) => {
    const file = runs.findFile((request.params as { id: string }).id);
    if (!file) return refuse(reply, 404, GONE);
    reply.headers({ ...describeDownload(file.name), 'content-length': file.bytes }).type(file.contentType);
    return reply.send(file.read());
  });
  app.get('/api/query-files/:id/origin', (request, reply) => {
    const file = runs.findFile((request.params as { id: string }).id);
    if (!file) return refuse(reply, 404, GONE);
    return reply
      .headers(describeDownload(`${file.name}.meta.json`))
      .type('application/json; charset=utf-8')
      .send(file.origin);
  });
}

/** The headers of a file to save. @param name letters, digits, - and _, with an extension (`NAME_PATTERN`) */
const describeDownload = (name: string) => ({
  'cache-control': 'no-store',
  'content-disposition': `attachment; filename="${name}"`,
});
