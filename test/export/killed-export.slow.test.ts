import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { FORMATS } from '#files/export/formats/formats.ts';
import { toResultSet } from '#files/export/result-set.ts';
import { writeFile } from '#files/export/write-file.ts';
import { tempDir } from '../support/temp.ts';
import { ORIGIN } from './collect.ts';

const program = resolve(import.meta.dirname, 'endless-export.ts');

test.each(['csv', 'jsonl', 'parquet', 'xlsx'] as const)(
  'a process killed while it writes %s leaves nothing under the final name, and the next export cleans up',
  async (name) => {
    const folder = tempDir();
    const path = join(folder, 'file');
    const child = spawn(process.execPath, ['--import', 'tsx', program, path, name], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    onTestFinished(() => void child.kill('SIGKILL'));
    await once(child.stdout, 'data');
    child.kill('SIGKILL');
    await once(child, 'close');
    expect(readdirSync(folder)).toEqual([`file.${child.pid}.partial`]);

    const result = toResultSet({ columns: ['a'], rows: [[1n]] });
    await writeFile({ path, format: FORMATS[name], result, origin: ORIGIN });
    expect(readdirSync(folder)).toEqual(['file']);
  },
);
