import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { endpointTable as endpoints, type EndpointName } from '#service/contract/endpoints.ts';
import { openDatabase } from '#store/sqlite/database.ts';
import { openConnection } from '#store/sqlite/driver.ts';
import { endpointOf } from '#twin/serve/http/routes.ts';
import { buildTwin } from '#twin/serve/http/start-twin.ts';
import { createKey } from '#twin/serve/quota/twin-keys.ts';
import { createWorld } from '#twin/world/create-world.ts';

/** Workers in separate processes share a key of a twin with other clients, the strangers. */
export interface SharedKeyOptions {
  /** The folder of the databases. */
  readonly directory: string;
  /** The path of `trawl`. */
  readonly bin: string;
  readonly limit: number;
  readonly windowMs: number;
  /** The reserve in requests: strangers send at most as many between two polls. */
  readonly reserve: number;
  readonly processes: number;
  /** Concurrent crawls of each process. */
  readonly slots: number;
  /** Duration. */
  readonly windows: number;
  readonly strangersEveryMs: number;
  /** A further window in which token-info answers 503 and the strangers send nothing. */
  readonly hasOutage?: boolean;
}

const SAMPLE_MS = 25;
const STRANGER = 'x-stranger';

/**
 * Runs workers that always have crawls to run. Returns the requests and 429s of workers and strangers, polls of
 * token-info, logged pauses, and the mean share of the quota above the reserve that was spent
 * while token-info answered.
 */
export async function spendSharedKey(options: SharedKeyOptions) {
  const { directory, bin, limit, windowMs, reserve, processes, slots, windows, strangersEveryMs } = options;
  const isOut = (): boolean => first > 0 && Date.now() >= first + windows * windowMs;
  const file = join(directory, 'world.db');
  const db = openDatabase(file);
  await createWorld({ db, users: 400, seed: 7 });
  const { key } = createKey(db, { name: 'shared', limit, windowMs, now: Date.now() });
  const twin = buildTwin({ db, pageSize: 1 });

  const count = { ours: 0, strangers: 0, refused: 0, strangersRefused: 0, polls: 0, pauses: 0 };
  let [first, ended, strangersSincePoll] = [0, false, 0];
  const above: number[] = [];
  let granted: number[] = [];
  let begun = (): void => undefined;
  const beginning = new Promise<void>((resolve) => (begun = resolve));
  const isMetered = (endpoint: EndpointName | undefined): boolean =>
    endpoint !== undefined && endpoints[endpoint].metered;
  twin.addHook('preHandler', async (request, reply) => {
    const endpoint = endpointOf(request)?.name;
    if (!isMetered(endpoint)) {
      if (isOut()) return await reply.code(503).send();
      count.polls += 1;
      strangersSincePoll = 0;
    } else if (!request.headers[STRANGER]) {
      first ||= Date.now();
      begun();
    }
  });
  twin.addHook('onResponse', async (request, reply) => {
    if (!isMetered(endpointOf(request)?.name)) return;
    if (ended) return;
    const isStranger = request.headers[STRANGER] !== undefined;
    const isRefused = reply.statusCode === 429;
    if (!isRefused) granted.push(Date.now());
    if (isStranger) count[isRefused ? 'strangersRefused' : 'strangers'] += 1;
    else count[isRefused ? 'refused' : 'ours'] += 1;
  });
  const url = await twin.listen({ port: 0, host: '127.0.0.1' });

  const env = {
    PATH: process.env['PATH'], // oxlint-disable-line node/no-process-env -- a process needs one
    TRAWL_API_URL: url,
    TRAWL_API_KEY: key,
    TRAWL_RESERVE: String(reserve),
    TRAWL_DB: join(directory, 'mine.db'),
  };
  const trawl = (args: readonly string[]) => {
    const child = spawn(process.execPath, [bin, ...args], { cwd: directory, env, stdio: ['ignore', 'ignore', 'pipe'] });
    createInterface({ input: child.stderr }).on('line', (line) => {
      if (line.includes('"event":"paused"')) count.pauses += 1;
    });
    return { child, exited: once(child, 'close') as Promise<[code: number | null]> };
  };
  const profile = `${url}${endpoints['user-profile'].path}?screenName=nobody`;
  let stranger: NodeJS.Timeout | undefined;
  let sampling: NodeJS.Timeout | undefined;
  const workers: ReturnType<typeof trawl>[] = [];
  try {
    const [code] = await trawl(['enqueue', '--yes', 'followers', ...mostFollowed(file, 4 * processes * slots)]).exited;
    if (code !== 0) throw new Error(`trawl enqueue ended with ${code}`);
    for (let n = 0; n < processes; n += 1) workers.push(trawl(['work', '--concurrency', String(slots)]));
    const failed = Promise.race(workers.map(({ exited }) => exited)).then(() => {
      if (!ended) throw new Error('a worker ended');
    });
    await Promise.race([beginning, failed]);
    const start = first;
    sampling = setInterval(() => {
      if (isOut()) return;
      granted = granted.filter((at) => at > Date.now() - windowMs);
      above.push(Math.max(0, limit - granted.length - reserve));
    }, SAMPLE_MS);
    stranger = setInterval(() => {
      if (strangersSincePoll >= reserve || isOut()) return;
      strangersSincePoll += 1;
      void fetch(profile, { headers: { 'X-API-Key': key, [STRANGER]: '1' } }).then((answer) => answer.text());
    }, strangersEveryMs);
    const end = start + (windows + (options.hasOutage ? 1 : 0)) * windowMs;
    const over = new Promise<void>((resolve) => setTimeout(resolve, end - Date.now()));
    await Promise.race([over, failed]);
    ended = true;
  } finally {
    ended = true;
    clearInterval(stranger);
    clearInterval(sampling);
    for (const { child } of workers) child.kill('SIGTERM');
    await Promise.all(workers.map(({ exited }) => exited));
    twin.server.closeAllConnections();
    await twin.close();
    db.$client.close();
  }
  const unspent = above.reduce((sum, n) => sum + n, 0) / above.length;
  return { ...count, spent: 1 - unspent / (limit - reserve) };
}

/** The accounts with the most followers, as targets: at a follower a page, more work than any window allows. */
function mostFollowed(file: string, most: number): string[] {
  const db = openConnection(file, { readonly: true });
  const query = `select rest_id from follows join users on users.id = followee_id
    group by followee_id order by count(*) desc, rest_id limit ?`;
  const ids = db.prepare(query).pluck().all(most) as string[];
  db.close();
  return ids.map((id) => `id:${id}`);
}
