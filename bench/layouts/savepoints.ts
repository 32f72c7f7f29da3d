import { chunks, type Design, medians, table } from './measure.ts';
import { DECIDED, DECIDED_PRAGMAS, decidedStore, openTables, type Pragmas } from './tables.ts';
import { type Page, userPages } from './workload.ts';

/** What it costs that a page of a group can be undone alone. */

const design = (name: string, savepoints: boolean, pragmas: Pragmas): Design<Page[]> => ({
  name,
  open(file) {
    const db = openTables(file, DECIDED, { ...DECIDED_PRAGMAS, tempStore: 'default', ...pragmas });
    const store = decidedStore(db);
    const [begin, commit, savepoint, release] = ['begin immediate', 'commit', 'savepoint page', 'release page'].map(
      (sql) => db.prepare(sql),
    );
    return {
      write(pages) {
        begin!.run();
        for (const page of pages) {
          if (savepoints) savepoint!.run();
          store(page);
          if (savepoints) release!.run();
        }
        commit!.run();
      },
      close: () => db.close(),
    };
  },
});

const designs = [
  design('a savepoint for each page', true, {}),
  design('the same, temp_store = memory', true, { tempStore: 'memory' }),
  design('none', false, {}),
  design('none, temp_store = memory', false, { tempStore: 'memory' }),
];

const work = chunks(userPages(2048), 32);
const runs = await medians(designs, [work]);
const base = runs[2]![0]!;
table(
  ['', 'us per user', 'x', 'wall us per user', 'x', 'WAL bytes per user'],
  designs.map(({ name }, i) => {
    const { threadUs, wallUs, walBytes } = runs[i]![0]!;
    return [
      name,
      (threadUs / 204_800).toFixed(2),
      (threadUs / base.threadUs).toFixed(2),
      (wallUs / 204_800).toFixed(2),
      (wallUs / base.wallUs).toFixed(2),
      Math.round(walBytes / 204_800),
    ];
  }),
);
