import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { createTempDir } from './support/temp.ts';

/** [file, what it imports, whether it may, or only its types] */
const ARROWS: readonly (readonly [from: string, to: string, allowed: boolean | 'types'])[] = [
  ['twin/a.ts', '../client/client.ts', false],
  ['twin/http/b.ts', '../../engine/slice.ts', false],
  ['twin/http/c.ts', '../../quota/policy.ts', false],
  ['twin/http/d.ts', '../quota/key-quota.ts', true],
  ['twin/e.ts', 'bullmq', false],
  ['twin/g.ts', '../store/sqlite/database.ts', true],
  ['twin/h.ts', 'fastify', true],
  ['engine/a.ts', '../queue/worker.ts', false],
  ['engine/b.ts', '../config.ts', false],
  ['engine/c.ts', 'undici', false],
  ['engine/pagination/d.ts', '../../client/client.ts', true],
  ['engine/f.ts', '../store/store.ts', false],
  ['engine/g.ts', '../store/sqlite/database.ts', false],
  ['engine/h.ts', '../store/schema/rows.ts', false],
  ['engine/j.ts', '../store/schema/crawl-row.ts', false],
  ['engine/i.ts', '../store/schema/messages.ts', true],
  ['engine/m.ts', '../staging/messages.ts', true],
  ['engine/n.ts', '../staging/staged-pages.ts', false],
  ['staging/a.ts', '../engine/slice.ts', false],
  ['staging/b.ts', '../client/client.ts', false],
  ['store/f.ts', '../staging/messages.ts', false],
  ['engine/deep/er/e.ts', '../../../queue/worker.ts', false],
  ['planning/a.ts', '../client/client.ts', false],
  ['planning/b.ts', '../store/store-reads.ts', false],
  ['jobs/a.ts', '../engine/slice.ts', false],
  ['jobs/b.ts', '../store/sqlite/database.ts', false],
  ['kinds/a.ts', '../store/store.ts', false],
  ['faults/a.ts', '../twin/http/app.ts', false],
  ['normalise/a.ts', '../store/sqlite/database.ts', false],
  ['normalise/b.ts', 'node:fs', false],
  ['normalise/c.ts', '../store/schema/rows.ts', true],
  ['store/merge/a.ts', '../../engine/slice.ts', false],
  ['store/merge/b.ts', '../../kinds/kinds.ts', true],
  ['store/c.ts', '../composition.ts', false],
  ['store/d.ts', '../errors.ts', true],
  ['contract/a.ts', '../store/schema/rows.ts', false],
  ['client/a.ts', '../store/store.ts', false],
  ['quota/a.ts', '../client/client.ts', false],
  ['queue/a.ts', '../client/client.ts', false],
  ['queue/c.ts', '../store/schema/tables.ts', false],
  ['queue/redis/b.ts', '../../engine/slice.ts', true],
  ['queue/redis/d.ts', '../../store/sqlite/driver.ts', true],
  ['queue/redis/e.ts', '../../store/sqlite/database.ts', false],
  ['store/sqlite/e.ts', 'better-sqlite3', 'types'],
  ['store/sqlite/f.ts', 'drizzle-orm/better-sqlite3', 'types'],
  ['store/sqlite/g.ts', 'drizzle-orm/better-sqlite3/migrator', true],
  ['cli/g.ts', 'better-sqlite3-13', 'types'],
  ['monitoring/a.ts', '../queue/queues.ts', false],
  ['monitoring/b.ts', '../store/store.ts', false],
  ['monitoring/c.ts', 'fastify', false],
  ['monitoring/d.ts', 'prom-client', true],
  ['monitoring/e.ts', '../engine/outage/circuit.ts', true],
  ['engine/k.ts', 'prom-client', false],
  ['engine/l.ts', '../monitoring/work-metrics.ts', false],
  ['alerts/a.ts', '../engine/slice.ts', false],
  ['alerts/b.ts', '../store/store.ts', false],
  ['alerts/c.ts', 'undici', true],
  ['alerts/d.ts', '../jobs/job.ts', true],
  ['jobs/c.ts', '../alerts/alerter.ts', false],
  ['rebuild/a.ts', '../engine/slice.ts', false],
  ['analysis/a.ts', '../engine/slice.ts', false],
  ['analysis/e.ts', '../kinds/kinds.ts', true],
  ['analysis/search/f.ts', '../../search/ranking.ts', true],
  ['analysis/b.ts', '../export/write-file.ts', false],
  ['queries/a.ts', '../kinds/kinds.ts', true],
  ['queries/b.ts', '../export/write-file.ts', false],
  ['queries/c.ts', '../run/resolve-accounts.ts', false],
  ['analysis/c.ts', '../queries/catalogue.ts', false],
  ['export/a.ts', '../engine/slice.ts', false],
  ['export/formats/b.ts', '../../analysis/sql/query.ts', true],
  ['export/d.ts', '../kinds/kinds.ts', false],
  ['export/formats/e.ts', '../../chart/draw-chart.ts', true],
  ['export/f.ts', '@observablehq/plot', false],
  ['chart/a.ts', '../store/store.ts', false],
  ['chart/data/b.ts', '../../export/write-file.ts', false],
  ['chart/plot/c.ts', '@observablehq/plot', true],
  ['chart/plot/d.ts', 'linkedom', true],
  ['export/tables/c.ts', '../../cli/context.ts', false],
  ['twin/i.ts', '../export/snapshot.ts', false],
  ['search/a.ts', '../store/sqlite/database.ts', true],
  ['search/b.ts', '../twin/problems.ts', false],
  ['search/c.ts', '../analysis/count-rows.ts', false],
  ['twin/queries/j.ts', '../../search/search-query.ts', true],
  ['dashboard/a.ts', '../queue/worker.ts', false],
  ['dashboard/b.ts', '../run/queue/queue-view.ts', false],
  ['dashboard/http/c.ts', 'fastify', true],
  ['dashboard/pages/overview/d.ts', '../../../analysis/disk-report.ts', true],
  ['dashboard/e.ts', '../web/main.tsx', false],
  ['web/a.ts', '../dashboard/api/overview.ts', true],
  ['web/pages/overview/b.tsx', '../../../dashboard/reader/read.ts', false],
  ['web/live/c.ts', '../../store/schema/rows.ts', false],
  ['web/d.ts', '../clock.ts', false],
  ['web/components/e.tsx', '../../units.ts', true],
  ['web/f.ts', 'fastify', false],
  ['cli/h.ts', '../web/main.tsx', false],
  ['twin/k.ts', 'preact', false],
  ['world/a.ts', '../normalise/tweets.ts', false],
  ['clock.ts', './store/store.ts', false],
  ['composition.ts', './cli/main.ts', false],
  ['cli/crawl/a.ts', '../../composition.ts', true],
  ['cli/crawl/b.ts', '../../run/run-crawls.ts', true],
  ['cli/crawl/c.ts', '../../library/store.ts', false],
  ['run/a.ts', '../cli/terminal/output.ts', false],
  ['run/b.ts', '../library/store.ts', false],
  ['run/c.ts', '../composition.ts', true],
  ['run/d.ts', 'bullmq', false],
  ['library/a.ts', '../cli/context.ts', false],
  ['library/b.ts', '../run/run-crawls.ts', true],
  ['index.ts', './cli/run.ts', false],
];

/** Every way of writing an import. */
const FORMS = {
  value: (to: string) => `import * as it from '${to}';\nexport const use = it;\n`,
  type: (to: string) => `import type * as It from '${to}';\nexport type Use = typeof It;\n`,
  'export from': (to: string) => `export * from '${to}';\n`,
  dynamic: (to: string) => `export const load = async () => import('${to}');\n`,
} as const;

const root = resolve(import.meta.dirname, '..');
let refused: ReadonlySet<string>;

beforeAll(() => {
  using directory = createTempDir();
  copyFileSync(join(root, 'oxlint.config.mjs'), join(directory.path, 'oxlint.config.mjs'));
  symlinkSync(join(root, 'node_modules'), join(directory.path, 'node_modules'));
  for (const [form, write] of Object.entries(FORMS)) {
    for (const [from, to] of ARROWS) {
      // A copy of the house per form, so that the globs of the configuration match as they stand.
      const file = join(directory.path, form, 'src', from);
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, write(to));
    }
    copyFileSync(join(root, 'oxlint.config.mjs'), join(directory.path, form, 'oxlint.config.mjs'));
  }
  refused = new Set(
    Object.keys(FORMS).flatMap((form) => lint(join(directory.path, form)).map((file) => `${form} ${file}`)),
  );
});

/** The files that the layer rules refuse. */
function lint(directory: string): string[] {
  const oxlint = join(root, 'node_modules', '.bin', 'oxlint');
  const { stdout } = spawnSync(oxlint, ['-c', 'oxlint.config.mjs', '--format', 'json', 'src'], {
    cwd: directory,
    encoding: 'utf8',
  });
  const { diagnostics } = JSON.parse(stdout) as { diagnostics: { code: string; filename: string }[] };
  return diagnostics
    .filter(({ code }) => code === 'eslint(no-restricted-imports)')
    .map(({ filename }) => filename.replace(/^src\//, ''));
}

describe.each(Object.keys(FORMS))('an import written as %s', (form) => {
  test.each(ARROWS)('from %s to %s: allowed is %s', (from, _to, allowed) => {
    expect(refused.has(`${form} ${from}`)).toBe(!(allowed === 'types' ? form === 'type' : allowed));
  });
});

test('the code follows the layer rules', () => {
  expect(lint(root)).toEqual([]);
});
