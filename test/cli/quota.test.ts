import { existsSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { runCli } from '../support/cli.ts';
import { tempDir } from '../support/temp.ts';

/** A service that says this about its quota; the environment to call it with. */
async function serveQuota(data: unknown): Promise<Record<string, string>> {
  const server = createServer((_, response) =>
    response.writeHead(200, { connection: 'close' }).end(JSON.stringify({ data })),
  );
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return { TRAWL_API_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, TRAWL_API_KEY: 'canary-key' };
}

const inFourMinutes = (): string => new Date(Date.now() + 250_500).toISOString();

test('trawl quota shows the remaining quota, its reset and the state of the priorities', async () => {
  const env = await serveQuota({ app_limit: 1000, remaining: 970, reset_at: inFourMinutes() });
  const { code, stdout, stderr } = await runCli('quota', { env });
  expect(stderr).toBe('');
  expect(stdout).toMatch(
    /^limit {6}1,000 requests\nremaining {2}970\nreserve {4}100\nresets {5}in 4 min \d+ s \(.*Z\)\n\n870 requests may be sent before trawl pauses.\nScheduled crawls may send 820 requests of them, backfills 770.\n$/,
  );
  expect(code).toBe(0);
});

test('trawl quota --json is one document, and creates no store', async () => {
  const cwd = tempDir();
  const env = {
    ...(await serveQuota({ app_limit: 10, remaining: 1, reset_at: null })),
    TRAWL_RESERVE: '5',
    TRAWL_DB: 'mine.db',
  };
  const { stdout } = await runCli('quota --json', { env, cwd });
  expect(JSON.parse(stdout)).toMatchObject({
    limit: 10,
    remaining: 1,
    reserve: 5,
    spendable: 0,
    priorities: { interactive: { headroom: 5, spendable: 0 }, scheduled: { headroom: 6 }, backfill: { headroom: 6 } },
    resetAt: null,
    sampledAt: expect.stringMatching(/Z$/),
  });
  expect(existsSync(join(cwd, 'mine.db'))).toBe(false);
  expect((await runCli('quota', { env, cwd })).stdout).toContain('No request may be sent now');
});
