import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { buildProgram } from '#cli/program.ts';
import { runProcess, spawnCli } from '../support/cli.ts';
import { tempDir } from '../support/temp.ts';

/** The commands as they are installed: what reaches stdout and stderr of a process, and its exit code. Each in its turn. */
const COMMANDS: readonly [args: string, code: number, stdout: RegExp | '', stderr?: RegExp][] = [
  ['doctor', 0, /✓ node .*\n/],
  ['plan followers HarbourNews', 0, /^kind +target +requests /],
  ['enqueue profile HarbourNews nightsky_now', 0, /^crawl 1: profile HarbourNews\n/, /`trawl work` runs queued crawls/],
  ['status', 0, /profile +2\n/],
  ['work --exit-when-idle', 0, '', /^\{"level":30,.*"msg":"working"\}\n/],
  ['crawl followers HarbourNews --max-pages 1', 3, /page limit reached/, /^queue: /],
  [
    'crawls show 3',
    0,
    /^crawl 3: followers of HarbourNews\n[^]*Crawled from 127\.0\.0\.1:\d+ by trawl \d\S+ \(key label\s+lab\)/,
  ],
  ['coverage HarbourNews', 0, /followers/],
  ['quota --by kind', 0, /followers/],
  ['rejects', 0, '', /^no rejected items\n/],
  [
    ...(['query run mutual-follows --account HarbourNews -f csv', 3] as const),
    ...([/^friend,name,followers,friend_rest_id\n/, /^collected in part: the followers of HarbourNews /] as const),
  ],
  ['sql select+count(*)+from+users --json', 0, /^\[\n\{"count\(\*\)":\d+\}\n\]\n$/],
  ['find --users HarbourNews', 0, /^1\. @\*\*HarbourNews\*\* /, /^found 1 account\n/],
  ['report account HarbourNews -o report.html', 0, /^report\.html: [\d.]+ kB, in /, /^the citation names no collector/],
  ['export users -o users.csv --json', 0, /"rows": \d+/, /^left out: 0 rows/],
  ['backfill timeline HarbourNews --since 30d --dry-run', 0, /^unknown:\n/],
  ['recheck users --older-than 0s --max-requests 3 --dry-run', 0, /^\d+ accounts due: last checked before /],
  ['panel create stars', 0, '', /^created panel stars: /],
  ['schedule sync', 0, /^added +daily\n/, /no worker is running/],
  ['forget HarbourNews --dry-run', 0, /^users +1 +0$/m, /^@HarbourNews, id:\d+\nnot erased/],
  ['prune bodies --older-than 1d --dry-run', 0, /^Would delete bodies fetched before /],
  ['lake add lake', 0, '', /^facts are recorded for /],
  ['lake ship --once', 0, '', /^shipping to .*\na snapshot is sealed\n/],
  ['lake', 0, /^target +entries waiting /],
  [
    'lake purge lake',
    0,
    /^no database of this target has erased an account\n$/,
    /^erasures that wait are not known here: /,
  ],
  ['lake merge lake --db merged.db', 0, /^merged\.db: [\d,]+ users, [\d,]+ tweets, .* of 1 database, as of /],
  ['backup copy.db', 0, /^copy\.db: [\d.]+ [kM]B, [\d,]+ rows, checked, in .*\nsha256 [\da-f]{64}\n$/],
  ['rebuild', 0, /rebuilt all tables from \d+ pages/],
  ['completion bash', 0, /^complete -o default -F _trawl trawl$/m],
  ['twin world step --db world.db', 0, /world\.db: 1 day by seed 1, from 2026-01-01 to 2026-01-02\n/],
  ['demo --users 50 --quiet', 0, /5\. Next/],
];

test('each command runs in a process of its own', async () => {
  const cwd = tempDir();
  mkdirSync(join(cwd, 'jobs'));
  writeFileSync(join(cwd, 'jobs', 'daily.yaml'), 'every: 1d\nkind: profile\ntargets: [HarbourNews]\n');
  mkdirSync(join(cwd, 'queries'));
  writeFileSync(
    join(cwd, 'queries', 'mine.sql'),
    '/*\ntitle: One?\ntopic: Mine\ndescription: A row.\n*/ select 1 as one',
  );
  const trawl = (words: string, env: Record<string, string> = {}) =>
    runProcess(
      words.split(' ').map((word) => word.replaceAll('+', ' ')),
      { cwd, env },
    );

  expect(await trawl('twin world create --users 60 --seed 7 --db world.db')).toMatchObject({ code: 0 });
  const { code, stdout: key, stderr } = await trawl('twin keys create --db world.db');
  expect({ code, key, stderr }).toEqual({
    code: 0,
    key: expect.stringMatching(/^trawl_[\w-]{43}\n$/),
    stderr: expect.stringContaining('shown only once'),
  });
  const twin = spawnCli(['twin', 'serve', '--db', 'world.db', '--listen', '127.0.0.1:0', '--page-size', '5'], { cwd });
  const [url] = /http:\S+/.exec(await twin.waitForLine(/^serving world\.db on http:/))!;

  const env = { TRAWL_API_URL: url, TRAWL_API_KEY: key.trim(), TRAWL_KEY_LABEL: 'lab' };
  for (const [words, exitCode, stdout, said = /^/] of COMMANDS) {
    const result = await trawl(words, env);
    expect.soft(result, words).toEqual({
      code: exitCode,
      stdout: expect.stringMatching(stdout === '' ? /^$/ : stdout),
      stderr: expect.stringMatching(said),
    });
  }
  twin.kill('SIGTERM');
  expect(await twin.exited).toBe(0);

  // Notes its arguments, which other users can see, and the mode and the contents of the file that it opens.
  mkdirSync(join(cwd, 'bin'));
  const browser = '#!/bin/sh\n{ echo "$*"; stat -c %a "$1"; cat "$1"; } > opened.partial && mv opened.partial opened\n';
  writeFileSync(join(cwd, 'bin', 'xdg-open'), browser, { mode: 0o755 });
  const browserEnv = { PATH: `${join(cwd, 'bin')}:/usr/bin:/bin` };
  const dashboard = spawnCli(['dashboard', '--listen', '127.0.0.1:0', '--open'], { cwd, env: browserEnv });
  const [address] = /http:\S+/.exec(await dashboard.waitForLine(/^dashboard of trawl\.db: http:/))!;
  const { origin, searchParams } = new URL(address);
  const headers = { authorization: `Bearer ${searchParams.get('token')}` };
  expect(await (await fetch(origin, { headers })).text()).toContain('<title>trawl</title>');
  const result = await fetch(`${origin}/api/queries/mine/result`, { headers });
  expect(await result.json()).toMatchObject({ rows: [{ one: 1 }] });
  await expect
    .poll(() => readFileSync(join(cwd, 'opened'), { encoding: 'utf8', flag: 'a+' }))
    .toMatch(/^\S+dashboard\.html\n600\n.*\n$/);
  expect(readFileSync(join(cwd, 'opened'), 'utf8')).toContain(`url=${address}"`);
  dashboard.kill('SIGTERM');
  expect(await dashboard.exited).toBe(0);

  const tried = ['twin', 'dashboard', ...COMMANDS.map(([words]) => words.split(' ')[0])];
  expect(new Set(tried)).toEqual(new Set(buildProgram().commands.map((command) => command.name())));
});
