import { copyFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { openStore } from '../../../src/store/store.ts';
import { choosePoints, killServer, killTrawl, listOperations } from '../../support/kills/killed-trawl.ts';
import { startPostgres } from '../../support/postgres.ts';
import { tempFile } from '../../support/temp.ts';
import { storePages } from '../shipped-store.ts';
import { addTarget, countFacts, EDGES, askFacts, edgesOf, readBacklog, shipOnce } from './support.ts';

/** Kills on each: `SHIP_KILLS=26 npx vitest run test/ship/postgres` makes 52. */
const KILLS = Number(process.env['SHIP_KILLS'] ?? 3); // oxlint-disable-line node/no-process-env -- a choice of who runs it

const ship = (path: string): string[] => ['ship', 'run', '--once', '--quiet', '--db', path];

/** What matters most: whether the transaction is committed. */
const COMMIT = [/^after write .*copy/, /^before write .*commit/, /^after write .*commit/];

test.each([
  ['the snapshot', 0],
  ['entries', 1],
] as const)(
  'after a kill of the process or of the server at any operation on %s, nothing is lost and nothing is twice',
  async (what, parity) => {
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
    const operations = await listOperations(ship(whole));
    expect(operations.length).toBeGreaterThan(20);
    const expected = await countFacts(server, 'whole');
    expect(expected.length).toBeGreaterThan(5);

    for (const [i, point] of choosePoints(operations, KILLS, COMMIT).entries()) {
      const isServer = i % 2 === parity;
      const schema = `kill_${point}`;
      const path = await prepare(schema);
      if (isServer) await killServer(ship(path), point, server.pid);
      else await killTrawl(ship(path), point);
      if (isServer) await server.restart();
      await shipOnce(path);
      expect(await countFacts(server, schema), `after a kill at operation ${point}: ${operations[point - 1]}`).toEqual(
        expected,
      );
      await using store = openStore(path);
      expect(readBacklog(store)).toBe(0);
      expect(await askFacts(server, EDGES, schema)).toEqual(edgesOf(store));
    }
  },
  600_000,
);
