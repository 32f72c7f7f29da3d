import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { buildChildEnvironment } from '#config.ts';
import { findFreePort } from '../support/free-port.ts';
import { tempDir } from '../support/temp.ts';

const root = resolve(import.meta.dirname, '../..');
const page = readFileSync(resolve(root, 'docs/tutorial.md'), 'utf8');

/** The commands that may end with exit code 3; the first two of them do, as the page says. */
const PARTIAL = /^npx trawl (?:crawl .*--max-pages 1|query run tweets-per-period .*)$/gm;

test(
  'the commands of docs/tutorial.md create, serve, crawl, question and step a world, as pasted into a shell',
  { timeout: 120_000 },
  async () => {
    const blocks = Array.from(page.matchAll(/```sh\n([^]*?)```/g), ([, block]) => block!);
    const port = await findFreePort();
    let partial = 0;
    const script = blocks
      .join('\n')
      .replaceAll(PARTIAL, (command) => (++partial <= 2 ? `{ ${command} && false; } || [ $? = 3 ]` : command))
      .replaceAll('npx trawl', `"${process.execPath}" "${root}/bin/trawl.js"`)
      .replace(/serve --db \S+/, `$& --listen 127.0.0.1:${port}`)
      .replaceAll(':8801', `:${port}`);
    const cwd = tempDir();
    // On standard input: a command that reads it would swallow the rest of the script.
    const ran = promisify(execFile)('bash', ['-s'], {
      cwd,
      env: buildChildEnvironment(),
    });
    ran.child.stdin!.end(`set -e\ntrap 'kill %1' EXIT\n${script}`);
    const { stdout, stderr } = await ran;
    expect(stdout).toMatch(/^followers +HarbourNews +complete +6 /m);
    expect(stdout).toMatch(/^follower .*\n[─ ]+\nnightsky_now .*\n(.*\n){4}/m);
    expect(stdout).toMatch(/^timeline +sidetwo +partial +1 /m);
    expect(stdout).toMatch(/ gap: page limit/);
    expect(stderr).toMatch(/^collected in part: the timeline of sidetwo/m);
    expect(stdout).toMatch(/^timeline +sidetwo +complete +\d+ +173 +153 /m);
    expect(existsSync(join(cwd, 'tweets.svg'))).toBe(true);
    expect(stdout).toMatch(/^change +edges\n[─ ]+\ncame +[1-9]\d*\nwent +[1-9]\d*$/m);
  },
);
