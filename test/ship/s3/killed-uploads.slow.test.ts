import pLimit from 'p-limit';
import { expect, test } from 'vitest';
import { openStore } from '../../../src/store/store.ts';
import { runSuccessfully } from '../../support/cli.ts';
import { choosePoints, killTrawl, listOperations } from '../../support/kills/killed-trawl.ts';
import { tempFile } from '../../support/temp.ts';
import { countFacts } from '../count-facts.ts';
import { addLake, storePages } from '../shipped-store.ts';
import { downloadLake, startS3Server } from './s3-server.ts';

/** `SHIP_KILLS=26 npx vitest run test/ship/s3/killed-uploads` makes 26. */
const KILLS = Number(process.env['SHIP_KILLS'] ?? 3); // oxlint-disable-line node/no-process-env -- a choice of who runs it
const limit = pLimit(2);

const ship = (path: string): string[] => ['lake', 'ship', '--once', '--quiet', '--db', path];

async function addPages(path: string): Promise<void> {
  await using store = openStore(path);
  await storePages(store, '3', 400);
}

test('after a kill at any request, nothing is lost and nothing is twice', async () => {
  const server = await startS3Server();
  const { env } = server;
  let lakes = 0;

  /** A store that has shipped its snapshot to a lake of its own, and has pages after it. */
  async function prepare(): Promise<{ path: string; lake: string }> {
    const [path, lake] = [tempFile('mine.db'), `s3://lake/${(lakes += 1)}`];
    await using store = openStore(path);
    addLake(path, lake);
    await storePages(store, '1', 100);
    await runSuccessfully(ship(path), { env });
    await storePages(store, '1', 300);
    await storePages(store, '2', 200);
    return { path, lake };
  }
  const whole = await prepare();
  const operations = await listOperations(ship(whole.path), env);
  await addPages(whole.path);
  await runSuccessfully(ship(whole.path), { env });
  // The reads at the start, a file of most tables, the record, and statements.
  expect(operations.length).toBeGreaterThan(40);
  const expected = await countFacts(await downloadLake(whole.lake, env));

  const kill = async (point: number): Promise<void> => {
    const { path, lake } = await prepare();
    await killTrawl(ship(path), point, env);
    // The files of the next run have other names: those of the killed one are not overwritten.
    await addPages(path);
    await runSuccessfully(ship(path), { env });
    const found = await countFacts(await downloadLake(lake, env));
    expect(found, `after a kill at operation ${point}: ${operations[point - 1]}`).toEqual(expected);
  };
  const record = [/^before write PUT .*_stores/, /^after write PUT .*_stores/];
  await Promise.all(choosePoints(operations, KILLS, record).map((point) => limit(() => kill(point))));
}, 300_000);
