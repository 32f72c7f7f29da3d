import { gunzipSync } from 'node:zlib';
import { measureRun, readArguments, report, type RunArguments } from '../child.ts';
import { readLists, warmUp } from './read-lists.ts';

/** The minimum work of a crawler: fetch every page, and with `parse` decode it and parse the JSON. Nothing is stored. */

interface DrainArguments extends RunArguments {
  readonly parse: boolean;
  /** Passes over the warm-up lists and over the measured lists. */
  readonly warmUpPasses: number;
  readonly passes: number;
}

const { parse, warmUpPasses, passes, ...run } = readArguments<DrainArguments>();

let found = 0;
const handle = (body: Buffer): void => {
  if (parse) found += Object.keys(JSON.parse(gunzipSync(body).toString()) as object).length;
  else found += 1;
};

// Warm up repeatedly where pages are fast, so that the bound is tight.
for (let pass = 0; pass < warmUpPasses; pass++) await warmUp(run, handle);
found = 0;
const result = await measureRun(run.url, async () => {
  for (let pass = 0; pass < passes; pass++) await readLists({ ...run, handle });
});
if (found !== run.pages * passes) throw new Error(`${found} pages instead of ${run.pages * passes}`);
report(result);
