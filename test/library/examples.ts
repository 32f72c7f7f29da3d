import {
  chart,
  coverage,
  crawl,
  type CrawlAnswer,
  type CrawlResult,
  enqueue,
  exportTable,
  find,
  openStore,
  type Plan,
  plan,
  query,
  report,
  serve,
  type ServiceSettings,
  type SqlRow,
  status,
  TrawlError,
  UnauthorizedError,
  UsageError,
  work,
} from '#index.ts';

/**
 * The examples of docs/reference/api.md, one for each export: `npm run docs:api` copies what is between the markers. A test runs
 * all of them, and another compiles them against the types of the package.
 */

export function openStoreExample(path: string): SqlRow[] {
  // [openStore]
  const store = openStore(path, { create: true });
  try {
    return [...store.query('select screen_name, followers_count from users where followers_count > ?', [1000])];
  } finally {
    void store.close();
  }
  // [/openStore]
}

export async function crawlExample(service: ServiceSettings, path: string): Promise<CrawlResult> {
  // [crawl]
  const store = openStore(path, { create: true });
  try {
    const run = crawl({ kind: 'followers', targets: ['HarbourNews'], into: store, service });
    for await (const event of run) {
      if (event.type === 'crawl') process.stdout.write(`${event.crawl.state}: ${event.crawl.items} items\n`);
    }
    return await run.done; // { crawls, isComplete }
  } finally {
    await store.close();
  }
  // [/crawl]
}

export async function exportTableExample(path: string, file: string): Promise<number> {
  // [exportTable]
  const store = openStore(path);
  try {
    const { rows } = await exportTable({ store, table: 'users', file, accounts: ['HarbourNews'] });
    return rows; // the provenance is in `${file}.meta.json`
  } finally {
    await store.close();
  }
  // [/exportTable]
}

export async function enqueueExample(path: string): Promise<number[]> {
  // [enqueue]
  const store = openStore(path, { create: true });
  try {
    const crawls = await enqueue({ kind: 'profile', targets: ['HarbourNews'], into: store, priority: 'backfill' });
    return crawls.map(({ id }) => id);
  } finally {
    await store.close();
  }
  // [/enqueue]
}

export async function workExample(service: ServiceSettings, path: string): Promise<number> {
  // [work]
  const store = openStore(path);
  try {
    const worker = work({ store, service, exitWhenIdle: true });
    const { unfinished } = await worker.done;
    return unfinished;
  } finally {
    await store.close();
  }
  // [/work]
}

export async function planExample(service: ServiceSettings, path: string): Promise<Plan> {
  // [plan]
  const store = openStore(path);
  try {
    const cost = await plan({ kind: 'timeline', targets: ['HarbourNews'], into: store, service });
    process.stdout.write(`at least ${cost.requests.min} of ${cost.quota?.remaining} requests\n`);
    return cost;
  } finally {
    await store.close();
  }
  // [/plan]
}

export async function serveExample(path: string): Promise<number> {
  // [serve]
  const store = openStore(path);
  try {
    const twin = await serve({ store });
    const key = twin.createKey({ name: 'analysis', limit: 1000 });
    const url = `${twin.url}/api/microblog/user-profile?screenName=HarbourNews`;
    const response = await fetch(url, { headers: { 'X-API-Key': key } });
    return response.status;
  } finally {
    await store.close();
  }
  // [/serve]
}

export async function coverageExample(path: string): Promise<string[]> {
  // [coverage]
  const store = openStore(path);
  try {
    const { orderedLists, accountLists } = await coverage({ store, account: 'HarbourNews' });
    return [...orderedLists, ...accountLists].map(({ label, sentence }) => `${label}: ${sentence}`);
  } finally {
    await store.close();
  }
  // [/coverage]
}

export async function findExample(path: string): Promise<string[]> {
  // [find]
  const store = openStore(path);
  try {
    const { accounts } = await find({ store, query: '@HarbourNews', in: 'accounts' });
    return accounts.flatMap(({ screenName }) => screenName ?? []);
  } finally {
    await store.close();
  }
  // [/find]
}

export async function queryExample(path: string): Promise<string> {
  // [query]
  const store = openStore(path);
  try {
    const { rows, missing } = await query({ store, name: 'followers-over-time', values: { account: 'HarbourNews' } });
    return missing.length === 0 ? `${rows.length} rows` : missing.map(({ sentence }) => sentence).join('; ');
  } finally {
    await store.close();
  }
  // [/query]
}

export async function chartExample(path: string): Promise<string> {
  // [chart]
  const store = openStore(path);
  try {
    const svg = await chart({ store, name: 'followers-over-time', values: { account: 'HarbourNews' }, width: 640 });
    return svg;
  } finally {
    await store.close();
  }
  // [/chart]
}

export async function reportExample(path: string, file: string): Promise<string> {
  // [report]
  const store = openStore(path);
  try {
    const { sidecar } = await report({ store, subject: 'account', target: 'HarbourNews', file });
    return sidecar; // every figure of the page, and its checksum
  } finally {
    await store.close();
  }
  // [/report]
}

export async function statusExample(path: string): Promise<string[]> {
  // [status]
  const store = openStore(path);
  try {
    const { workers, disk, quota } = await status({ store });
    return [workers, disk, quota].map(({ label, sentence }) => `${label}: ${sentence}`);
  } finally {
    await store.close();
  }
  // [/status]
}

export async function errorsExample(service: ServiceSettings, path: string): Promise<readonly CrawlAnswer[] | string> {
  // [errors]
  const store = openStore(path, { create: true });
  try {
    const { crawls } = await crawl({ kind: 'profile', targets: ['nasa'], into: store, service }).done;
    return crawls;
  } catch (error) {
    if (error instanceof UsageError) return `an argument is wrong: ${error.message}`;
    if (error instanceof UnauthorizedError) return 'the service refuses the key';
    if (error instanceof TrawlError) return [error.message, error.hint].join(' ');
    throw error; // a bug
  } finally {
    await store.close();
  }
  // [/errors]
}
