import { fileURLToPath } from 'node:url';
import { type FindStoreArguments, wordOf } from '../find-store.ts';
import { interleave, perRound, type Rounds, type Spread } from '../interleave.ts';
import { measureCommand, measureScript, run } from '../processes.ts';
import type { CommandUsage } from '../report-cpu.ts';
import type { ScanArguments } from '../scan-tweets.ts';
import { formatNumber, roundsOf, type Scene, withDatabase } from '../scene.ts';

/** `trawl find`, from the start of its process to its end, compared with a scan of the same store by `like`. */

const FULL = 2_000_000;
const QUICK = 100_000;
const TRAWL = fileURLToPath(new URL('../../bin/trawl.js', import.meta.url));

/** What is searched, and the patterns of the scan. Of ten tweets, two have the frequent word. */
const SEARCHES: Readonly<Record<string, { readonly query: string; readonly patterns: readonly string[] }>> = {
  rare: searchWord(wordOf(20_000)),
  frequent: searchWord(wordOf(2)),
  phrase: { query: `"${wordOf(3)} ${wordOf(30)}"`, patterns: [`%${wordOf(3)} ${wordOf(30)}%`] },
  text: searchWord('映画'),
};

function searchWord(word: string) {
  return { query: word, patterns: [`%${word}%`] };
}

export const findScene: Scene = {
  name: 'find',
  measure: (setting) =>
    withDatabase(setting, async (db) => {
      const { dist, quick, log } = setting;
      await run('find-store.ts', { dist, db, tweets: quick ? QUICK : FULL } satisfies FindStoreArguments);
      const rounds = await measureFind(db, roundsOf(setting), log);
      const figure = (name: string): Spread =>
        perRound(rounds, (round) => round[`find ${name}`]!.cpuMs / round[`scan ${name}`]!.cpuMs);
      const names = Object.keys(SEARCHES);
      return {
        figures: Object.fromEntries(names.map((name) => [`find-${name}`, figure(name)])),
        ...(quick ? { indicative: names.map((name) => `find-${name}`) } : {}),
        notes: Object.fromEntries(
          Object.keys(rounds).flatMap((variant) => [
            [`${variant}: ms CPU`, perRound(rounds, (round) => round[variant]!.cpuMs)],
            [`${variant}: ms`, perRound(rounds, (round) => round[variant]!.wallMs)],
          ]),
        ),
      };
    }),
};

/** Runs each search as a command and as a scan, in turn. */
async function measureFind(db: string, rounds: number, log: (line: string) => void): Promise<Rounds<CommandUsage>> {
  const variants = Object.fromEntries(
    Object.entries(SEARCHES).flatMap(([name, { query, patterns }]) => [
      [`find ${name}`, () => measureCommand(TRAWL, ['find', query, '--db', db])],
      [`scan ${name}`, () => measureScript('scan-tweets.ts', { db, patterns } satisfies ScanArguments)],
    ]),
  );
  // The pages of the file are in the cache of the system from then on.
  for (const variant of Object.values(variants)) await variant();
  return await interleave(variants, rounds, (variant, round, { cpuMs, wallMs }) =>
    log(`${variant} ${round + 1}: ${formatNumber(cpuMs)} ms CPU, ${formatNumber(wallMs)} ms`),
  );
}
