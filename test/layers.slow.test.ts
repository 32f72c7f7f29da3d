import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { createTempDir } from './support/temp.ts';

/** [file, what it imports, whether it may, or only its types] */
const ARROWS: readonly (readonly [from: string, to: string, allowed: boolean | 'types'])[] = [
  ['twin/serve/a.ts', '#service/client/client.ts', false],
  ['twin/serve/http/d.ts', '#twin/serve/quota/key-quota.ts', true],
  ['twin/serve/e.ts', 'bullmq', false],
  ['twin/serve/h.ts', 'fastify', true],
  ['crawl/page/a.ts', '#crawl/queue/worker.ts', false],
  ['crawl/page/c.ts', 'undici', false],
  ['crawl/pagination/d.ts', '#service/client/client.ts', true],
  ['crawl/page/h.ts', '#store/schema/normalised-rows.ts', false],
  ['crawl/page/i.ts', '#store/schema/commit-messages.ts', true],
  ['crawl/page/m.ts', '#store/staging/staging-messages.ts', true],
  ['crawl/page/n.ts', '#store/staging/staged-pages.ts', false],
  ['store/staging/a.ts', '#crawl/slice/slice.ts', false],
  ['crawl/page/deep/er/e.ts', '#crawl/queue/worker.ts', false],
  ['crawl/planning/a.ts', '#service/client/client.ts', false],
  ['crawl/jobs/a.ts', '#crawl/slice/slice.ts', false],
  ['service/kinds/a.ts', '#store/store.ts', false],
  ['twin/faults/a.ts', '#twin/serve/http/start-twin.ts', false],
  ['store/normalise/a.ts', '#store/sqlite/database.ts', false],
  ['store/normalise/b.ts', 'node:fs', false],
  ['store/normalise/c.ts', '#store/schema/normalised-rows.ts', true],
  ['store/merge/b.ts', '#service/kinds/kinds.ts', true],
  ['store/c.ts', '#composition.ts', false],
  ['store/d.ts', '#base/errors.ts', true],
  ['service/contract/a.ts', '#store/schema/normalised-rows.ts', false],
  ['service/client/a.ts', '#store/store.ts', false],
  ['service/quota/a.ts', '#service/client/client.ts', false],
  ['crawl/queue/a.ts', '#service/client/client.ts', false],
  ['crawl/queue/redis/b.ts', '#crawl/slice/slice.ts', true],
  ['crawl/queue/redis/d.ts', '#store/sqlite/driver.ts', true],
  ['crawl/queue/redis/e.ts', '#store/sqlite/database.ts', false],
  ['store/sqlite/e.ts', 'better-sqlite3', 'types'],
  ['store/sqlite/f.ts', 'drizzle-orm/better-sqlite3', 'types'],
  ['store/sqlite/g.ts', 'drizzle-orm/better-sqlite3/migrator', true],
  ['cli/g.ts', 'better-sqlite3-13', 'types'],
  ['ops/monitoring/a.ts', '#crawl/queue/queues.ts', false],
  ['ops/monitoring/c.ts', 'fastify', false],
  ['ops/monitoring/d.ts', 'prom-client', true],
  ['ops/monitoring/e.ts', '#crawl/gates/outage/breaker-policy.ts', true],
  ['ops/alerts/a.ts', '#crawl/slice/slice.ts', false],
  ['ops/alerts/c.ts', 'undici', true],
  ['analysis/a.ts', '#crawl/slice/slice.ts', false],
  ['analysis/e.ts', '#service/kinds/kinds.ts', true],
  ['analysis/search/f.ts', '#analysis/find/ranking.ts', true],
  ['analysis/queries/c.ts', '#library/run/follow-crawls.ts', false],
  ['files/export/formats/b.ts', '#analysis/sql/sql-query.ts', true],
  ['files/export/f.ts', '@observablehq/plot', false],
  ['files/chart/a.ts', '#store/store.ts', false],
  ['files/chart/data/b.ts', '#files/export/write-file.ts', false],
  ['files/chart/plot/c.ts', '@observablehq/plot', true],
  ['files/export/tables/c.ts', '#cli/context.ts', false],
  ['analysis/find/a.ts', '#store/sqlite/database.ts', true],
  ['analysis/find/c.ts', '#analysis/count-rows.ts', false],
  ['twin/serve/queries/j.ts', '#analysis/find/search-query.ts', true],
  ['dashboard/server/a.ts', '#crawl/queue/worker.ts', false],
  ['dashboard/server/http/c.ts', 'fastify', true],
  ['dashboard/server/pages/overview/d.ts', '#analysis/disk-answer.ts', true],
  ['dashboard/server/e.ts', '#dashboard/web/main.tsx', false],
  ['dashboard/web/a.ts', '#dashboard/server/api/overview.ts', true],
  ['dashboard/web/pages/overview/b.tsx', '#dashboard/server/reader/read.ts', false],
  ['dashboard/web/d.ts', '#base/clock.ts', false],
  ['dashboard/web/components/e.tsx', '#base/units.ts', true],
  ['dashboard/web/f.ts', 'fastify', false],
  ['cli/h.ts', '#dashboard/web/main.tsx', false],
  ['twin/world/a.ts', '#service/contract/wire-page.ts', false],
  ['base/clock.ts', '#store/store.ts', false],
  ['composition.ts', './cli/main.ts', false],
  ['cli/crawl/a.ts', '#composition.ts', true],
  ['cli/crawl/b.ts', '#library/run/run-crawls.ts', true],
  ['cli/crawl/c.ts', '#library/open-store.ts', false],
  ['library/run/a.ts', '#cli/terminal/output.ts', false],
  ['library/run/b.ts', '#library/store.ts', false],
  ['library/run/c.ts', '#composition.ts', true],
  ['library/run/d.ts', 'bullmq', false],
  ['library/a.ts', '#cli/context.ts', false],
  ['library/b.ts', './run/run-crawls.ts', true],
  ['index.ts', './cli/program.ts', false],
  ['store/e.ts', './merge/merge-rules.ts', true],
  ['store/merge/f.ts', '../store.ts', false],
  ['store/g.ts', '../analysis/answer.ts', false],
  ['cli/i.ts', '../analysis/answer.ts', false],
  ['library/d.ts', '../analysis/answer.ts', true],
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
