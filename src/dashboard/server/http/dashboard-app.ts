import type { Readable } from 'node:stream';
import Fastify, { type FastifyError, type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { SECOND } from '#base/clock.ts';
import { describeHint, StoreError, TrawlError, UsageError } from '#base/errors.ts';
import { isOwnHost } from '#base/listen.ts';
import type { Log } from '#base/log.ts';
import { VERSION } from '#base/package-root.ts';
import type { QueueReading } from '#crawl/queue/queue-snapshot.ts';
import { createHintFormat } from '#dashboard/server/reader/format-store-command.ts';
import type { ReadSettings, ReadRequest } from '#dashboard/server/reader/read.ts';
import { type Reader, ReadTimeoutError } from '#dashboard/server/reader/reader-process.ts';
import { READS } from '#dashboard/server/reader/reads.ts';
import type { QueryRuns } from '#dashboard/server/runs/query-runs.ts';
import { QueryLimitError } from '#files/export/query/query-process.ts';
import {
  hasToken,
  isSameOrigin,
  isSameText,
  readCookie,
  SECURITY_HEADERS,
  THEME_COOKIE,
  tokenCookieOf,
} from './access.ts';
import type { ActionTable } from './actions.ts';
import type { Assets } from './assets.ts';
import type { LiveUpdates } from './send-live-updates.ts';

export interface DashboardAppOptions {
  readonly settings: ReadSettings;
  /** The host that the server listens on. */
  readonly host: string;
  /** Further names that requests may be for. */
  readonly allowedHosts?: readonly string[] | undefined;
  /** What a client needs to read and to change. */
  readonly token: string;
  /** The changes that pages may make; undefined for a dashboard that only reads. */
  readonly actions: ActionTable | undefined;
  readonly assets: Assets;
  readonly reader: Pick<Reader, 'read'>;
  readonly runs: QueryRuns;
  readonly live: LiveUpdates;
  readonly readQueue: () => Promise<QueueReading>;
  readonly log: Log;
}

const BODY_LIMIT = 64 * 1024;
const NO_ADDRESS = 'there is no such address';
const WRONG_TOKEN = 'the token is missing or wrong';
const SIGN_IN_HINT =
  'Open the address with the token, which trawl printed when it started; if TRAWL_DASHBOARD_TOKEN sets it, add /?token=<token>.';
const WRONG_HOST = 'this server is not for this name: use an address that it prints, or start it with --allow-host';

/** Creates the server of the dashboard: pages, their files, reads, actions and live updates. */
export function buildDashboardApp(options: DashboardAppOptions): FastifyInstance {
  const { settings, host, allowedHosts, actions, assets, live, log } = options;
  const app = Fastify({
    logger: false,
    bodyLimit: BODY_LIMIT,
    forceCloseConnections: true,
    requestTimeout: 30 * SECOND,
    connectionTimeout: 0,
    frameworkErrors: (_, request, reply) => {
      reply.headers(SECURITY_HEADERS);
      if (isOwnHost(request.headers.host, host, allowedHosts)) refuse(reply, 400, 'the address is malformed');
      else refuse(reply, 421, WRONG_HOST);
    },
  });
  // A form of another site can send a text, and no JSON.
  app.removeContentTypeParser('text/plain');
  app.addHook('onRequest', async (request, reply) => {
    reply.headers(SECURITY_HEADERS);
    const refusal = findRefusal(request, options);
    return refusal && (await refuse(reply, ...refusal));
  });
  addGetRoutes(app, options);
  for (const [path, action] of Object.entries(actions ?? {})) {
    app.post(`/api/actions/${path}`, async (request, reply) => {
      reply.header('cache-control', 'no-store');
      return { result: (await action(request.body)) ?? null };
    });
  }
  app.get('/api/live', (request, reply) => {
    reply.hijack();
    request.socket.setTimeout(0);
    reply.raw.writeHead(200, {
      ...SECURITY_HEADERS,
      'content-type': 'text/event-stream',
      'cache-control': 'no-store',
      'x-accel-buffering': 'no',
    });
    reply.raw.flushHeaders();
    if (request.method === 'HEAD') reply.raw.end();
    else live.add(reply.raw);
  });
  app.get('/assets/*', (request, reply) => assets.send(request, reply) ?? refuse(reply, 404, 'there is no such file'));
  app.get('/api/*', (_, reply) => refuse(reply, 404, NO_ADDRESS));
  app.setNotFoundHandler((_, reply) => refuse(reply, 404, NO_ADDRESS));
  // All other addresses are pages, which the front end distinguishes.
  app.get('/*', (request, reply) => sendPage(request, reply, options));
  app.setErrorHandler<FastifyError>((error, _, reply) => {
    const status = statusOf(error);
    if (status >= 500) log.warn({ error: error.message }, 'dashboard: a request failed');
    const isExpected = error instanceof TrawlError || status < 500;
    const hint = error instanceof TrawlError ? describeHint(error, createHintFormat(settings)) : undefined;
    return refuse(reply, status, isExpected ? error.message : 'a bug of trawl; the log has the cause', hint);
  });
  return app;
}

type Access = Pick<DashboardAppOptions, 'host' | 'allowedHosts' | 'token' | 'actions'>;

/** Returns why a request is refused: its status, message and hint. */
function findRefusal(
  request: FastifyRequest,
  access: Access,
): readonly [status: number, message: string, hint?: string] | undefined {
  const { headers, method, socket, routeOptions } = request;
  const isAuthorised = hasToken(headers, access.token, tokenCookieOf(socket.localPort!));
  if (!isOwnHost(headers.host, access.host, access.allowedHosts)) return [421, WRONG_HOST];
  // Its route: the path of an address may be encoded, as in `/%61pi/`.
  if (routeOptions.url?.startsWith('/api/') && !isSameOrigin(headers))
    return [403, 'requests of other sites are refused'];
  if (method !== 'GET' && method !== 'HEAD') {
    if (!access.actions) return [403, 'this dashboard only reads; `trawl work --dashboard` allows changes'];
    if (!isAuthorised) return [403, WRONG_TOKEN, SIGN_IN_HINT];
  }
  return isAuthorised || isSignIn(request, access) ? undefined : [401, WRONG_TOKEN, SIGN_IN_HINT];
}

/** The address with the token sets the cookie and leads to the page, so that the token is not in its address. */
const isSignIn = (request: FastifyRequest, { token }: Pick<Access, 'token'>): boolean =>
  request.method === 'GET' && isSameText(readValues(request)['token'] ?? '', token);

function sendPage(request: FastifyRequest, reply: FastifyReply, options: DashboardAppOptions): FastifyReply {
  const { settings, token, actions, assets } = options;
  const { headers, socket, url } = request;
  reply.header('cache-control', 'no-store');
  if (isSignIn(request, options)) {
    const cookie = `${tokenCookieOf(socket.localPort!)}=${token}; Path=/; HttpOnly; SameSite=Lax`;
    return reply.header('set-cookie', cookie).redirect(toOwnPath(url), 303);
  }
  const { path, databaseOption } = settings;
  const facts = { store: path.split('/').at(-1)!, version: VERSION, databaseOption };
  const theme = readCookie(headers.cookie, THEME_COOKIE);
  const page = assets.renderPage({ ...facts, isWritable: actions !== undefined, theme });
  return reply.type('text/html; charset=utf-8').send(page);
}

/** The path of an address, without its query. Its first slash is the only one: two would name another host, and so would a backslash. */
const toOwnPath = (url: string): string =>
  `/${new URL(`http://own/${url.replace(/^[/\\]+/, '')}`).pathname.replace(/^[/\\]+/, '')}`;

function statusOf(error: Partial<FastifyError>): number {
  if (error instanceof UsageError) return 400;
  if (error instanceof ReadTimeoutError || error instanceof QueryLimitError) return 504;
  if (error instanceof StoreError || error instanceof TrawlError) return 503;
  return error.statusCode ?? 500;
}

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
function addGetRoutes(app: FastifyInstance, { settings, reader, runs, readQueue }: GetRouteOptions): void {
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

/** Sends why a request is refused, and what to do. */
const refuse = (reply: FastifyReply, status: number, message: string, hint?: string): FastifyReply =>
  reply
    .code(status)
    .header('cache-control', 'no-store')
    .send({ error: message, hint: hint ?? null });

/** The values of a query string. A parameter that is given twice has its last value. */
const readValues = ({ query }: FastifyRequest): Record<string, string> =>
  Object.fromEntries(
    Object.entries(query as Record<string, string | readonly string[]>).map(([name, value]) => [
      name,
      [value].flat().at(-1)!,
    ]),
  );
