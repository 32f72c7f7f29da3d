import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type * as log from '../src/base/log.ts';
import type * as context from '../src/composition.ts';
import type * as config from '../src/config.ts';
import type * as heapGrowth from '../src/library/run/limit-heap-growth.ts';
import type * as contractPages from '../src/service/contract/wire-page.ts';
import type * as spec from '../src/service/kinds/crawl-spec.ts';
import type * as normalisePages from '../src/store/normalise/parse-page.ts';
import type * as database from '../src/store/sqlite/database.ts';
import type * as store from '../src/store/store.ts';
import type * as start from '../src/twin/serve/http/start-twin.ts';
import type * as keys from '../src/twin/serve/quota/twin-keys.ts';

/** The measured parts of a build of trawl. */
interface Built {
  'config.js': typeof config;
  'composition.js': typeof context;
  'service/contract/wire-page.js': typeof contractPages;
  'service/kinds/crawl-spec.js': typeof spec;
  'base/log.js': typeof log;
  'store/normalise/normalise-page.js': typeof normalisePages;
  'library/run/limit-heap-growth.js': typeof heapGrowth;
  'store/sqlite/database.js': typeof database;
  'store/store.js': typeof store;
  'twin/serve/quota/twin-keys.js': typeof keys;
  'twin/serve/http/start-twin.js': typeof start;
}

export const load = async <F extends keyof Built>(dist: string, file: F): Promise<Built[F]> =>
  (await import(pathToFileURL(join(dist, file)).href)) as Built[F];
