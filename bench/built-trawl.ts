import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type * as clock from '#base/clock.ts';
import type * as log from '#base/log.ts';
import type * as context from '#composition.ts';
import type * as config from '#config.ts';
import type * as lakeContent from '#lake/files/lake-content.ts';
import type * as openLake from '#lake/files/open-lake.ts';
import type * as mergeStores from '#lake/merge/merge-stores.ts';
import type * as purgeLake from '#lake/purge-lake.ts';
import type * as shipFacts from '#lake/ship-facts.ts';
import type * as heapGrowth from '#library/run/limit-heap-growth.ts';
import type * as contractPages from '#service/contract/wire-page.ts';
import type * as spec from '#service/kinds/crawl-spec.ts';
import type * as parsePages from '#store/normalise/parse-page.ts';
import type * as shipTargets from '#store/outbox/ship-targets.ts';
import type * as database from '#store/sqlite/database.ts';
import type * as store from '#store/store.ts';
import type * as start from '#twin/serve/http/start-twin.ts';
import type * as keys from '#twin/serve/quota/twin-keys.ts';

/** The measured parts of a build of trawl. */
interface Built {
  'config.js': typeof config;
  'composition.js': typeof context;
  'service/contract/wire-page.js': typeof contractPages;
  'service/kinds/crawl-spec.js': typeof spec;
  'base/clock.js': typeof clock;
  'base/log.js': typeof log;
  'lake/files/lake-content.js': typeof lakeContent;
  'lake/files/open-lake.js': typeof openLake;
  'lake/merge/merge-stores.js': typeof mergeStores;
  'lake/purge-lake.js': typeof purgeLake;
  'lake/ship-facts.js': typeof shipFacts;
  'store/normalise/parse-page.js': typeof parsePages;
  'library/run/limit-heap-growth.js': typeof heapGrowth;
  'store/outbox/ship-targets.js': typeof shipTargets;
  'store/sqlite/database.js': typeof database;
  'store/store.js': typeof store;
  'twin/serve/quota/twin-keys.js': typeof keys;
  'twin/serve/http/start-twin.js': typeof start;
}

export const load = async <F extends keyof Built>(dist: string, file: F): Promise<Built[F]> =>
  (await import(pathToFileURL(join(dist, file)).href)) as Built[F];
