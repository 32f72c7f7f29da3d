import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { observeWorld, runCommand } from '../test/report/observed-world.ts';
import { openFile, startBrowser } from '../test/support/browser.ts';

/**
 * `npm run docs:pictures [folder]`: crawls a synthetic world for some weeks, writes the reports of three accounts, and takes
 * their pictures: for docs/reports.md, or into a folder in all themes and widths and as PDF.
 */

const DOCS = resolve(import.meta.dirname, '../docs/pictures');
const WIDTHS = [390, 820, 1440] as const;
const THEMES = ['light', 'dark'] as const;

const folder = mkdtempSync(join(tmpdir(), 'trawl-pictures-'));
try {
  const world = await observeWorld({ folder, users: 400, weeks: 6 });
  const browser = await startBrowser();
  const write = async (subject: string, target: string, name: string): Promise<string> => {
    const file = join(folder, `${name}.html`);
    const args = ['report', subject, target, '-o', file, '--db', world.db, '--author', 'Doe, Jane'];
    const { code, stderr } = await runCommand(args, {}, folder);
    if (code !== 0) throw new Error(stderr);
    return file;
  };
  const output = process.argv[2];
  if (output === undefined) {
    mkdirSync(DOCS, { recursive: true });
    // The beginning of one report, and the charts of another one.
    const views = [
      { account: world.accounts.gaps, theme: 'light', section: undefined },
      { account: world.accounts.capped, theme: 'dark', section: 'activity' },
    ] as const;
    for (const { account, theme, section } of views) {
      const file = await write('account', account, account);
      await using opened = await openFile(browser, file, { width: 1000, theme });
      await opened.page.setViewportSize({ width: 1000, height: 1400 });
      if (section) await opened.page.evaluate(`document.getElementById('${section}').scrollIntoView()`);
      await opened.page.screenshot({ path: join(DOCS, `report-${theme}.png`) });
    }
  } else {
    mkdirSync(output, { recursive: true });
    const reports = [
      ...Object.entries(world.accounts).map(([name, handle]) => [name, 'account', handle] as const),
      ['search', 'search', world.search] as const,
      ['job', 'job', world.job] as const,
    ];
    for (const [name, subject, target] of reports) {
      const file = await write(subject, target, name);
      for (const width of WIDTHS) {
        for (const theme of THEMES) {
          await using opened = await openFile(browser, file, { width, theme });
          await opened.page.screenshot({ path: join(output, `${name}-${width}-${theme}.png`), fullPage: true });
        }
      }
      await using opened = await openFile(browser, file, { width: 1440, theme: 'light' });
      await opened.page.pdf({ path: join(output, `${name}.pdf`), preferCSSPageSize: true });
    }
  }
  await browser.close();
} finally {
  rmSync(folder, { recursive: true, force: true });
}
