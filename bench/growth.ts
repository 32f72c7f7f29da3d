import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { statSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { openConnection } from '../src/store/sqlite/driver.ts';
import { load } from './built-trawl.ts';
import { readArguments, report } from './child.ts';
import { createCommitFactory, followersSpecOf } from './crawled-pages.ts';
import type { ListPage } from './workload.ts';

/** Grows a store page by page through its writer, and reports the cost per edge at every mark. */

export interface GrowthArguments {
  readonly dist: string;
  readonly db: string;
  readonly edges: number;
  readonly samples: number;
}

export interface GrowthSample {
  readonly edges: number;
  /** CPU of all threads since the last mark, per edge, and its system part. */
  readonly cpuUsPerEdge: number;
  readonly systemUsPerEdge: number;
  readonly peakRssMb: number;
  readonly fileMb: number;
}

export interface GrowthResult {
  readonly samples: readonly GrowthSample[];
  readonly users: number;
  readonly edges: number;
  /** Time to read a page of followed accounts at the end. */
  readonly followingMs: number;
}

const LISTS = 32;
const PAGES_PER_LIST = 100;
const PER_PAGE = 100;

const run = readArguments<GrowthArguments>();
const { openStore } = await load(run.dist, 'store/store.js');
const { openReadOnly } = await load(run.dist, 'store/sqlite/database.js');
const { createFollowQueries } = await load(run.dist, 'twin/queries/follows.js');
const createCommit = await createCommitFactory(run.dist);

const store = openStore(run.db, { threaded: true });
const crawls = new Map<number, { id: number; lease: number }>();
const samples: GrowthSample[] = [];
let now = 1_700_000_000_000;
let edges = 0;
let userUs = 0;
let systemUs = 0;
let edgesSinceSample = 0;

await using source = await openSource();
while (edges < run.edges) {
  const pages = await source.next();
  const before = process.cpuUsage();
  await Promise.all(pages.map(storePage));
  const { user, system } = process.cpuUsage(before);
  userUs += user;
  systemUs += system;
  edges += pages.length * PER_PAGE;
  edgesSinceSample += pages.length * PER_PAGE;
  if (edges >= (run.edges / run.samples) * (samples.length + 1)) recordSample();
}
await store[Symbol.asyncDispose]();
report(await readResult());

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
  if (from === null) {
    const [opened] = await store.write.openCrawls([followersSpecOf(target)], now);
    const row = await store.write.takeLease(opened!.id, now);
    crawls.set(place, { id: row!.id, lease: row!.leaseToken });
  }
  await store.write.commitPage(createCommit(page, crawls.get(place)!, (now += 1)));
}

function recordSample(): void {
  samples.push({
    edges,
    cpuUsPerEdge: (userUs + systemUs) / edgesSinceSample,
    systemUsPerEdge: systemUs / edgesSinceSample,
    peakRssMb: process.resourceUsage().maxRSS / 1024,
    fileMb: statSync(run.db).size / 1e6,
  });
  userUs = 0;
  systemUs = 0;
  edgesSinceSample = 0;
}

async function readResult(): Promise<GrowthResult> {
  const client = openConnection(run.db, { readonly: true });
  const count = (sql: string): number => Number(client.prepare(sql).pluck().get());
  const stored = count('select count(*) from follows');
  if (stored !== edges) throw new Error(`${stored} edges were stored instead of ${edges}`);
  const db = openReadOnly(run.db);
  const queries = createFollowQueries(db);
  const userId = count('select id from users where followers_count is not null limit 1');
  const startedAt = performance.now();
  const followed = queries.following(userId, undefined, PER_PAGE);
  const followingMs = performance.now() - startedAt;
  if (followed.entries.length === 0) throw new Error('the other direction is not answered');
  const users = count('select count(*) from users');
  client.close();
  db.$client.close();
  return { samples, users, edges, followingMs };
}
