import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { createTempDir } from './support/temp.ts';

/** [file, what it imports, whether the layer table allows it] */
const ARROWS: readonly (readonly [from: string, to: string, allowed: boolean])[] = [
  ['twin/a.ts', '../client/client.ts', false],
  ['twin/b.ts', '../crawl/step.ts', false],
  ['twin/c.ts', '../queue/worker.ts', false],
  ['twin/d.ts', '../normalise/pages.ts', false],
  ['twin/e.ts', 'bullmq', false],
  ['twin/f.ts', '../contract/endpoints.ts', true],
  ['twin/g.ts', '../store/database.ts', true],
  ['twin/h.ts', 'fastify', true],
  ['crawl/a.ts', '../queue/worker.ts', false],
  ['crawl/b.ts', '../config.ts', false],
  ['crawl/c.ts', 'undici', false],
  ['crawl/d.ts', '../client/client.ts', true],
  ['crawl/deep/e.ts', '../../queue/worker.ts', false],
  ['crawl/deep/f.ts', '../../quota/policy.ts', true],
  ['normalise/a.ts', '../store/database.ts', false],
  ['normalise/b.ts', 'node:fs', false],
  ['normalise/c.ts', '../store/rows.ts', true],
  ['store/a.ts', '../crawl/kinds.ts', false],
  ['store/b.ts', '../contract/endpoints.ts', false],
  ['store/c.ts', '../context.ts', false],
  ['store/d.ts', '../errors.ts', true],
  ['contract/a.ts', '../store/rows.ts', false],
  ['client/a.ts', '../store/database.ts', false],
  ['quota/a.ts', '../client/client.ts', false],
  ['outage/a.ts', '../quota/policy.ts', false],
  ['outage/b.ts', '../clock.ts', true],
  ['crawl/deep/g.ts', '../../outage/breaker.ts', true],
  ['queue/a.ts', '../client/client.ts', false],
  ['queue/b.ts', '../crawl/step.ts', true],
  ['analysis/a.ts', '../crawl/kinds.ts', false],
  ['analysis/b.ts', '../store/database.ts', true],
  ['world/a.ts', '../normalise/tweets.ts', false],
  ['world/b.ts', '../text.ts', true],
  ['clock.ts', './store/database.ts', false],
  ['context.ts', './cli/main.ts', false],
  ['cli/a.ts', '../world/create.ts', true],
  ['cli/b.ts', '../context.ts', true],
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
    expect(refused.has(`${form} ${from}`)).toBe(!allowed);
  });
});

test('the code as it stands keeps to the layers', () => {
  expect(lint(root)).toEqual([]);
});
