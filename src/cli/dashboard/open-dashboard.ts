import { createResourceStack } from '#base/disposable-stack.ts';
import type { Log } from '#base/log.ts';
import { quoteShellWord } from '#base/text.ts';
import { getContext } from '#cli/context.ts';
import { listQueryFolders } from '#cli/query/find-query.ts';
import type { Address } from '#cli/shared/common-options.ts';
import type { Config } from '#config.ts';
import type { ActionTable } from '#dashboard/server/http/actions.ts';
import { type RunningDashboard, startDashboard } from '#dashboard/server/start-dashboard.ts';
import { createQueueView } from '#library/run/queue-view.ts';
import { openReadOnly } from '#store/sqlite/database.ts';

/** A dashboard with the addresses to print. */
export interface OpenedDashboard extends RunningDashboard {
  /** The addresses that sign in, or without their token if the user has set it; the first one is for this machine. */
  readonly shownUrls: readonly string[];
}

/** Starts the dashboard of an existing store, with the settings of the command. @throws TrawlError */
export async function openDashboard(options: {
  readonly db: string;
  readonly address: Address;
  readonly allowedHosts?: readonly string[] | undefined;
  readonly addressOption?: string;
  readonly config: Config;
  readonly log: Log;
  /** Undefined for a dashboard that only reads. */
  readonly actions?: ActionTable | undefined;
}): Promise<OpenedDashboard> {
  const { db: path, address, allowedHosts, addressOption, config, log, actions } = options;
  const { minFree, reserve, headroomShares, dashboardToken: token, childEnvironment: env } = config;
  const { typedDatabase } = getContext();
  const databaseOption = typedDatabase === undefined ? '' : `--db ${quoteShellWord(typedDatabase)}`;
  await using building = createResourceStack();
  const db = openReadOnly(path);
  building.use({ [Symbol.asyncDispose]: async () => void db.$client.close() });
  const queue = building.use(createQueueView({ config, place: path, db }));
  const dashboard = building.use(
    await startDashboard({
      ...address,
      allowedHosts,
      addressOption,
      token,
      actions,
      env,
      log,
      readQueue: () => queue.read(),
      settings: {
        path,
        minFree,
        reserve,
        headroomShares,
        databaseOption,
        queryFolders: listQueryFolders(),
      },
    }),
  );
  const shownUrls = [dashboard, ...dashboard.others].map(({ url, signInUrl }) =>
    token === undefined ? signInUrl : url,
  );
  return { ...dashboard, shownUrls, ...building.move() };
}
