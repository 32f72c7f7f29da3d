import { once } from 'node:events';
import { isLoopback } from '../../base/listen.ts';
import { getConfig } from '../context.ts';
import type { Address, CommonOptions } from '../shared/common-options.ts';
import { readStore } from '../shared/existing-store.ts';
import { openLog } from '../shared/open-log.ts';
import { endOnInterrupt } from '../shared/signals.ts';
import { printNote } from '../terminal/output.ts';
import { openBrowser } from './open-browser.ts';
import { openDashboard } from './open-dashboard.ts';

interface DashboardCommandOptions extends CommonOptions {
  readonly listen: Address;
  readonly allowHost?: readonly string[];
  readonly open?: true;
}

/** Serves the dashboard of a store until it is interrupted, which is success. */
export async function runDashboard({
  db,
  listen,
  allowHost: allowedHosts,
  open,
  quiet,
}: DashboardCommandOptions): Promise<void> {
  const config = getConfig();
  const stopped = once(endOnInterrupt(), 'abort');
  // Says what is wrong with the store before anything starts.
  await readStore(db, () => undefined);
  const log = openLog({ level: quiet ? 'silent' : 'info' });
  await using dashboard = await openDashboard({ db, address: listen, allowedHosts, config, log });
  if (!isLoopback(listen.host))
    printNote(`anyone with access to ${listen.host} and the token can read all of ${db}, unencrypted`);
  printNote(`dashboard of ${db}: ${dashboard.shownUrls.join('\n  ')}`);
  using _page = open && openBrowser(dashboard.signInUrl);
  await stopped;
}
