import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { GrowthArguments, GrowthMark, GrowthSample } from '../growth.ts';
import { spread, type Spread } from '../interleave.ts';
import type { MergeReport } from '../merge-lake.ts';
import { run, type Service, startService } from '../processes.ts';
import { formatNumber, type Measured, type Scene, type Setting } from '../scene.ts';
import type { LakeCost, ShipLakeArguments } from '../ship-lake.ts';

/** The cost of merging a lake of two stores, over that of storing the same pages in one store. One run: it is long. */

const FULL_EDGES = 5_000_000;
/** Too small for a verdict. */
const QUICK_EDGES = 6400;
/** Facts are shipped after so many new edges. */
const SHIP_EDGES = 500_000;
/** The share of new facts of a later merge. */
const NEW_SHARE = 0.01;

export const mergeScene: Scene = {
  name: 'merge',
  onlyByName: true,
  async measure(setting) {
    const folder = mkdtempSync(join(setting.directory, 'merge-'));
    try {
      return await measureMerge(setting, folder);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  },
};

async function measureMerge({ dist, quick, log, edges: given }: Setting, folder: string): Promise<Measured> {
  const edges = given ?? (quick ? QUICK_EDGES : FULL_EDGES);
  const notes: Record<string, Spread> = {};
  const note = (name: string, value: number): void => {
    log(`merge: ${name} ${formatNumber(value)}`);
    notes[`merge of ${edges} edges: ${name}`] = spread([value]);
  };
  const stored = await storePages(dist, join(folder, 'plain.db'), edges);
  note('us CPU per stored edge', stored.cpuUsPerEdge);
  const lake = join(folder, 'lake');
  await using sources = await openSources(dist, folder, lake);
  const shipped = await sources.grow(edges);
  note('us CPU per edge that is stored and recorded as facts', shipped.cpuUsPerEdge);
  note('us CPU per shipped edge', shipped.shipUsPerEdge);

  async function merge(name: string, expected: number): Promise<MergeReport> {
    const db = join(folder, 'merged.db');
    const cost = await run<MergeReport>('merge-lake.ts', { dist, db, lake } satisfies ShipLakeArguments);
    if (cost.rows['follows'] !== expected) throw new Error(`${cost.rows['follows']} of ${expected} edges are merged`);
    note(`ms CPU of ${name}`, cost.cpuMs);
    note(`peak MB of ${name}`, cost.peakRssMb);
    return cost;
  }
  const bytes = sizeOf(lake);
  const first = await merge('the first merge', shipped.edges);
  const grown = await sources.grow(shipped.edges * (1 + NEW_SHARE));
  const later = await merge('a later merge', grown.edges);
  const figures = {
    'merge-cpu': spread([(first.cpuMs * 1000) / shipped.edges / stored.cpuUsPerEdge]),
    'merge-memory': spread([first.peakRssMb]),
    'merge-round': spread([later.cpuMs / first.cpuMs]),
    'fact-edge': spread([bytes / shipped.edges]),
  };
  return { figures, notes, ...(quick ? { indicative: Object.keys(figures) } : {}) };
}

/** Stores pages in a store without a target of shipping. */
async function storePages(dist: string, db: string, edges: number): Promise<GrowthSample> {
  await using writer = await startService('growth.ts', { dist, dbs: [db] } satisfies GrowthArguments);
  return await writer.request<GrowthSample>({ edges } satisfies GrowthMark);
}

interface SourcesCost extends Pick<GrowthSample, 'edges' | 'cpuUsPerEdge'> {
  readonly shipUsPerEdge: number;
}

interface Sources extends AsyncDisposable {
  /** Grows the stores to a number of edges, and ships them to the lake. The cost is that since the last call. */
  grow(edges: number): Promise<SourcesCost>;
}

/** Opens two stores that share the lists of one. They are shipped before their first page, so that they have no rows in a snapshot. */
async function openSources(dist: string, folder: string, lake: string): Promise<Sources> {
  const dbs = ['first.db', 'second.db'].map((name) => join(folder, name));
  async function ship(): Promise<number> {
    const costs = dbs.map((db) => run<LakeCost>('ship-lake.ts', { dist, db, lake } satisfies ShipLakeArguments));
    return (await Promise.all(costs)).reduce((sum, { cpuMs }) => sum + cpuMs * 1000, 0);
  }
  await ship();
  const writer: Service = await startService('growth.ts', { dist, dbs } satisfies GrowthArguments);
  let stored = 0;
  return {
    async grow(edges) {
      const before = stored;
      const us = { store: 0, ship: 0 };
      while (stored < edges) {
        const mark: GrowthMark = { edges: Math.min(edges, stored + SHIP_EDGES) };
        const sample = await writer.request<GrowthSample>(mark);
        us.store += sample.cpuUsPerEdge * (sample.edges - stored);
        us.ship += await ship();
        stored = sample.edges;
      }
      const added = stored - before;
      return { edges: stored, cpuUsPerEdge: us.store / added, shipUsPerEdge: us.ship / added };
    },
    [Symbol.asyncDispose]: () => writer[Symbol.asyncDispose](),
  };
}

/** Returns the bytes of the files of a lake. */
const sizeOf = (lake: string): number =>
  (readdirSync(lake, { recursive: true }) as string[])
    .map((name) => statSync(join(lake, name)))
    .reduce((sum, file) => sum + (file.isFile() ? file.size : 0), 0);
