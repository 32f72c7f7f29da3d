import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isDeepStrictEqual } from 'node:util';
import { interleave, perRound, type Spread } from '../interleave.ts';
import { measureLake } from '../lake-files.ts';
import type { LakeAnswers, LakeQuestionsArguments } from '../lake-questions.ts';
import type { LakeTablesArguments } from '../lake-tables.ts';
import { captureCommand, measureCommand, measureScript, measureTool, run } from '../processes.ts';
import { formatNumber, type Scene, withDatabase } from '../scene.ts';

/** Questions about all edges, asked of a store, and of views and tables of its lake in DuckDB, in turn. The answers must be equal. */

/** Thousandths of the store of large-store.ts, which has 21 million edges. */
const FULL = 950;
const QUICK = 5;
const ROUNDS = 5;
const TRAWL = fileURLToPath(new URL('../../bin/trawl.js', import.meta.url));
/** Two of its accounts, with lists of 200,000, of whom 142,757 are in both. */
const ACCOUNTS = ['1000000000002000006', '1000000000011000033'] as const;
/** The saved query, as `trawl query` asks it. */
const OVERLAP = readFileSync(new URL('../../queries/audience-overlap.sql', import.meta.url), 'utf8')
  .replace(':account', `'${ACCOUNTS[0]}'`)
  .replace(':other', `'${ACCOUNTS[1]}'`);
const QUESTIONS = ['overlap', 'top'] as const;
const LAKE_VARIANTS = ['lake', 'lake-tables'] as const;

export const lakeScene: Scene = {
  name: 'lake',
  onlyByName: true,
  measure: (setting) =>
    withDatabase(setting, async (db) => {
      const { directory, quick, log, rounds = ROUNDS } = setting;
      const lake = mkdtempSync(join(directory, 'lake-'));
      try {
        await measureTool('large-store.ts', [db, String(quick ? QUICK : FULL)]);
        await measureCommand(TRAWL, ['ship', 'add', lake, '--db', db]);
        const snapshot = await measureCommand(TRAWL, ['ship', 'run', '--once', '--quiet', '--db', db]);
        const { rows: edges, bytes } = (await measureLake(lake))['edge_sightings']!;
        log(
          `lake: snapshot of ${edges} edges: ${formatNumber(snapshot.cpuMs / 1000)} s of CPU, ${formatNumber(snapshot.peakRssMb)} MB at most, ${formatNumber(bytes / edges)} bytes an edge`,
        );
        const views = await captureCommand(TRAWL, ['ship', 'views', lake]);
        const tables = join(lake, '_tables.duckdb');
        const created = await measureScript('lake-tables.ts', {
          tables,
          statements: await captureCommand(TRAWL, ['ship', 'views', lake, '--tables']),
        } satisfies LakeTablesArguments);
        log(
          `lake: tables created in ${formatNumber(created.wallMs / 1000)} s, ${formatNumber(created.cpuMs / 1000)} s of CPU, ${formatNumber(created.peakRssMb)} MB at most, ${formatNumber(statSync(tables).size / 2 ** 20)} MB on disk`,
        );
        const ask = (args: Omit<LakeQuestionsArguments, 'overlap'>) => (): Promise<LakeAnswers> =>
          run('lake-questions.ts', { ...args, overlap: OVERLAP } satisfies LakeQuestionsArguments);
        const variants = { sqlite: ask({ db }), lake: ask({ views }), 'lake-tables': ask({ tables }) };
        const answers = await interleave(variants, quick ? 1 : rounds, (variant, round, { overlap, top }) =>
          log(
            `lake ${round + 1} ${variant}: overlap ${formatNumber(overlap.ms)} ms, most followed ${formatNumber(top.ms)} ms`,
          ),
        );
        const figures: Record<string, Spread> = {};
        for (const variant of LAKE_VARIANTS)
          for (const question of QUESTIONS) {
            const [wanted, found] = (['sqlite', variant] as const).map((each) => answers[each]![0]![question].rows);
            if (!isDeepStrictEqual(wanted, found)) throw new Error(`${question}: ${JSON.stringify([wanted, found])}`);
            figures[`${variant}-${question}`] = perRound(
              answers,
              (round) => round['sqlite']![question].ms / round[variant]![question].ms,
            );
          }
        return {
          figures,
          ...(quick ? { indicative: Object.keys(figures) } : {}),
          notes: Object.fromEntries(
            Object.keys(variants).flatMap((variant) =>
              QUESTIONS.flatMap((question) =>
                (['ms', 'cpuMs'] as const).map((unit) => [
                  `lake: ${unit} of ${question}, ${variant}`,
                  perRound(answers, (round) => round[variant]![question][unit]),
                ]),
              ),
            ),
          ),
        };
      } finally {
        rmSync(lake, { recursive: true, force: true });
      }
    }),
};
