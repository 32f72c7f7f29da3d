import type { FollowAnswers, FollowQuestionsArguments } from '../follow-questions.ts';
import type { GrowthArguments, GrowthMark, GrowthSample } from '../growth.ts';
import { spread, type Spread } from '../interleave.ts';
import { run, startService } from '../processes.ts';
import { formatNumber, type Scene, withDatabase } from '../scene.ts';

/** The cost of an edge, and of the answers, in a growing store. One run: it is long, and its marks are compared. */

/** Questions are asked at every multiple of the base. */
type Mark = GrowthSample & Partial<FollowAnswers>;

/** Edges between two marks, and the marks that figures compare. */
const FULL = { step: 500_000, base: 1_000_000, large: 5_000_000, largest: 20_000_000 };
/** Too small for a verdict. */
const QUICK = { step: 12_800, base: 25_600, large: 76_800, largest: 76_800 };
/** No further step is started after this time. */
const MAX_MINUTES = 25;

export const growthScene: Scene = {
  name: 'growth',
  measure: (setting) =>
    withDatabase(setting, async (db) => {
      const { dist, quick, log } = setting;
      const { step, base, large, largest } = quick ? QUICK : FULL;
      const marks = new Map<number, Mark>();
      const endAt = performance.now() + MAX_MINUTES * 60_000;
      {
        await using writer = await startService('growth.ts', { dist, dbs: [db] } satisfies GrowthArguments);
        for (let edges = step; edges <= largest && performance.now() < endAt; edges += step) {
          const sample = await writer.request<GrowthSample>({ edges } satisfies GrowthMark);
          const questions: FollowQuestionsArguments = { db, edges: sample.edges };
          const answers = edges % base === 0 ? await run<FollowAnswers>('follow-questions.ts', questions) : undefined;
          const mark: Mark = { ...sample, ...answers };
          marks.set(edges, mark);
          const values = Object.entries(mark).map(([name, value]) => `${name} ${formatNumber(value)}`);
          log(`growth: ${values.join(' · ')}`);
        }
      }
      const ratio = (of: number, measure: keyof Mark): Spread | undefined => {
        const [value, unit] = [marks.get(of)?.[measure], marks.get(base)?.[measure]];
        return value === undefined || unit === undefined ? undefined : spread([value / unit]);
      };
      const figures = definedOf({
        'growth-edge': ratio(large, 'cpuUsPerEdge'),
        'growth-edge-20m': quick ? undefined : ratio(largest, 'cpuUsPerEdge'),
        'growth-memory': marks.has(large) ? spread([marks.get(large)!.peakRssMb]) : undefined,
        'growth-flat': ratio(large, 'peakRssMb'),
      });
      return {
        figures,
        ...(quick ? { indicative: Object.keys(figures) } : {}),
        notes: Object.fromEntries([...marks.values()].flatMap(notesOfMark)),
        missing: quick
          ? { 'growth-edge-20m': 'only full runs grow a store that far' }
          : Object.fromEntries(
              FIGURES.map((name) => [name, `the store did not grow that far in ${MAX_MINUTES} minutes`]),
            ),
      };
    }),
};

const FIGURES = ['growth-edge', 'growth-edge-20m', 'growth-memory', 'growth-flat'];

const definedOf = (figures: Readonly<Record<string, Spread | undefined>>): Record<string, Spread> =>
  Object.fromEntries(Object.entries(figures).flatMap(([name, value]) => (value ? [[name, value]] : [])));

const notesOfMark = (mark: Mark): [string, Spread][] =>
  (
    [
      ['us CPU per edge', mark.cpuUsPerEdge],
      ['us of it in the system', mark.systemUsPerEdge],
      ['peak MB', mark.peakRssMb],
      ['MB of file', mark.fileMb],
      ['ms for "whom does x follow"', mark.followingMs],
      ['ms for "who follows x", 10,000 rows', mark.followersMs],
    ] as const
  ).flatMap(([name, value]) =>
    value === undefined ? [] : [[`growth at ${mark.edges} edges: ${name}`, spread([value])]],
  );
