import { join } from 'node:path';
import { afterAll, beforeAll, onTestFinished } from 'vitest';
import { createLog } from '#base/log.ts';
import type { ActionTable } from '#dashboard/server/http/actions.ts';
import { type DashboardOptions, type RunningDashboard, startDashboard } from '#dashboard/server/start-dashboard.ts';
import { DEFAULT_HEADROOM_SHARES } from '#service/quota/priorities.ts';
import { openStore, type Store } from '#store/store.ts';
import { createTempDir } from '../support/temp.ts';
import { fetchWithToken, TOKEN } from './token.ts';

/** The settings of reads, without the store. */
export const SETTINGS = {
  minFree: { bytes: 0 },
  reserve: { share: 0.1 },
  headroomShares: DEFAULT_HEADROOM_SHARES,
  databaseOption: '',
  queryFolders: [],
};

/** By default it only reads, and no queue runs. */
const start = (path: string, options: Partial<DashboardOptions>): Promise<RunningDashboard> =>
  startDashboard({
    settings: { ...SETTINGS, path },
    host: '127.0.0.1',
    port: 0,
    token: TOKEN,
    readQueue: async () => undefined,
    env: {},
    log: createLog({ level: 'silent' }),
    ...options,
  });

/** Starts the dashboard of a store on a free port until the test ends. */
export async function startTestDashboard(
  path: string,
  options: Partial<DashboardOptions> = {},
): Promise<RunningDashboard> {
  const dashboard = await start(path, options);
  onTestFinished(() => dashboard[Symbol.asyncDispose]());
  return dashboard;
}

/** A dashboard that all tests of a file share. Its addresses are known when the tests run. */
export interface SharedDashboard {
  path: string;
  url: string;
  signInUrl: string;
}

/** Starts the dashboard of a store that `create` writes to a file, for all tests of a file. They do not change the store. */
export function shareDashboard(
  create: (file: string) => unknown,
  options: (path: string) => Partial<DashboardOptions> = () => ({}),
): SharedDashboard {
  const directory = createTempDir();
  const shared = { path: join(directory.path, 'store.db'), url: '', signInUrl: '' };
  let dashboard: RunningDashboard | undefined;
  beforeAll(async () => {
    await create(shared.path);
    dashboard = await start(shared.path, options(shared.path));
    Object.assign(shared, { url: dashboard.url, signInUrl: dashboard.signInUrl });
  }, 600_000);
  afterAll(async () => {
    await dashboard?.[Symbol.asyncDispose]();
    directory[Symbol.dispose]();
  });
  return shared;
}

/** Reads JSON of a dashboard. */
export async function readJson<T>(url: string, init?: RequestInit): Promise<{ status: number; body: T }> {
  const response = await fetchWithToken(url, init);
  return { status: response.status, body: (await response.json()) as T };
}

/** What actions queue crawls with. */
interface ActionParts {
  readonly store: Store;
  readonly notifier: { dispatch(ids: readonly number[]): Promise<void> };
}

/** Starts a dashboard with actions on a store, until the test ends. */
export async function startWritable(path: string, createActions: (parts: ActionParts) => ActionTable) {
  const store = openStore(path);
  onTestFinished(() => store[Symbol.asyncDispose]());
  const queued: number[] = [];
  const notifier = { dispatch: async (ids: readonly number[]) => void queued.push(...ids) };
  const { url } = await startTestDashboard(path, { actions: createActions({ store, notifier }) });
  const post = (action: string, input: unknown, headers: Record<string, string> = {}) =>
    readJson<{ result?: unknown; error?: string }>(`${url}/api/actions/${action}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(input),
    });
  return { url, store, queued, post };
}
