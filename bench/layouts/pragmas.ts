import { chunks, type Design, medians, perPiece, table } from './measure.ts';
import { DECIDED, DECIDED_PRAGMAS, decidedStore, groups, openTables, type Pragmas } from './tables.ts';
import { type Page, userPages } from './workload.ts';

/** The settings of the connection, and how many pages share a transaction: whole pages, stored as was decided. */

const design = (name: string, pragmas: Pragmas, size = 32): Design<Page[]> => ({
  name,
  pageSize: pragmas.pageSize ?? 4096,
  open(file) {
    const db = openTables(file, DECIDED, { ...DECIDED_PRAGMAS, ...pragmas });
    const store = decidedStore(db);
    const inGroup = groups(db);
    return {
      write(pages, committed) {
        for (const group of chunks(pages, size)) {
          inGroup(group, store);
          committed();
        }
      },
      close: () => db.close(),
    };
  },
});

const SETS: Record<string, Design<Page[]>[]> = {
  checkpoint: [1000, 2000, 4000, 8000, 16_000, 32_000].map((n) =>
    design(`wal_autocheckpoint ${n}`, { autocheckpoint: n }),
  ),
  cache: [8, 16, 32, 64, 256].map((mb) => design(`cache_size ${mb} MB`, { cacheKb: mb * 1024 })),
  page: [4096, 1024, 2048, 8192, 16_384].map((n) =>
    design(`page_size ${n}`, { pageSize: n, autocheckpoint: (16_000 * 4096) / n }),
  ),
  mmap: [0, 256, 1024].map((mb) => design(`mmap_size ${mb} MB`, { mmapMb: mb })),
  group: [32, 1, 4, 8, 16, 64, 128].map((n) => design(`${n} pages a transaction`, {}, n)),
};

const pages = userPages(2048);
for (const [name, designs] of Object.entries(SETS)) {
  if (process.argv[3] && process.argv[3] !== name) continue;
  const runs = await medians(designs, [chunks(pages, 128)]);
  const columns = (['threadUs', 'wallUs', 'walBytes'] as const).map((key) => perPiece(runs, 0, key, 204_800));
  table(
    [name, 'us per user', 'x', 'wall us', 'x', 'WAL bytes', 'x', 'longest ms'],
    designs.map((d, i) => [
      d.name,
      ...columns.flatMap((column) => column[i]!),
      (runs[i]![0]!.longestUs / 1000).toFixed(0),
    ]),
  );
}
