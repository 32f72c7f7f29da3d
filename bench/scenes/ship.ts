import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { openConnection } from '../../src/store/sqlite/driver.ts';
import type { GrowthArguments, GrowthMark, GrowthSample } from '../growth.ts';
import { spread, type Spread } from '../interleave.ts';
import { measureLake } from '../lake-files.ts';
import { measureCommand, type Service, startProgram, startService } from '../processes.ts';
import type { CommandUsage } from '../report-cpu.ts';
import { formatNumber, type Scene, type Setting, withDatabase } from '../scene.ts';

/**
 * Shipping beside a crawl: what the pages cost with and without targets, what `trawl ship run` costs per edge (with its account)
 * for each target, its memory as the number of edges grows, and how far PostgreSQL is behind at full pace.
 *
 *     BENCH_POSTGRES=postgres://… npm run bench -- --only ship
 */

const FULL = { first: 1_000_000, last: 5_000_000, lag: 500_000 };
const QUICK = { first: 12_800, last: 51_200, lag: 12_800 };
const TRAWL = fileURLToPath(new URL('../../bin/trawl.js', import.meta.url));
const LAG_SAMPLE_MS = 100;

type Notes = Record<string, Spread>;

export const shipScene: Scene = {
  name: 'ship',
  onlyByName: true,
  measure: (setting) =>
    withDatabase(setting, (plain) => withDatabase(setting, (db) => measureShipping(setting, plain, db))),
};

async function measureShipping(setting: Setting, plain: string, db: string) {
  const { dist, directory, quick, log } = setting;
  const { first, last, lag } = quick ? QUICK : FULL;
  // eslint-disable-next-line node/no-process-env -- A server that the bench does not start.
  const postgres = process.env['BENCH_POSTGRES'];
  const lake = mkdtempSync(join(directory, 'lake-'));
  const targets = { lake, ...(postgres === undefined ? {} : { postgres }) };
  const notes: Notes = {};
  const note = (name: string, value: number): void => {
    notes[`ship: ${name}`] = spread([value]);
    log(`ship: ${name} ${formatNumber(value)}`);
  };
  const shipTo = (address: string): Promise<CommandUsage> =>
    measureCommand(TRAWL, ['ship', 'run', address, '--once', '--quiet', '--db', db]);
  /** Ships a snapshot of the store to a new lake, and restores it. */
  async function restoreSnapshot(edges: number): Promise<void> {
    const folder = mkdtempSync(join(directory, 'restored-'));
    const [snapshot, restored] = [join(folder, 'lake'), join(folder, 'restored.db')];
    try {
      await measureCommand(TRAWL, ['ship', 'add', snapshot, '--db', db]);
      await shipTo(snapshot);
      await measureCommand(TRAWL, ['ship', 'remove', snapshot, '--db', db]);
      const used = await measureCommand(TRAWL, ['restore', '--from', snapshot, '--quiet', '--db', restored]);
      note(`us CPU per edge of restoring a snapshot of ${edges} edges`, (used.cpuMs * 1000) / edges);
      note(`peak MB of restoring a snapshot of ${edges} edges`, used.peakRssMb);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  }
  const usage: Record<string, CommandUsage[]> = {};
  try {
    {
      await using without = await startService('growth.ts', { dist, db: plain } satisfies GrowthArguments);
      await using crawl = await startService('growth.ts', {
        ...{ dist, db, shipTo: Object.values(targets) },
      } satisfies GrowthArguments);
      const growTo = (service: Service, edges: number) => service.request<GrowthSample>({ edges } satisfies GrowthMark);
      // The snapshot of an empty store, so that all facts are entries.
      for (const address of Object.values(targets)) await shipTo(address);
      let before = 0;
      for (const edges of [first, last]) {
        if (edges === first)
          note(
            `us CPU per edge of a crawl to ${edges} edges, without a target`,
            (await growTo(without, edges)).cpuUsPerEdge,
          );
        note(
          `us CPU per edge of a crawl to ${edges} edges, with ${Object.keys(targets).length} targets`,
          (await growTo(crawl, edges)).cpuUsPerEdge,
        );
        for (const [name, address] of Object.entries(targets)) {
          const used = await shipTo(address);
          (usage[name] ??= []).push(used);
          note(`us CPU per edge to ${name}, ${before} to ${edges} edges`, (used.cpuMs * 1000) / (edges - before));
          note(`peak MB of shipping to ${name}, ${before} to ${edges} edges`, used.peakRssMb);
        }
        await restoreSnapshot(edges);
        before = edges;
      }
      if (postgres !== undefined)
        note('s of lag of postgres, highest', await measureLag(postgres, db, () => growTo(crawl, last + lag)));
    }
    const files = await measureLake(lake);
    for (const [table, { rows, bytes }] of Object.entries(files)) note(`bytes per row of ${table}`, bytes / rows);
    const cpuOf = (name: string): Spread | undefined =>
      usage[name] && spread([(usage[name][1]!.cpuMs * 1000) / (last - first)]);
    const figures = {
      'ship-lake-cpu': cpuOf('lake'),
      'ship-postgres-cpu': cpuOf('postgres'),
      'ship-memory': spread([usage['lake']![1]!.peakRssMb / usage['lake']![0]!.peakRssMb]),
      'ship-edge-bytes': spread([files['edge_sightings']!.bytes / files['edge_sightings']!.rows]),
      'ship-user-bytes': spread([files['user_sightings']!.bytes / files['user_sightings']!.rows]),
      'ship-postgres-lag': notes['ship: s of lag of postgres, highest'],
    };
    const known = Object.entries(figures).filter((each): each is [string, Spread] => each[1] !== undefined);
    return {
      ...{ figures: Object.fromEntries(known), notes },
      ...(quick ? { indicative: Object.keys(figures) } : {}),
      missing: Object.fromEntries(
        ['ship-postgres-cpu', 'ship-postgres-lag'].map((name) => [name, 'BENCH_POSTGRES names no server']),
      ),
    };
  } finally {
    rmSync(lake, { recursive: true, force: true });
  }
}

/** Returns the greatest age, in seconds, of an entry that waits while pages are stored as fast as possible. */
async function measureLag(address: string, db: string, crawl: () => Promise<unknown>): Promise<number> {
  await using shipping = startProgram(TRAWL, ['ship', 'run', address, '--quiet', '--db', db]);
  using reader = openReader(db);
  const positions = reader.prepare<[string], { last: number; shipped: number }>(
    `select (select seq from sqlite_sequence where name = '_ship_outbox') as last, shipped_entry as shipped
     from _ship_targets where address = ?`,
  );
  const waiting: { readonly entry: number; readonly at: number }[] = [];
  let highest = 0;
  let isCrawling = true;
  const done = crawl().finally(() => (isCrawling = false));
  while (isCrawling && shipping.isRunning()) {
    const { last, shipped } = positions.get(address)!;
    const at = performance.now();
    if (last > (waiting.at(-1)?.entry ?? shipped)) waiting.push({ entry: last, at });
    while (waiting[0] && waiting[0].entry <= shipped) waiting.shift();
    highest = Math.max(highest, at - (waiting[0]?.at ?? at));
    await delay(LAG_SAMPLE_MS);
  }
  await done;
  if (!shipping.isRunning()) throw new Error(`trawl ship run ${address} has ended`);
  return highest / 1000;
}

function openReader(db: string) {
  const client = openConnection(db, { readonly: true });
  return { prepare: client.prepare.bind(client) as typeof client.prepare, [Symbol.dispose]: () => void client.close() };
}
