import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Clock } from '#base/clock.ts';
import { type Endpoint, endpointTable, extendedTable } from '#service/contract/endpoints.ts';
import { encodeAnswer, type FaultAnswer } from '#twin/faults/definition/fault-row.ts';
import { createFaultInjector, type RequestFaults, type FaultsOptions } from '#twin/faults/fault-injector.ts';
import { CURSOR_PARAMETER, type Parameters, readParameters, targetParameter, endpointOf, sourceOf } from './routes.ts';

export interface FaultLayerOptions extends FaultsOptions {
  readonly clock: Clock;
  /** Whether every list of tweets has cursors. */
  readonly extended: boolean;
  /** Called if the connection ends before the response is complete, for which Fastify has no hook. */
  readonly onBroken: (request: FastifyRequest, reply: FastifyReply) => void;
}

const CHUNK_COUNT = 10;

/**
 * Applies a fault plan to the responses of a twin. Returns a function that gives the applied faults of a request, for
 * the log. Invalid requests are rejected as usual and not counted.
 */
export function addFaults(
  app: FastifyInstance,
  options: FaultLayerOptions,
): (request: FastifyRequest) => readonly string[] {
  const { clock, onBroken } = options;
  const table = options.extended ? extendedTable : endpointTable;
  const injectFaults = createFaultInjector(options);
  const pendingFaults = new WeakMap<FastifyRequest, RequestFaults>();
  const appliedFaults = new WeakMap<FastifyRequest, readonly string[]>();

  app.addHook('preHandler', async (request, reply) => {
    const name = endpointOf(request)?.name;
    const endpoint = name && table[name];
    const parameters = endpoint && request.caller ? parametersOf(request, endpoint) : undefined;
    if (!endpoint || !parameters) return undefined;
    const { [CURSOR_PARAMETER]: cursor, ...others } = parameters;
    const requestFaults = injectFaults({
      endpoint: name,
      key: request.caller!.name,
      target: targetParameter(endpoint, parameters),
      cursor,
      now: clock.now(),
      acceptsGzip: /\bgzip\b/.test(String(request.headers['accept-encoding'] ?? '')),
    });
    pendingFaults.set(request, requestFaults);
    // The onSend hook replaces the payload.
    if (requestFaults.replacement) return reply.send('');
    if (requestFaults.cursor !== cursor) {
      const forwarded =
        requestFaults.cursor === undefined ? others : { ...others, [CURSOR_PARAMETER]: requestFaults.cursor };
      if (request.method === 'POST') request.body = forwarded;
      else request.query = forwarded;
    }
    return undefined;
  });

  app.addHook('onSend', async (request, reply, payload: string | Buffer) => {
    const requestFaults = pendingFaults.get(request);
    if (!requestFaults) return payload;
    pendingFaults.delete(request);
    const answer =
      requestFaults.replacement ??
      requestFaults.changeAnswer({
        status: reply.statusCode,
        headers: headersOf(reply),
        body: JSON.parse(payload.toString()),
      });
    appliedFaults.set(request, answer.appliedFaults);
    if (answer.appliedFaults.length === 0) return payload;

    const closed = new AbortController();
    reply.raw.once('close', () => {
      closed.abort();
      if (answer.cut !== undefined || !reply.raw.writableFinished) onBroken(request, reply);
    });
    reply.code(answer.status);
    for (const name of Object.keys(reply.getHeaders())) reply.removeHeader(name);
    reply.headers(answer.headers);
    const sleep = async (ms: number): Promise<void> => clock.sleep(ms, closed.signal).catch(() => undefined);
    if (answer.delayMs > 0) await sleep(answer.delayMs);
    return createPayload(answer, reply, sleep);
  });

  return (request) => appliedFaults.get(request) ?? [];
}

/** Returns the parameters; undefined if they are invalid, which the handler reports. */
function parametersOf(request: FastifyRequest, endpoint: Endpoint): Parameters | undefined {
  try {
    return readParameters(endpoint, sourceOf(request));
  } catch {
    return undefined;
  }
}

const headersOf = (reply: FastifyReply): Record<string, string> =>
  Object.fromEntries(
    Object.entries(reply.getHeaders())
      .filter(([name]) => name !== 'content-length')
      .map(([name, value]) => [name, String(value)]),
  );

type Sleep = (ms: number) => Promise<void>;

/** Returns the payload: complete, in chunks, or truncated. */
function createPayload(answer: FaultAnswer, reply: FastifyReply, sleep: Sleep): Buffer | Readable {
  const bytes = encodeAnswer(answer);
  if (answer.bodyMs === 0 && answer.cut === undefined) return bytes;
  reply.header('content-length', bytes.length);
  return Readable.from(streamChunks(bytes, answer, reply, sleep));
}

async function* streamChunks(bytes: Buffer, { bodyMs, cut }: FaultAnswer, reply: FastifyReply, sleep: Sleep) {
  if (cut === 'before') return void reply.raw.destroy();
  const end = cut ?? bytes.length;
  const size = bodyMs > 0 ? Math.max(1, Math.ceil(bytes.length / CHUNK_COUNT)) : Math.max(1, end);
  reply.raw.flushHeaders();
  for (let at = 0; at < end; at += size) {
    if (at > 0) await sleep(bodyMs / CHUNK_COUNT);
    yield bytes.subarray(at, Math.min(at + size, end));
  }
  if (cut === undefined) return undefined;
  // Flush the written data first.
  await new Promise(setImmediate);
  reply.raw.destroy();
}
