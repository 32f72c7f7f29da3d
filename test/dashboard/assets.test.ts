import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { brotliDecompressSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { createStoreFile } from '../support/store-file.ts';
import { shareDashboard } from './support.ts';
import { fetchWithToken } from './token.ts';

const shared = shareDashboard(createStoreFile);
const folder = resolve(import.meta.dirname, '../../dist/web/assets');
const files = readdirSync(folder);

const readAsset = (name: string): string => readFileSync(join(folder, name), 'utf8');
const matchNames = (name: string, pattern: RegExp): string[] =>
  [...readAsset(name).matchAll(pattern)].map(([, imported]) => imported!);
const listStatic = (name: string): string[] => matchNames(name, /(?:from|import)\s*["'`]\.\/([\w-]+\.js)["'`]/g);
const listDynamic = (name: string): string[] => matchNames(name, /import\(\s*["'`]\.\/([\w-]+\.js)["'`]\s*\)/g);

/** All that scripts import, themselves included. */
function followImports(scripts: readonly string[], list: (name: string) => string[]): Set<string> {
  const found = new Set(scripts);
  // A set also yields what is added while it is read.
  for (const name of found) for (const imported of list(name)) found.add(imported);
  return found;
}

const index = files.find((name) => /^index-.*\.js$/.test(name))!;
const pages = listDynamic(index).map((file) => ({ page: file.replace(/-page-.*/, ''), file }));

test('the entry names the scripts of all pages', () => {
  const names = files.flatMap((name) => /^(\w+)-page-.*\.js$/.exec(name)?.[1] ?? []);
  expect(pages.map(({ page }) => page).toSorted()).toEqual(names.toSorted());
  expect(names).toContain('accounts');
});

test.each(pages)('the page $page loads less than 60 kB of compressed script, drawings included', ({ file }) => {
  const first = followImports([index, file], listStatic);
  const all = followImports([...first], (name) => [...listStatic(name), ...(name === index ? [] : listDynamic(name))]);
  const bytes = [...all].reduce((sum, name) => sum + readFileSync(join(folder, `${name}.br`)).length, 0);
  expect(bytes).toBeGreaterThan(10_000);
  expect(bytes).toBeLessThan(60_000);
});

test('each file has a copy that decompresses to it', () => {
  const plain = files.filter((name) => !name.endsWith('.br'));
  expect(plain.length).toBeGreaterThan(4);
  for (const name of plain) {
    const body = readFileSync(join(folder, name));
    expect(brotliDecompressSync(readFileSync(join(folder, `${name}.br`))).equals(body), name).toBe(true);
  }
});

test('a browser gets the encoding that it accepts, and may keep the file', async () => {
  const { url } = shared;
  const script = files.find((name) => /^index-.*\.js$/.test(name))!;
  for (const [accepted, used] of [
    ['gzip, deflate, br', 'br'],
    ['gzip;q=1.0', 'gzip'],
    ['identity', null],
  ] as const) {
    const response = await fetchWithToken(`${url}/assets/${script}`, { headers: { 'accept-encoding': accepted } });
    expect(response.headers.get('content-encoding')).toBe(used);
    expect(response.headers.get('cache-control')).toContain('immutable');
    expect(response.headers.get('vary')).toBe('accept-encoding');
    expect(Buffer.from(await response.arrayBuffer()).equals(readFileSync(join(folder, script)))).toBe(true);
  }
  for (const path of ['/assets/none.js', '/assets/../index.html', '/assets/%2e%2e/index.html'])
    expect((await fetchWithToken(url + path)).status === 200 && path.startsWith('/assets/n'), path).toBe(false);
});

test('the page asks for nothing but its own files', () => {
  const all = files
    .filter((name) => /\.(js|css|svg)$/.test(name))
    .map((name) => readFileSync(join(folder, name), 'utf8'));
  const addresses = all.flatMap((text) => text.match(/https?:\/\/[\w.-]+/g) ?? []);
  expect(addresses.filter((address) => !/^http:\/\/www\.w3\.org$/.test(address))).toEqual([]);
});
