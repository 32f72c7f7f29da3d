import { measured, readArguments, report, type RunArguments } from '../child.ts';
import { walk, warmUp } from './walk.ts';

/** The least that any crawler does: ask for every page, and with `parse` also read the JSON. Nothing is kept. */

interface DrainArguments extends RunArguments {
  readonly parse: boolean;
  /** How often the lists that warm up are walked, and then those that count. */
  readonly heats: number;
  readonly passes: number;
}

const { parse, heats, passes, ...run } = readArguments<DrainArguments>();

let found = 0;
const handle = (body: Buffer): void => {
  if (parse) found += Object.keys(JSON.parse(body.toString()) as object).length;
  else found += 1;
};

// A bound should be as hard to reach as it can be: where pages take no time, the few that warm up are walked often.
for (let pass = 0; pass < heats; pass++) await warmUp(run, handle);
found = 0;
const result = await measured(run.url, async () => {
  for (let pass = 0; pass < passes; pass++) await walk({ ...run, handle });
});
if (found !== run.pages * passes) throw new Error(`${found} pages instead of ${run.pages * passes}`);
report(result);
