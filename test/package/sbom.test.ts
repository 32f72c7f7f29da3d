import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { createSbom, type Sbom } from '../../scripts/sbom.ts';

const root = resolve(import.meta.dirname, '../..');
const read = (file: string): string => readFileSync(join(root, file), 'utf8');

const OWN = { name: 'trawl', version: '1.0.0', license: 'MIT' };

test('a package is named by its purl, once per version, in order', () => {
  const scoped = { name: '@scope/name', version: '2.0.0-rc.1', license: 'ISC' };
  const either = { name: 'either', version: '1.0.0+build', license: '(MIT OR Apache-2.0)' };
  const old = { ...either, version: '0.9.0' };
  const { metadata, components } = createSbom(OWN, [either, scoped, old, scoped]);
  expect(metadata.component).toMatchObject({ type: 'application', purl: 'pkg:npm/trawl@1.0.0' });
  expect(components).toEqual([
    {
      type: 'library',
      'bom-ref': 'pkg:npm/%40scope/name@2.0.0-rc.1',
      purl: 'pkg:npm/%40scope/name@2.0.0-rc.1',
      group: '@scope',
      name: 'name',
      version: '2.0.0-rc.1',
      licenses: [{ license: { id: 'ISC' } }],
    },
    ...['0.9.0', '1.0.0%2Bbuild'].map((version) => ({
      type: 'library',
      'bom-ref': `pkg:npm/either@${version}`,
      purl: `pkg:npm/either@${version}`,
      name: 'either',
      version: decodeURIComponent(version),
      licenses: [{ expression: '(MIT OR Apache-2.0)' }],
    })),
  ]);
});

test('the build lists what the bundle, the front end and its worker contain, and nothing else', () => {
  const sbom = JSON.parse(read('dist/bundle/sbom.cdx.json')) as Sbom;
  expect(sbom).toMatchObject({ bomFormat: 'CycloneDX', specVersion: '1.6', version: 1 });
  const { version } = JSON.parse(read('package.json')) as { version: string };
  expect(sbom.metadata.component).toMatchObject({ name: 'trawl', version });
  const versions = sbom.components.map(({ group, name, version: own }) => `${group ? `${group}/` : ''}${name} ${own}`);
  const names = new Set(versions.map((each) => each.split(' ')[0]));
  for (const name of ['fastify', 'undici', 'lua-redis-wasm', 'preact', 'sigma', 'graphology-layout-forceatlas2'])
    expect(names, name).toContain(name);
  // Installed beside the bundle, only used by the build, or read without a line in the output.
  for (const name of ['better-sqlite3', 'esbuild', 'vite', 'vitest', 'playwright-core', 'd3-brush'])
    expect(names, name).not.toContain(name);
  const { packages } = JSON.parse(read('package-lock.json')) as { packages: Record<string, { version: string }> };
  const locked = Object.entries(packages).map(
    ([path, entry]) => `${path.split('node_modules/').at(-1)} ${entry.version}`,
  );
  expect(versions.filter((each) => !locked.includes(each))).toEqual([]);
  // Each of them has its licence beside it.
  const licenses = read('dist/bundle/LICENSES.txt');
  for (const each of versions) expect(licenses).toContain(`${each} (`);
  expect(new Set(sbom.components.map((component) => component['bom-ref'])).size).toBe(versions.length);
});
