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
  const serve = <T>(
    path: string,
    run: (request: RunRequest, signal: AbortSignal) => Promise<T | undefined>,
    send: (reply: FastifyReply, answer: T) => FastifyReply,
  ) =>
    app.get(path, async (request, reply) => {
      const closed = new AbortController();
      reply.raw.once('close', () => closed.abort());
      const { name } = request.params as { name: string };
      try {
        const answer = await run({ name, query: readQuery(request) }, closed.signal);
        if (answer === undefined) return await refuse(reply, 404, 'there is no such query');
        return await send(reply.header('cache-control', 'no-store'), answer);
      } catch (error) {
        // Nobody is left to answer.
        if (closed.signal.aborted) return reply.hijack();
        throw error;
      }
    });
  serve('/api/queries/:name/result', runs.answer, (reply, json) =>
    reply.type('application/json; charset=utf-8').send(json),
  );
  // The name has letters, digits, - and _, with an extension (`NAME_PATTERN`).
  serve('/api/queries/:name/file', runs.openFile, (reply, { name, contentType, body }) =>
    reply.header('content-disposition', `attachment; filename="${name}"`).type(contentType).send(body),
  );
}
