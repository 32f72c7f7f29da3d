import { spawnSync } from 'node:child_process';
import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openStore } from '../../../src/store/store.ts';
import { startPostgres } from '../../support/postgres.ts';
import { tempFile } from '../../support/temp.ts';
import { storePages } from '../shipped-store.ts';
import { addTarget, countFacts, EDGES, askFacts, edgesOf, readBacklog, shipOnce } from './support.ts';

/** Kills of each kind: `SHIP_KILLS=26 npx vitest run test/ship/postgres` makes 100. */
const KILLS = Number(process.env['SHIP_KILLS'] ?? 3); // oxlint-disable-line node/no-process-env -- a choice of who runs it

/** Ships what waits in a process that ends, or ends the server, at an operation. */
const shipUntil = (path: string, point = 0, victim?: number) =>
  spawnSync(
    process.execPath,
    [
      ...['--import=tsx', join(import.meta.dirname, '../killed-shipping.ts'), path, String(point)],
      ...(victim === undefined ? [] : [String(victim)]),
    ],
    { encoding: 'utf8' },
  );

/** The operations around the commit of the facts, and others at equal distances, from 1. */
function listPoints(operations: readonly string[]): number[] {
  const last = (what: string): number => operations.findLastIndex((each) => each.startsWith(what)) + 1;
  const chosen = [last('after copy'), last('before commit'), last('after commit'), operations.length];
  const others = Math.max(0, KILLS - chosen.length);
  const spread = Array.from({ length: others }, (_, i) => Math.ceil(((i + 1) * operations.length) / (others + 1)));
  return [...new Set([...chosen.slice(0, KILLS), ...spread])];
}

test.each([
  ['the process', 'the snapshot'],
  ['the process', 'entries'],
  ['the server', 'the snapshot'],
  ['the server', 'entries'],
] as const)(
  'after a kill of %s at any operation on %s, nothing is lost and nothing is twice',
  async (victim, what) => {
    const server = await startPostgres();
    const source = tempFile('source.db');
    {
      await using store = openStore(source);
      await storePages(store, '1', 100);
      await storePages(store, '2', 200);
    }
    const prepare = async (schema: string): Promise<string> => {
      const path = tempFile('mine.db');
      copyFileSync(source, path);
      await addTarget(path, `${server.address}?schema=${schema}`);
      if (what === 'entries') {
        await shipOnce(path);
        await using store = openStore(path);
        await storePages(store, '1', 300);
      }
      return path;
    };
    const whole = await prepare('whole');
    const { stdout, stderr } = shipUntil(whole);
    const operations = JSON.parse(stdout || '[]') as string[];
    expect(operations.length, stderr).toBeGreaterThan(10);
    const expected = await countFacts(server, 'whole');
    expect(expected.length).toBeGreaterThan(5);

    for (const point of listPoints(operations)) {
      const schema = `kill_${point}`;
      const path = await prepare(schema);
      const killed = shipUntil(path, point, victim === 'the server' ? server.pid : undefined);
      expect([point, killed.signal]).toEqual([point, victim === 'the process' ? 'SIGKILL' : null]);
      if (victim === 'the server') await server.restart();
      await shipOnce(path);
      expect(await countFacts(server, schema), `after a kill at operation ${point}`).toEqual(expected);
      await using store = openStore(path);
      expect(readBacklog(store)).toBe(0);
      expect(await askFacts(server, EDGES, schema)).toEqual(edgesOf(store));
    }
  },
  600_000,
);
