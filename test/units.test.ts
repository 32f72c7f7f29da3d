import { expect, test } from 'vitest';
import { formatPercent } from '#base/units.ts';

test.each([
  [null, ''],
  [0, '0 %'],
  [1 / 1000, '< 1 %'],
  [0.0149, '1 %'],
  [0.5, '50 %'],
  [268 / 270, '99 %'],
  [269 / 270, '> 99 %'],
  [1, '100 %'],
  [1.02, '102 %'],
])('the share %s is never 100 %% below all and never 0 %% above none: %s', (share, text) => {
  expect(formatPercent(share)).toBe(text);
});
