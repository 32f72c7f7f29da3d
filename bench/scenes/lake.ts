import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isDeepStrictEqual } from 'node:util';
import { interleave, perRound } from '../interleave.ts';
import { measureLake } from '../lake-files.ts';
import type { LakeAnswers, LakeQuestionsArguments } from '../lake-questions.ts';
import { captureCommand, measureCommand, measureTool, run } from '../processes.ts';
import { formatNumber, type Scene, withDatabase } from '../scene.ts';

/** Questions about all edges, asked of a store and of its lake through DuckDB, in turn. The answers must be equal. */

/** Thousandths of the store of large-store.ts, which has 21 million edges. */
const FULL = 950;
const QUICK = 5;
const ROUNDS = 3;
const TRAWL = fileURLToPath(new URL('../../bin/trawl.js', import.meta.url));
/** Two of its accounts, with lists of 200,000. */
const ACCOUNTS = ['1000000000002000006', '1000000000003000009'] as const;

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
        const ask = (args: Pick<LakeQuestionsArguments, 'db' | 'views'>) => (): Promise<LakeAnswers> =>
          run('lake-questions.ts', { ...args, accounts: ACCOUNTS } satisfies LakeQuestionsArguments);
        const answers = await interleave(
          { sqlite: ask({ db }), lake: ask({ views }) },
          quick ? 1 : rounds,
          (variant, round, { overlap, top }) =>
            log(
              `lake ${round + 1} ${variant}: overlap ${formatNumber(overlap.ms)} ms, most followed ${formatNumber(top.ms)} ms`,
            ),
        );
        const [bySqlite, byLake] = [answers['sqlite']![0]!, answers['lake']![0]!];
        for (const question of ['overlap', 'top'] as const)
          if (!isDeepStrictEqual(bySqlite[question].rows, byLake[question].rows))
            throw new Error(`${question}: ${JSON.stringify([bySqlite[question].rows, byLake[question].rows])}`);
        const figure = (question: keyof LakeAnswers) =>
          perRound(answers, ({ sqlite, lake: other }) => sqlite![question].ms / other![question].ms);
        const figures = { 'lake-overlap': figure('overlap'), 'lake-top': figure('top') };
        return {
          figures,
          ...(quick ? { indicative: Object.keys(figures) } : {}),
          notes: Object.fromEntries(
            (['sqlite', 'lake'] as const).flatMap((variant) =>
              (['overlap', 'top'] as const).map((question) => [
                `lake: ms of ${question}, ${variant}`,
                perRound(answers, (round) => round[variant]![question].ms),
              ]),
            ),
          ),
        };
      } finally {
        rmSync(lake, { recursive: true, force: true });
      }
    }),
};
