import { copyFileSync } from 'node:fs';
import { interleave, perRound, type Rounds } from '../interleave.ts';
import type { Load, LoadResult } from '../load-client.ts';
import { run, type Service, startService } from '../processes.ts';
import { roundsOf, type Scene, type Setting, formatNumber, withDatabase } from '../scene.ts';
import type { TwinStore, TwinStoreArguments } from '../twin-store.ts';
import type { TwinArguments } from '../twin.ts';

/**
 * Responses per second of the twin on a large store, compared with a bare route of the same framework. Lists and profiles
 * are measured with repeated requests; with requests that this twin never got before; and with requests that it got
 * before, but whose responses are not cached, so that only the cache of users helps.
 */

const PER_PAGE = 100;
const CONNECTIONS = 32;
const FULL = { people: 1_000_000, lists: 600, pagesPerList: 20, requests: 20_000 };
const QUICK = { people: 20_000, lists: 100, pagesPerList: 10, requests: 1600 };
/** Number of repeated requests. */
const REPEATED_PATHS = 200;

interface Measure extends LoadResult {
  readonly cpuUs: number;
}

interface LoadRequest {
  readonly paths: readonly string[];
  readonly requests: number;
}

const followers = (restId: string, cursor = ''): string => `/api/microblog/followers?restId=${restId}${cursor}`;

async function listPaths({ url, key }: Service, restId: string, pages: number): Promise<string[]> {
  const paths: string[] = [];
  let path = followers(restId);
  for (let page = 0; page < pages; page++) {
    paths.push(path);
    const answer = await fetch(url + path, { headers: { 'x-api-key': key } });
    const cursor = /"cursor":\{"value":"([^"]+)"/.exec(await answer.text())?.[1];
    if (cursor === undefined) throw new Error('a list ended too early');
    path = followers(restId, `&cursor=${cursor}`);
  }
  return paths;
}

/** Shuffles neighbouring requests. */
function shufflePaths(paths: readonly string[]): string[] {
  const step = 7919;
  return paths.map((_, i) => paths[(i * step) % paths.length]!);
}

/** Returns a function whose every call returns another part of the paths, to be requested once. */
function createPartition(paths: readonly string[], parts: number): () => LoadRequest {
  const size = Math.floor(paths.length / parts);
  let taken = 0;
  return () => {
    const part = paths.slice(taken, (taken += size));
    return { paths: part, requests: part.length };
  };
}

async function measure(setting: Setting, db: string, copy: string, store: TwinStore): Promise<Rounds<Measure>> {
  const { dist, quick, log } = setting;
  const size = quick ? QUICK : FULL;
  const serve = (more: Partial<TwinArguments> = {}): Promise<Service> => startService('twin.ts', { dist, db, ...more });
  await using cachedTwin = await serve();
  // A copy of the store, since twins of one store share its quota.
  copyFileSync(db, copy);
  await using uncachedTwin = await serve({ db: copy, cacheBytes: 0 });
  const pages = (await Promise.all(store.restIds.map((id) => listPaths(cachedTwin, id, size.pagesPerList)))).flat();
  const names = store.screenNames.map((name) => `/api/microblog/user-profile?screenName=${name}`);
  const bodyOf = async (path: string): Promise<string> =>
    await (await fetch(cachedTwin.url + path, { headers: { 'x-api-key': cachedTwin.key } })).text();
  await using barePage = await serve({ page: await bodyOf(pages[0]!) });
  await using bareProfile = await serve({ page: await bodyOf(names[0]!) });
  await using client = await startService('load-client.ts', {});

  async function load(service: Service, { paths, requests }: LoadRequest): Promise<Measure> {
    const { url, key } = service;
    const before = await service.cpuMs();
    const loaded = await client.request<LoadResult>({
      url,
      key,
      paths,
      requests,
      connections: CONNECTIONS,
    } satisfies Load);
    return { ...loaded, cpuUs: (((await service.cpuMs()) - before) / requests) * 1000 };
  }
  const { requests } = size;
  const rounds = roundsOf(setting);
  const nextPages = createPartition(shufflePaths(pages), rounds + 1);
  const nextNames = createPartition(shufflePaths(names), rounds + 1);
  const again = { paths: pages.slice(0, REPEATED_PATHS), requests };
  const againNames = { paths: names.slice(0, REPEATED_PATHS), requests: requests * 2 };
  const variants = {
    followers: () => load(cachedTwin, again),
    barePage: () => load(barePage, again),
    firstFollowers: () => load(uncachedTwin, nextPages()),
    uncachedFollowers: () => load(uncachedTwin, { ...again, requests: requests / 4 }),
    profile: () => load(cachedTwin, againNames),
    bareProfile: () => load(bareProfile, againNames),
    firstProfile: () => load(uncachedTwin, nextNames()),
  };
  // Warm up all variants.
  for (const variant of Object.values(variants)) await variant();
  return await interleave(variants, rounds, (variant, round, { perSecond, p99, cpuUs, clientShare }) =>
    log(
      `twin ${round + 1} ${variant}: ${formatNumber(perSecond)}/s · p99 ${formatNumber(p99)} ms · ${formatNumber(cpuUs)} us CPU · client busy ${formatNumber(clientShare)}`,
    ),
  );
}

const withDatabases = <T>(setting: Setting, use: (db: string, copy: string) => Promise<T>): Promise<T> =>
  withDatabase(setting, (db) => withDatabase(setting, (copy) => use(db, copy)));

export const twinScene: Scene = {
  name: 'twin',
  measure: (setting) =>
    withDatabases(setting, async (db, copy) => {
      const { people, lists, pagesPerList } = setting.quick ? QUICK : FULL;
      const args: TwinStoreArguments = { dist: setting.dist, db, people, lists, pagesPerList, perPage: PER_PAGE };
      const rounds = await measure(setting, db, copy, await run<TwinStore>('twin-store.ts', args));
      type Name = keyof typeof rounds;
      const ratio = (of: Name, over: Name, figure: (measure: Measure) => number) =>
        perRound(rounds, (round) => figure(round[of]!) / figure(round[over]!));
      const rateOf = ({ perSecond }: Measure): number => perSecond;
      const p99Of = ({ p99 }: Measure): number => p99;
      return {
        figures: {
          'twin-profile': ratio('profile', 'bareProfile', rateOf),
          'twin-followers': ratio('followers', 'barePage', rateOf),
          'twin-profile-p99': ratio('profile', 'bareProfile', p99Of),
          'twin-followers-p99': ratio('followers', 'barePage', p99Of),
          'twin-profile-first': ratio('firstProfile', 'bareProfile', rateOf),
          'twin-followers-first': ratio('firstFollowers', 'barePage', rateOf),
        },
        notes: Object.fromEntries(
          Object.keys(rounds).flatMap((name) => [
            [`twin, ${name}: answers/s`, perRound(rounds, (round) => round[name]!.perSecond)],
            [`twin, ${name}: us CPU per answer`, perRound(rounds, (round) => round[name]!.cpuUs)],
            [`twin, ${name}: p99 ms`, perRound(rounds, (round) => round[name]!.p99)],
          ]),
        ),
      };
    }),
};
