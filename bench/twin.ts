import { createInterface } from 'node:readline';
import Fastify from 'fastify';
import { load } from './built-trawl.ts';
import { readArguments, report } from './child.ts';

/** Serves a store by the twin, or one response by a bare route. */

export interface TwinArguments {
  readonly dist: string;
  readonly db: string;
  /** The response of the bare route; absent for the twin. */
  readonly page?: string | undefined;
  /** As `TwinOptions.cacheBytes`. */
  readonly cacheBytes?: number | undefined;
}

export interface TwinReady {
  readonly url: string;
  readonly key: string;
}

const run = readArguments<TwinArguments>();

report(await (run.page === undefined ? serveTwin() : serveBare(run.page)));
// A line on stdin is answered with the CPU used so far; the process ends with stdin.
createInterface({ input: process.stdin })
  .on('line', () => {
    const { user, system } = process.cpuUsage();
    report({ cpuMs: (user + system) / 1000 });
  })
  .once('close', () => process.exit());

async function serveTwin(): Promise<TwinReady> {
  const { openDatabase } = await load(run.dist, 'store/sqlite/database.js');
  const { createKey } = await load(run.dist, 'twin/serve/quota/twin-keys.js');
  const { startTwin } = await load(run.dist, 'twin/serve/http/start-twin.js');
  const db = openDatabase(run.db);
  const { key } = createKey(db, { name: 'bench', limit: 1_000_000_000, now: Date.now() });
  db.$client.close();
  const { url } = await startTwin({ file: run.db, pageSize: 100, cacheBytes: run.cacheBytes });
  return { url, key };
}

async function serveBare(page: string): Promise<TwinReady> {
  const body = Buffer.from(page);
  const app = Fastify();
  app.get('/*', async (_request, reply) => reply.type('application/json').send(body));
  return { url: await app.listen({ port: 0, host: '127.0.0.1' }), key: 'none' };
}
