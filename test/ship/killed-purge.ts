import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';

/** Purges a lake, and kills this process before its nth rename of a file; without n, prints their number. */
const [lake, at] = process.argv.slice(2);
let renames = 0;
const { rename } = fs.promises;
fs.promises.rename = async (...args) => {
  renames += 1;
  if (renames === Number(at)) process.kill(process.pid, 'SIGKILL');
  await rename(...args);
};
syncBuiltinESMExports();

const { loadTargetKind } = await import('../../src/ship/targets/target-kinds.ts');
const { purgeTarget } = await import('../../src/ship/purge/purge-target.ts');
const kind = await loadTargetKind(lake!);
const content = await kind.openContent!({ address: lake!, variables: {} });
using _lock = content.lock();
await purgeTarget({ content, isDryRun: false, signal: new AbortController().signal });
process.stdout.write(String(renames));
