import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect, test } from 'vitest';
import { COLOR_NAMES, getColor } from '#files/chart/chart-theme.ts';

test('the dashboard has the palette of the charts, in both themes', () => {
  const style = readFileSync(resolve(import.meta.dirname, '../../src/dashboard/web/style/tokens.css'), 'utf8');
  const declared = [...style.matchAll(/--chart-([\w-]+): light-dark\((#\w{6}), (#\w{6})\)/g)].map(
    ([, name, light, dark]) => [name, light, dark],
  );
  const palette = COLOR_NAMES.filter((name) => !name.startsWith('shade-'));
  expect(declared).toEqual(palette.map((name) => [name, getColor(name, 'light'), getColor(name, 'dark')]));
});
