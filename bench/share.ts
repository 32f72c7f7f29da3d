import { setTimeout as sleep } from 'node:timers/promises';
import { load } from './built-trawl.ts';
import { readArguments, report } from './child.ts';
import { createCommitFactory, followersSpecOf } from './crawled-pages.ts';
import { generatePages } from './workload.ts';

/** One of several processes that write to one store for a given time. */

export interface ShareArguments {
  readonly dist: string;
  readonly db: string;
  /** Seed of its own lists. */
  readonly seed: number;
  /** Milliseconds since the epoch. */
  readonly from: number;
  readonly until: number;
}

export interface ShareResult {
  readonly commits: number;
  /** Longest wait for a commit. */
  readonly longestMs: number;
}

const { dist, db, seed, from, until } = readArguments<ShareArguments>();
const { openStore } = await load(dist, 'store/store.js');
const createCommit = await createCommitFactory(dist);
const pageGroups = generatePages({ lists: 32, pagesPerList: 1000, seed });
const store = openStore(db, { threaded: true });
const crawls = new Map<number, { id: number; lease: number }>();
let commits = 0;
let longestMs = 0;

await sleep(from - Date.now());
for (const pages of pageGroups) {
  if (Date.now() >= until) break;
  await Promise.all(
    pages.map(async (page) => {
      const { target, place } = page;
      if (page.from === null) {
        const [opened] = await store.write.openCrawls([followersSpecOf(`${seed}${target}`)], from);
        const row = await store.write.takeLease(opened!.id, from);
        crawls.set(place, { id: row!.id, lease: row!.leaseToken });
      }
      const startedAt = Date.now();
      await store.write.commitPage(createCommit(page, crawls.get(place)!, startedAt));
      if (Date.now() >= until) return;
      commits += 1;
      longestMs = Math.max(longestMs, Date.now() - startedAt);
    }),
  );
}
await store[Symbol.asyncDispose]();
report({ commits, longestMs } satisfies ShareResult);
