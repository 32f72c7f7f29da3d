import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { get } from 'node:http';
import { createInterface } from 'node:readline';
import { buffer } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { ServerOptions, ServerReady } from '../../bench/load-service.ts';

const script = fileURLToPath(new URL('../../bench/load-server.ts', import.meta.url));
const options: ServerOptions = {
  ...{ targets: 2, pagesPerTarget: 4, perPage: 100, seed: 1, latencyMs: 0, warmPages: 1, changedShare: 0.1 },
};

const child = spawn(process.execPath, ['--import', 'tsx', script, JSON.stringify(options)], {
  stdio: ['pipe', 'pipe', 'inherit'],
});
let server: ServerReady;

beforeAll(async () => {
  const [line] = (await once(createInterface(child.stdout), 'line')) as [string];
  server = JSON.parse(line) as ServerReady;
});

afterAll(async () => {
  child.stdin.end();
  await once(child, 'close');
});

/** Fetches a path without the headers that `fetch` adds. */
async function request(path: string, headers: Record<string, string> = {}) {
  const [response] = await once(get({ port: server.port, path, headers, agent: false }), 'response');
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

/** The users of all lists, as served now. */
async function readUsers(): Promise<Map<string, User>> {
  const users = new Map<string, User>();
  for (const target of server.targets) {
    for (let cursor: string | undefined, isFirst = true; isFirst || cursor !== undefined; isFirst = false) {
      const page = readInstruction((await request(pathOf(target, cursor))).body);
      for (const { content } of page.entries) users.set(content.user.rest_id, content.user);
      cursor = page.cursor?.value;
    }
  }
  return users;
}

it('serves a gzip body of one plain member to clients that accept gzip, and the same page as it is to others', async () => {
  const path = pathOf(server.targets[0]!);
  const plain = await request(path);
  const compressed = await request(path, { 'Accept-Encoding': 'deflate, gzip' });
  expect(plain.headers['content-encoding']).toBeUndefined();
  expect(compressed.headers['content-encoding']).toBe('gzip');
  // Deflate, and no flags, so no header fields.
  expect([...compressed.body.subarray(0, 4)]).toEqual([0x1f, 0x8b, 8, 0]);
  expect(gunzipSync(compressed.body)).toEqual(plain.body);
  expect(compressed.headers['x-next-cursor']).toBe(readInstruction(plain.body).cursor!.value);
});

it('serves a second version on which the given share of the users have other values', async () => {
  const before = await readUsers();
  await request('/version/1');
  const after = await readUsers();
  await request('/version/0');
  expect([...after.keys()]).toEqual([...before.keys()]);
  const changed = [...after].filter(([id, user]) => JSON.stringify(user) !== JSON.stringify(before.get(id)));
  expect(changed.length / after.size).toBeGreaterThan(0.05);
  expect(changed.length / after.size).toBeLessThan(0.2);
  for (const [id, { followers_count, description }] of changed) {
    expect(followers_count).not.toBe(before.get(id)!.followers_count);
    expect(description).not.toBe(before.get(id)!.description);
  }
  expect(await readUsers()).toEqual(before);
});
