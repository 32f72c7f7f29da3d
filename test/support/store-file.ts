import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openDatabase } from '#store/sqlite/database.ts';
import { createTempDir, tempFile } from './temp.ts';

let empty: Buffer | undefined;

/** Creates a store's file unless it exists, and returns its path. It is a copy: the migrations take four times as long. */
export function createStoreFile(path = tempFile('store.db')): string {
  empty ??= readEmptyStore();
  if (!existsSync(path)) writeFileSync(path, empty, { mode: 0o600 });
  return path;
}

function readEmptyStore(): Buffer {
  using directory = createTempDir();
  const path = join(directory.path, 'store.db');
  openDatabase(path).$client.close();
  return readFileSync(path);
}
