import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isLoopback } from '#base/listen.ts';
import { getConfig } from '#cli/context.ts';
import type { Address, CommonOptions } from '#cli/shared/common-options.ts';
import { readStore } from '#cli/shared/existing-store.ts';
import { openLog } from '#cli/shared/open-log.ts';
import { endOnInterrupt } from '#cli/shared/signals.ts';
import { printMessage } from '#cli/terminal/output.ts';
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
    printMessage(`anyone with access to ${listen.host} and the token can read all of ${db}, unencrypted`);
  printMessage(`dashboard of ${db}: ${dashboard.shownUrls.join('\n  ')}`);
  using _page = open && openBrowser(dashboard.signInUrl);
  await stopped;
}

const OPENERS: Readonly<Partial<Record<NodeJS.Platform, string>>> = { darwin: 'open', win32: 'explorer' };

/**
 * Opens an address in the browser of the desktop, by a file that only the user can read: the arguments of a process are visible
 * to all users. Disposal deletes the file. Without a browser, the address is printed anyway.
 */
function openBrowser(address: string): Disposable {
  const folder = mkdtempSync(join(tmpdir(), 'trawl-'));
  const file = join(folder, 'dashboard.html');
  const page = `<!doctype html><meta charset="utf-8"><meta http-equiv="refresh" content="0; url=${address}">\n`;
  writeFileSync(file, page, { mode: 0o600 });
  const opener = OPENERS[process.platform] ?? 'xdg-open';
  spawn(opener, [file], { detached: true, stdio: 'ignore' })
    .on('error', () => printMessage(`${opener} did not start: open the address yourself`))
    .unref();
  return { [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }) };
}
