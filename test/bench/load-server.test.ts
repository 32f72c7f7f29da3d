import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { get } from 'node:http';
import { createInterface } from 'node:readline';
import { buffer } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { isDeepStrictEqual } from 'node:util';
import { gunzipSync } from 'node:zlib';
import { expect, it, onTestFinished } from 'vitest';
import { NEXT_CURSOR, type ServerOptions, type ServerReady } from '../../bench/load-service.ts';

const script = fileURLToPath(new URL('../../bench/load-server.ts', import.meta.url));
const options: ServerOptions = {
  targets: 2,
  pagesPerTarget: 4,
  perPage: 100,
  seed: 1,
  latencyMs: 0,
  warmPages: 1,
  changedShare: 0.1,
};

/** Starts a server for the duration of a test. */
async function startServer(more: Partial<ServerOptions> = {}) {
  const command = ['--import', 'tsx', script, JSON.stringify({ ...options, ...more })];
  const child = spawn(process.execPath, command, { stdio: ['pipe', 'pipe', 'inherit'] });
  onTestFinished(async () => {
    child.stdin.end();
    await once(child, 'close');
  });
  const [line] = (await once(createInterface(child.stdout), 'line')) as [string];
  return JSON.parse(line) as ServerReady;
}

/** Fetches a path without the headers that `fetch` adds. */
async function request({ port }: ServerReady, path: string, headers: Record<string, string> = {}) {
  const [response] = await once(get({ port, path, headers, agent: false }), 'response');
  return { headers: response.headers as Record<string, string | undefined>, body: await buffer(response) };
}

const pathOf = (target: string, cursor?: string): string =>
  `/api/microblog/followers?restId=${target}${cursor === undefined ? '' : `&cursor=${cursor}`}`;

interface User {
  readonly rest_id: string;
  readonly followers_count: number;
  readonly description: string;
}

interface Instruction {
  readonly entries: readonly { readonly content: { readonly user: User } }[];
  readonly cursor?: { readonly value: string };
}

const readInstruction = (body: Buffer): Instruction =>
  (JSON.parse(body.toString()) as { data: { followers: { timeline: { instructions: Instruction[] } } } }).data.followers
    .timeline.instructions[0]!;

/** The users of all pages of lists, as served now. */
async function readUsers(server: ServerReady, targets = server.targets): Promise<User[]> {
  const users: User[] = [];
  for (const target of targets) {
    for (let cursor: string | undefined, isFirst = true; isFirst || cursor !== undefined; isFirst = false) {
      const page = readInstruction((await request(server, pathOf(target, cursor))).body);
      users.push(...page.entries.map(({ content }) => content.user));
      cursor = page.cursor?.value;
    }
  }
  return users;
}

it('serves a gzip body of one plain member to clients that accept gzip, and the same page as it is to others', async () => {
  const server = await startServer();
  const path = pathOf(server.targets[0]!);
  const plain = await request(server, path);
  const compressed = await request(server, path, { 'Accept-Encoding': 'deflate, gzip' });
  expect(plain.headers['content-encoding']).toBeUndefined();
  expect(compressed.headers['content-encoding']).toBe('gzip');
  // Deflate, and no flags, so no header fields.
  expect([...compressed.body.subarray(0, 4)]).toEqual([0x1f, 0x8b, 8, 0]);
  expect(gunzipSync(compressed.body)).toEqual(plain.body);
  expect(compressed.headers[NEXT_CURSOR]).toBe(readInstruction(plain.body).cursor!.value);
});

it('serves a second version on which the given share of the users have other values', async () => {
  const server = await startServer();
  const before = await readUsers(server);
  await request(server, '/version/1');
  const after = await readUsers(server);
  await request(server, '/version/0');
  expect(after.map(({ rest_id }) => rest_id)).toEqual(before.map(({ rest_id }) => rest_id));
  const changed = after.flatMap((user, i) => (isDeepStrictEqual(user, before[i]) ? [] : [{ user, old: before[i]! }]));
  expect(changed.length / after.length).toBeGreaterThan(0.05);
  expect(changed.length / after.length).toBeLessThan(0.2);
  for (const { user, old } of changed) {
    expect(user.followers_count).not.toBe(old.followers_count);
    expect(user.description).not.toBe(old.description);
  }
  expect(await readUsers(server)).toEqual(before);
});

it('serves a list of any target if the lists are endless, and a page again', async () => {
  const server = await startServer({ endless: true });
  const [one, other] = [await readUsers(server, ['101']), await readUsers(server, ['102'])];
  const idsOf = (users: readonly User[]): Set<string> => new Set(users.map(({ rest_id }) => rest_id));
  expect([idsOf(one).size, idsOf(other).size]).toEqual([400, 400]);
  expect(idsOf([...one, ...other]).size).toBeGreaterThan(400);
  const first = await request(server, pathOf('103'));
  expect((await request(server, pathOf('103'))).body).toEqual(first.body);
});
