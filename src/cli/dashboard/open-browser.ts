import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { printNote } from '../terminal/output.ts';

const OPENERS: Readonly<Partial<Record<NodeJS.Platform, string>>> = { darwin: 'open', win32: 'explorer' };

/**
 * Opens an address in the browser of the desktop, by a file that only the user can read: the arguments of a process are visible
 * to all users. Disposal deletes the file. Without a browser, the address is printed anyway.
 */
export function openBrowser(address: string): Disposable {
  const folder = mkdtempSync(join(tmpdir(), 'trawl-'));
  const file = join(folder, 'dashboard.html');
  const page = `<!doctype html><meta charset="utf-8"><meta http-equiv="refresh" content="0; url=${address}">\n`;
  writeFileSync(file, page, { mode: 0o600 });
  const opener = OPENERS[process.platform] ?? 'xdg-open';
  spawn(opener, [file], { detached: true, stdio: 'ignore' })
    .on('error', () => printNote(`${opener} did not start: open the address yourself`))
    .unref();
  return { [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }) };
}
