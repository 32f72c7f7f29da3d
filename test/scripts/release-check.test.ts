import { expect, test } from 'vitest';
import type { LockFile } from '../../scripts/lock-file.ts';
import {
  checkAudit,
  checkChangelog,
  checkLicenses,
  checkLockFile,
  checkPackedFiles,
} from '../../scripts/release-check.ts';

test('installed and bundled packages have an accepted licence', () => {
  const of = (license: string | undefined, more = {}): LockFile => ({
    packages: { '': {}, 'node_modules/a': { integrity: 'sha512-a', ...(license ? { license } : {}), ...more } },
  });
  expect(['MIT', '(MIT OR GPL-3.0)', 'Apache-2.0'].flatMap((name) => checkLicenses(of(name), []))).toEqual([]);
  expect(checkLicenses(of('GPL-3.0'), [])).toEqual(['node_modules/a: GPL-3.0']);
  expect(checkLicenses(of(undefined), [])).toEqual(['node_modules/a: no licence']);
  expect(checkLicenses(of('GPL-3.0', { dev: true }), [])).toEqual([]);
  expect(checkLicenses(of('GPL-3.0', { dev: true }), ['node_modules/a'])).toEqual(['node_modules/a: GPL-3.0']);
});

test('every entry of the lock file has an integrity', () => {
  const entry = { version: '1.0.0', integrity: 'sha512-a' };
  expect(checkLockFile({ packages: { '': {}, 'node_modules/a': entry } })).toEqual([]);
  expect(
    checkLockFile({
      packages: {
        'node_modules/b/node_modules/@c/a': { version: '1.0.0' },
        'node_modules/lua-redis-wasm': { ...entry, engines: { node: '>=22' } },
        'node_modules/js-redis-server': entry,
        'node_modules/better-sqlite3': { ...entry, engines: { node: '20.x || 22.x' } },
      },
    }),
  ).toEqual([
    '@c/a@1.0.0 has no integrity: npm run lockfile adds it',
    'lua-redis-wasm has the wrong versions of Node: npm run lockfile corrects them',
    'better-sqlite3 has the wrong versions of Node: npm run lockfile corrects them',
  ]);
});

test('the package holds what its manifest names, and nothing private', () => {
  const manifest = {
    version: '1.0.0',
    bin: { trawl: 'bin/trawl.js' },
    types: './dist/index.d.ts',
    exports: { '.': { types: './dist/index.d.ts', default: './dist/index.js' }, './package.json': './package.json' },
  };
  const files = ['LICENSE', 'README.md', 'package.json', 'bin/trawl.js', 'dist/bundle/main.js', 'migrations/0.sql'];
  const library = ['dist/index.js', 'dist/index.d.ts'];
  expect(checkPackedFiles([...files, ...library], manifest)).toEqual([]);
  expect(checkPackedFiles(files, manifest)).toEqual(['lacks dist/index.d.ts', 'lacks dist/index.js']);
  const more = ['.env', 'trawl.db-wal', 'test/a.ts', '.env.example', 'dist/test-data.js'];
  expect(checkPackedFiles([...files, ...library, ...more], manifest)).toEqual([
    'contains .env',
    'contains trawl.db-wal',
    'contains test/a.ts',
  ]);
});

test.each([
  ['# Changelog\n\n## [Unreleased]\n\n## [1.0.0] - 2025-01-31\n\n- One.\n', []],
  ['# Changelog\n\n## [Unreleased]\n\n- Two.\n\n## [1.0.0] - 2025-01-31\n', [/^\[Unreleased\] is not empty/]],
  ['# Changelog\n\n## [Unreleased]\n\n## [0.9.0] - 2025-01-31\n', [/newest version is "\[0\.9\.0\].* has 1\.0\.0$/]],
  ['# Changelog\n\n## [Unreleased]\n\n## [1.0.0]\n', [/newest version is/]],
  ['# Changelog\n\n## 1.0.0\n', [/first section is not \[Unreleased\]/]],
])('the changelog has the version to release: %j', (text, problems) => {
  expect(checkChangelog(text, '1.0.0')).toEqual(problems.map((problem) => expect.stringMatching(problem)));
});

test('an audit without an answer is skipped', () => {
  expect(checkAudit('{"message":"405 Method Not Allowed"}')).toMatch(/does not answer: 405/);
  expect(checkAudit('{"vulnerabilities":{}}')).toEqual([]);
  expect(checkAudit('{"vulnerabilities":{"a":{"severity":"high"}}}')).toEqual(['a: high']);
});
