import { writeFileSync } from 'node:fs';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { getColor } from '#files/chart/chart-theme.ts';
import { drawChart } from '#files/chart/draw-chart.ts';
import { changeAppearance, openFile, startBrowser } from '../support/browser.ts';
import { tempFile } from '../support/temp.ts';
import { CHART_EXAMPLES } from './examples.ts';

/** Charts as a browser shows them: its fonts are not those that the layout estimates. */

let browser: Browser;

/** Returns the texts that are outside of the picture by more than a pixel. */
const LIST_OUTSIDE = `(() => {
  const { width, height } = document.documentElement.getBoundingClientRect();
  return [...document.querySelectorAll('text')].flatMap((text) => {
    const box = text.getBoundingClientRect();
    const isInside = box.left >= -1 && box.top >= -1 && box.right <= width + 1 && box.bottom <= height + 1;
    return isInside ? [] : [text.textContent];
  });
})()`;

const GET_COLORS = `['rect', 'text'].map((name) => getComputedStyle(document.querySelector(name)).fill)`;

const toRgb = (hex: string): string =>
  `rgb(${[1, 3, 5].map((at) => Number.parseInt(hex.slice(at, at + 2), 16)).join(', ')})`;

describe('in a browser', () => {
  beforeAll(async () => {
    browser = await startBrowser();
  });
  afterAll(async () => {
    await browser?.close();
  });

  test.each(CHART_EXAMPLES.map((example) => [example.name, example] as const))(
    'the chart %s fits its picture, in both colour schemes',
    async (name, { columns, rows, spec }) => {
      for (const width of [860, 400]) {
        const file = tempFile(`${name}.svg`);
        writeFileSync(file, await drawChart({ columns, rows }, spec, { width }));
        await using opened = await openFile(browser, file, { width, theme: 'light' });
        expect(await opened.page.evaluate(LIST_OUTSIDE)).toEqual([]);
        const colors = (scheme: 'light' | 'dark'): string[] =>
          [getColor('background', scheme), getColor('ink', scheme)].map(toRgb);
        expect(await opened.page.evaluate(GET_COLORS)).toEqual(colors('light'));
        await changeAppearance(opened.page, { width, theme: 'dark' });
        expect(await opened.page.evaluate(GET_COLORS)).toEqual(colors('dark'));
        expect(opened.requests).toEqual([]);
        expect(opened.messages).toEqual([]);
      }
    },
  );
});
