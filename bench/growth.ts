import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { statSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { load } from './built-trawl.ts';
import { readArguments, report } from './child.ts';
import { createCommitFactory, followersSpecOf } from './crawled-pages.ts';
import type { ListPage } from './workload.ts';

/** Grows stores page by page through their writers, and reports the cost per edge at every mark. */

export interface GrowthArguments {
  readonly dist: string;
  /** The paths of the stores. Lists are dealt to them in turn. */
  readonly dbs: readonly string[];
}

/** Each line on stdin is a mark, the number of edges to grow to, and is answered with a sample. */
export interface GrowthMark {
  readonly edges: number;
}

export interface GrowthSample {
  readonly edges: number;
  /** CPU of all threads since the last mark, per edge, and its system part. */
  readonly cpuUsPerEdge: number;
  readonly systemUsPerEdge: number;
  readonly peakRssMb: number;
  /** Of all stores. */
  readonly fileMb: number;
}

const LISTS = 32;
const PAGES_PER_LIST = 100;
const PER_PAGE = 100;

const run = readArguments<GrowthArguments>();
const { openStore } = await load(run.dist, 'store/store.js');
const createCommit = await createCommitFactory(run.dist);

const stores = run.dbs.map((db) => openStore(db, { threaded: true }));
const crawls = new Map<number, { id: number; lease: number }>();
let now = 1_700_000_000_000;
let edges = 0;

{
  await using source = await openSource();
  report({});
  for await (const line of createInterface({ input: process.stdin })) {
    const mark = JSON.parse(line) as GrowthMark;
    report(await growTo(mark, source.next).catch((error: unknown) => ({ failed: String(error) })));
  }
}
for (const store of stores) await store[Symbol.asyncDispose]();

async function growTo(mark: GrowthMark, nextPages: () => Promise<ListPage[]>): Promise<GrowthSample> {
  const cpu = { user: 0, system: 0 };
  const edgesBefore = edges;
  while (edges < mark.edges) {
    const pages = await nextPages();
    const before = process.cpuUsage();
    await Promise.all(pages.map(storePage));
    const { user, system } = process.cpuUsage(before);
    cpu.user += user;
    cpu.system += system;
    edges += pages.length * PER_PAGE;
  }
  return {
    edges,
    cpuUsPerEdge: (cpu.user + cpu.system) / (edges - edgesBefore),
    systemUsPerEdge: cpu.system / (edges - edgesBefore),
    peakRssMb: process.resourceUsage().maxRSS / 1024,
    fileMb: run.dbs.reduce((sum, db) => sum + statSync(db).size, 0) / 1e6,
  };
}

/** Pages like those of a service, created by another process. */
async function openSource(): Promise<{ next(): Promise<ListPage[]> } & AsyncDisposable> {
  const file = fileURLToPath(new URL('page-source.js', import.meta.url));
  const size = { lists: LISTS, pagesPerList: PAGES_PER_LIST, seed: 7 };
  const child = spawn(process.execPath, [file, JSON.stringify(size)], { stdio: ['pipe', 'pipe', 'inherit'] });
  const lines = createInterface({ input: child.stdout });
  return {
    async next() {
      const line = once(lines, 'line') as Promise<[string]>;
      child.stdin.write('\n');
      return JSON.parse((await line)[0]) as ListPage[];
    },
    async [Symbol.asyncDispose]() {
      const closed = once(child, 'close');
      child.stdin.end();
      await closed;
    },
  };
}

async function storePage(page: ListPage): Promise<void> {
  const { target, place, from } = page;
  const store = stores[place % stores.length]!;
  if (from === null) {
    const [opened] = await store.write.openCrawls([followersSpecOf(target)], now);
    const row = await store.write.takeLease(opened!.id, now);
    crawls.set(place, { id: row!.id, lease: row!.leaseToken });
  }
  await store.write.commitPage(createCommit(page, crawls.get(place)!, (now += 1)));
}
