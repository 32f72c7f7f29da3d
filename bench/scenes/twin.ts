import { request } from 'undici';
import { walk } from '../bounds/walk.ts';
import { interleave, perRound } from '../interleave.ts';
import { type Service, startService } from '../processes.ts';
import { roundsOf, type Scene, type Setting, short, trawlInto, withDatabase, withLoad } from '../scene.ts';
import type { TwinArguments } from '../twin.ts';

/** What the twin's pages cost it, over a route that has the bytes ready: its CPU, so that no client limits it. */

const CHAINS = 8;

interface Served {
  readonly cpuUsPerPage: number;
}

async function cost(service: Service, targets: readonly string[], passes: number): Promise<Served> {
  let pages = 0;
  const pass = (): Promise<void> =>
    walk({ url: service.url, key: service.key, targets, chains: CHAINS, handle: () => void (pages += 1) });
  await pass();
  pages = 0;
  const before = await service.cpuMs();
  for (let i = 0; i < passes; i++) await pass();
  return { cpuUsPerPage: (((await service.cpuMs()) - before) / pages) * 1000 };
}

async function firstPage({ url, key }: Service, target: string): Promise<string> {
  const { body } = await request(`${url}/api/microblog/followers?restId=${target}`, { headers: { 'x-api-key': key } });
  return await body.text();
}

async function compare(setting: Setting, db: string, targets: readonly string[]) {
  const { dist } = setting;
  const serve = (more: Partial<TwinArguments> = {}): Promise<Service> => startService('twin.ts', { dist, db, ...more });
  await using twin = await serve();
  // Of a bare route's page nothing leads on: it is asked as often as the twin's lists have pages.
  const page = (await firstPage(twin, targets[0]!)).replace(/"cursor":\{[^}]*\}/, '"none":0');
  await using bare = await serve({ page });
  const pagesPerPass = setting.quick ? 4 : 8;
  const many = Array.from({ length: pagesPerPass }, () => targets).flat();
  const variants = { twin: () => cost(twin, targets, 4), bare: () => cost(bare, many, 4) };
  return await interleave(variants, roundsOf(setting, 2), (variant, round, { cpuUsPerPage }) =>
    setting.tell(`twin ${round + 1} ${variant}: ${short(cpuUsPerPage)} us CPU per page`),
  );
}

export const twinScene: Scene = {
  name: 'twin',
  measure: (setting) =>
    withLoad({ chains: 32, latencyMs: 0, pages: [16, 8] }, setting, (size) =>
      withDatabase(setting, async (db) => {
        await trawlInto(db, setting, size);
        const rounds = await compare(setting, db, size.targets);
        return {
          figures: { twin: perRound(rounds, ({ twin, bare }) => bare!.cpuUsPerPage / twin!.cpuUsPerPage) },
          notes: {
            'twin: us CPU per page': perRound(rounds, ({ twin }) => twin!.cpuUsPerPage),
            'twin: us CPU per page, bare route': perRound(rounds, ({ bare }) => bare!.cpuUsPerPage),
          },
        };
      }),
    ),
};
