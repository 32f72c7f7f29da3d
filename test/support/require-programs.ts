import { listMissing } from './programs.ts';

/** `npm run test:all` skips nothing: it refuses to begin without the programs that its tests need. */
const missing = listMissing();
if (missing.length > 0) {
  process.stderr.write(`Some tests need programs that are not installed: apt install ${missing.join(' ')}\n`);
  process.exitCode = 1;
}
