import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { Browser } from 'playwright-core';
import { openPage } from '../../test/dashboard/open-page.ts';
import { type Appearance, SOFTWARE_WEBGL, startBrowser } from '../../test/support/browser.ts';
import { type BusyDashboard, startBusyDashboard } from './busy-dashboard.ts';
import { takePalettePicture } from './palette-png.ts';
import { type Picture, PICTURES } from './pictures.ts';

/**
 * `npm run docs:dashboard [-- docs|<folder> [name…]]`: takes pictures of the pages of a dashboard beside a worker: for
 * docs/operating/dashboard.md, or into a folder in all themes and widths; of all pages or of those named.
 */

const DOCS = resolve(import.meta.dirname, '../../docs/pictures');
const WIDTH = 1280;
const WIDTHS = [390, 820, 1440] as const;
/** In pixels. */
const MAX_HEIGHT = 3000;
const THEMES = ['light', 'dark'] as const;

const [output, ...names] = process.argv.slice(2);
const isForDocs = output === undefined || output === 'docs';
const folder = mkdtempSync(join(tmpdir(), 'trawl-dashboard-'));
const browser = await startBrowser(SOFTWARE_WEBGL);
try {
  await using dashboard = await startBusyDashboard(folder);
  mkdirSync(isForDocs ? DOCS : output, { recursive: true });
  for (const picture of PICTURES.filter(({ name }) => names.length === 0 || names.includes(name))) {
    try {
      if (isForDocs) await takeForDocs(browser, dashboard, picture);
      else await takeAll(browser, dashboard, picture, output);
    } catch (error) {
      // The other pictures are taken.
      process.stderr.write(`${picture.name}: ${String(error)}\n`);
      process.exitCode = 1;
    }
  }
} finally {
  await browser.close();
  rmSync(folder, { recursive: true, force: true });
}

async function takeForDocs(window: Browser, shown: BusyDashboard, picture: Picture): Promise<void> {
  const { name, from, theme = 'light', height = 900 } = picture;
  await using opened = await openReady(window, shown, picture, { width: WIDTH, theme });
  await opened.page.setViewportSize({ width: WIDTH, height });
  if (from !== undefined)
    await opened.page.evaluate(`document.querySelector('${from}').closest('section').scrollIntoView()`);
  const png = await takePalettePicture(opened.page);
  writeFileSync(join(DOCS, `dashboard-${name}.png`), png);
  process.stdout.write(`dashboard-${name}.png: ${Math.round(png.length / 1000)} kB\n`);
}

async function takeAll(window: Browser, shown: BusyDashboard, picture: Picture, into: string): Promise<void> {
  for (const width of WIDTHS) {
    for (const theme of THEMES) {
      await using opened = await openReady(window, shown, picture, { width, theme });
      const path = join(into, `${picture.name}-${width}-${theme}.png`);
      // Long lists draw only the rows in the window.
      const height = await opened.page.evaluate<number>('document.documentElement.scrollHeight');
      await opened.page.setViewportSize({ width, height: Math.min(MAX_HEIGHT, height) });
      await wait(500);
      await opened.page.screenshot({ path });
    }
  }
}

async function openReady(window: Browser, shown: BusyDashboard, picture: Picture, appearance: Appearance) {
  const { path, ready } = picture;
  const opened = await openPage(window, shown.address, appearance);
  await opened.page.goto(new URL(typeof path === 'string' ? path : path(shown), shown.address).href);
  // A busy machine takes long, and a page without data never gets there.
  await opened.page.locator(ready).first().waitFor({ timeout: 60_000 });
  // Charts are drawn, and bars have their length.
  await wait(1500);
  return opened;
}
