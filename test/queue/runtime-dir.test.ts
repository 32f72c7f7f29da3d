import { chmodSync, chownSync, mkdirSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { resolveRuntimeFiles } from '#crawl/queue/redis/runtime-dir.ts';
import { tempDir, tempFile } from '../support/temp.ts';

const isRoot = process.getuid?.() === 0;
const uid = process.getuid!();

/** A folder for temporary files that every user may write to. */
function withTemporary(): string {
  const folder = tempDir();
  chmodSync(folder, 0o1777);
  vi.stubEnv('TMPDIR', folder);
  onTestFinished(() => void vi.unstubAllEnvs());
  return folder;
}

const folderOf = (place: string, runtimeDir?: string): string => dirname(resolveRuntimeFiles(place, runtimeDir).socket);

test('the sockets are in XDG_RUNTIME_DIR if it is private to the user', () => {
  const [temporary, runtime] = [withTemporary(), tempDir()];
  const place = tempFile('mine.db');
  expect(folderOf(place, runtime)).toBe(join(runtime, `trawl-${uid}`));
  expect(statSync(folderOf(place, runtime)).mode & 0o777).toBe(0o700);
  const elsewhere = join(temporary, `trawl-${uid}`);
  expect(folderOf(place)).toBe(elsewhere);
  expect(folderOf(place, 'run/user')).toBe(elsewhere);
  expect(folderOf(place, join(runtime, 'missing'))).toBe(elsewhere);
  expect(folderOf(place, join(runtime, 'x'.repeat(60)))).toBe(elsewhere);
  chmodSync(runtime, 0o755);
  expect(folderOf(place, runtime)).toBe(elsewhere);
});

test('processes with and without XDG_RUNTIME_DIR find the same server of the store', () => {
  withTemporary();
  const runtime = tempDir();
  const place = tempFile('mine.db');
  const { socket } = resolveRuntimeFiles(place);
  writeFileSync(socket, '');
  expect(resolveRuntimeFiles(place, runtime).socket).toBe(socket);
  expect(folderOf(tempFile('other.db'), runtime)).toBe(join(runtime, `trawl-${uid}`));
});

test.runIf(isRoot)('a directory of another user in its place is reported with alternatives', () => {
  const temporary = withTemporary();
  const foreign = join(temporary, `trawl-${uid}`);
  mkdirSync(foreign, { mode: 0o700 });
  chownSync(foreign, 65_534, 65_534);
  expect(() => resolveRuntimeFiles(tempFile('mine.db'))).toThrow(
    expect.objectContaining({
      message: `${foreign} is not a directory that only you can use`,
      hint: 'It belongs to another user. Set TMPDIR or XDG_RUNTIME_DIR to a folder of your own with mode 700, or set REDIS_URL.',
    }),
  );
  expect(folderOf(tempFile('mine.db'), tempDir())).not.toContain(foreign);
});
