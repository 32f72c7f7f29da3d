import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import type { AxeResults } from 'axe-core';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import { expect } from 'vitest';

/** The browser of the system; undefined if there is none. */
export const findBrowser = (): string | undefined =>
  ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find((path) => existsSync(path));

/** WebGL on the processor, where there is no graphics card. */
export const SOFTWARE_WEBGL = ['--use-angle=swiftshader', '--enable-unsafe-swiftshader'];
export const NO_WEBGL = ['--disable-3d-apis'];

/** Starts the browser, without network. @param more further arguments @throws if there is none */
export async function startBrowser(more: readonly string[] = []): Promise<Browser> {
  const executablePath = findBrowser();
  if (executablePath === undefined) throw new Error('chromium is not installed: apt install chromium');
  return await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-dev-shm-usage', ...more] });
}

/** The limit of a wait for a page, in ms: a busy machine takes long, and a page that never gets there fails anyway. */
const PATIENCE_MS = 120_000;

/** Opens a window in which waits have a generous limit. */
export async function openWindow(browser: Browser, { width, theme }: Appearance): Promise<BrowserContext> {
  const context = await browser.newContext({ viewport: { width, height: 900 }, colorScheme: theme, locale: 'en-GB' });
  context.setDefaultTimeout(PATIENCE_MS);
  return context;
}

/** A page that was opened from a file. */
export interface OpenedPage extends AsyncDisposable {
  readonly page: Page;
  /** Requests for anything but the file itself. */
  readonly requests: readonly string[];
  /** Messages of the console, and errors. */
  readonly messages: readonly string[];
}

export interface Appearance {
  readonly width: number;
  readonly theme: 'light' | 'dark';
}

/** Opens a file as a reader would. */
export async function openFile(browser: Browser, file: string, appearance: Appearance): Promise<OpenedPage> {
  const context = await openWindow(browser, appearance);
  const page = await context.newPage();
  const [requests, messages]: [string[], string[]] = [[], []];
  const { href } = pathToFileURL(file);
  page.on('request', (request) => {
    if (request.url() !== href) requests.push(request.url());
  });
  page.on('console', (message) => messages.push(message.text()));
  page.on('pageerror', (error) => messages.push(error.message));
  page.on('dialog', (dialog) => {
    messages.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  await page.goto(href);
  return { page, requests, messages, [Symbol.asyncDispose]: () => context.close() };
}

/** Changes the window and the theme of an opened page. */
export async function changeAppearance(page: Page, { width, theme }: Appearance): Promise<void> {
  await page.setViewportSize({ width, height: 900 });
  await page.emulateMedia({ colorScheme: theme });
}

const AXE = createRequire(import.meta.url).resolve('axe-core/axe.min.js');

/** The rules whose result depends on colours. */
const COLOUR_RULES = ['color-contrast', 'link-in-text-block'];

/**
 * Returns what axe-core finds on a page: `rule: selector` for each violation. The page's policy does not concern evaluated code.
 * @param rules all by default
 */
export async function findViolations(page: Page, rules?: readonly string[]): Promise<string[]> {
  if (!(await page.evaluate<boolean>('typeof axe === "object"'))) await page.evaluate(readFileSync(AXE, 'utf8'));
  const options = { resultTypes: ['violations'], ...(rules && { runOnly: rules }) };
  const { violations } = await page.evaluate<AxeResults>(`axe.run(document, ${JSON.stringify(options)})`);
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ target, failureSummary }) => `${id}: ${target.join(' ')} ${failureSummary ?? ''}`),
  );
}

/**
 * Checks a page in two widths: no violation in any theme, and nothing wider than the window. Only colours differ between the
 * themes, so the other rules are checked in the light one.
 */
export async function checkAppearances(page: Page, name: string): Promise<void> {
  for (const width of [390, 1280])
    for (const theme of ['light', 'dark'] as const) {
      await changeAppearance(page, { width, theme });
      const violations = await findViolations(page, theme === 'dark' ? COLOUR_RULES : undefined);
      expect(violations, `${name} ${width} ${theme}`).toEqual([]);
      expect(await page.evaluate<number>('document.documentElement.scrollWidth'), name).toBeLessThanOrEqual(width);
    }
}
