import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { brotliDecompressSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { createStoreFile } from '../support/store-file.ts';
import { startTestDashboard } from './support.ts';

const folder = resolve(import.meta.dirname, '../../dist/web/assets');
const files = readdirSync(folder);

test('the overview loads less than 60 kB of compressed script', () => {
  const scripts = files.filter((name) => /^(index|overview-page|draw-plot|preload-helper)-.*\.js\.br$/.test(name));
  expect(scripts.length).toBeGreaterThanOrEqual(3);
  const bytes = scripts.reduce((sum, name) => sum + readFileSync(join(folder, name)).length, 0);
  expect(bytes).toBeGreaterThan(20_000);
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
  const { url } = await startTestDashboard(createStoreFile());
  const script = files.find((name) => /^index-.*\.js$/.test(name))!;
  for (const [accepted, used] of [
    ['gzip, deflate, br', 'br'],
    ['gzip;q=1.0', 'gzip'],
    ['identity', null],
  ] as const) {
    const response = await fetch(`${url}/assets/${script}`, { headers: { 'accept-encoding': accepted } });
    expect(response.headers.get('content-encoding')).toBe(used);
    expect(response.headers.get('cache-control')).toContain('immutable');
    expect(response.headers.get('vary')).toBe('accept-encoding');
    expect(Buffer.from(await response.arrayBuffer()).equals(readFileSync(join(folder, script)))).toBe(true);
  }
  for (const path of ['/assets/none.js', '/assets/../index.html', '/assets/%2e%2e/index.html'])
    expect((await fetch(url + path)).status === 200 && path.startsWith('/assets/n'), path).toBe(false);
});

test('the page asks for nothing but its own files', () => {
  const all = files
    .filter((name) => /\.(js|css|svg)$/.test(name))
    .map((name) => readFileSync(join(folder, name), 'utf8'));
  const addresses = all.flatMap((text) => text.match(/https?:\/\/[\w.-]+/g) ?? []);
  expect(addresses.filter((address) => !/^http:\/\/www\.w3\.org$/.test(address))).toEqual([]);
});
