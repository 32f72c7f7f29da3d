import { onTestFinished } from 'vitest';
import { type DashboardOptions, type RunningDashboard, startDashboard } from '../../src/dashboard/start-dashboard.ts';
import { createLog } from '../../src/log.ts';
import { DEFAULT_HEADROOM_SHARES } from '../../src/quota/priorities.ts';
import { TOKEN } from './token.ts';

/** The settings of reads, without the store. */
export const SETTINGS = {
  minFree: { bytes: 0 },
  reserve: { share: 0.1 },
  headroomShares: DEFAULT_HEADROOM_SHARES,
  databaseOption: '',
  queryFolders: [],
};

/** Starts the dashboard of a store on a free port until the test ends. By default it only reads, and no queue runs. */
export async function startTestDashboard(
  path: string,
  options: Partial<DashboardOptions> = {},
): Promise<RunningDashboard> {
  const dashboard = await startDashboard({
    settings: {
      ...SETTINGS,
      path,
    },
    host: '127.0.0.1',
    port: 0,
    token: TOKEN,
    readQueue: async () => undefined,
    env: {},
    log: createLog({ level: 'silent' }),
    ...options,
  });
  onTestFinished(() => dashboard[Symbol.asyncDispose]());
  return dashboard;
}
