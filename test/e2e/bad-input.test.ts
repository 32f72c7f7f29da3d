import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { KIND_NAMES, kindTable } from '#service/kinds/kinds.ts';
import { openDatabase } from '#store/sqlite/database.ts';
import { serve as serveHttp } from '../client/service.ts';
import { runCli } from '../support/cli.ts';
import { tempDir } from '../support/temp.ts';
import { rowsOf, serve, withWorld } from './support.ts';

const world = withWorld(40, 7);

const NOWHERE = { TRAWL_API_URL: 'http://127.0.0.1:1', TRAWL_API_KEY: 'some-key' };

/** The exit code and stderr of a command that prints nothing on stdout, and no stack. */
async function refusal(args: readonly string[], env: Record<string, string>) {
  const { code, stdout, stderr } = await runCli(args, { env });
  expect(stdout).toBe('');
  expect(stderr).not.toMatch(/^\s+at .*:\d+/m);
  return { code, says: stderr };
}

const DAY_FORMS =
  'It must be a day such as 2024-01-31, a time such as 2024-01-31T12:00:00Z, or an age such as 24h or 30d.';
const SEE_HELP = '\n  Use --help for the arguments and options.';
const SINCE_KINDS = KIND_NAMES.filter((name) => kindTable[name].supportedOptions.includes('since')).join(', ');

/** Wrong commands, an underscore for a space in an argument: nothing is opened, nothing is asked. */
const WRONG: [command: string, says: string, env?: Record<string, string>][] = [
  ['crawl likes ada', `unknown kind "likes"\n  Kinds: ${KIND_NAMES.join(', ')}.`],
  [
    'crawl profile ',
    'the target of profile is empty\n  Name an account: nasa, @nasa, id:11348282 or the address of its profile.',
  ],
  [
    'crawl search __',
    'the target of search is empty\n  Name a search string of at most 512 characters: "an exact phrase" #hashtag from:nasa since:2025-01-01.',
  ],
  [
    'crawl followers two_words',
    '"two words" is not an account\n  Name it as nasa, @nasa, id:11348282 or the address of its profile.',
  ],
  ['crawl followers ada --since 2024-01-31', `--since does not apply to followers\n  It applies to: ${SINCE_KINDS}.`],
  [
    'crawl timeline ada --since 2024-02-31',
    `option '--since <day>' argument '2024-02-31' is invalid. ${DAY_FORMS}${SEE_HELP}`,
  ],
  [
    'crawl timeline ada --max-pages 0',
    `option '--max-pages <n>' argument '0' is invalid. It must be a whole number of at least 1.${SEE_HELP}`,
  ],
  ['crwal profile ada', `unknown command 'crwal'\n  (Did you mean crawl?)${SEE_HELP}`],
  ['crawl profile ada --sicne 2024-01-31', `unknown option '--sicne'\n  (Did you mean --since?)${SEE_HELP}`],
  ['crawl profile', 'no targets\n  Give targets, --from-file, --from-sql or --panel.'],
  [
    'crawl profile ada',
    'TRAWL_API_URL is not set\n  Set it to the base address of the service, in the environment or in a .env file. `trawl twin serve` starts a local one.',
    { TRAWL_API_KEY: 'some-key' },
  ],
  [
    'work',
    'TRAWL_API_KEY is not set\n  Set it to your key for the service, in the environment or in a .env file.',
    { TRAWL_API_URL: 'http://127.0.0.1:1' },
  ],
  [
    'crawl profile --from-file /nowhere/targets.txt',
    'cannot read the targets in /nowhere/targets.txt: no such file or directory',
  ],
  ['crawl timeline ada --since 2999-01-01', '--since is in the future'],
  ['backfill timeline ada --since 2999-01-01', '--since is in the future'],
  ['backfill timeline ada --since 2024-02-01 --until 2024-01-01', '--until must be later than --since'],
  ['quota --seen-since 7d', '--seen-since and --limit need --by\n  Add --by, such as --by crawl.'],
  [
    'twin serve --listen 127.0.0.1:99999',
    `option '--listen <host:port>' argument '127.0.0.1:99999' is invalid. It must be host:port, such as 127.0.0.1:8801 or [::1]:8801; port 0 is any free port.${SEE_HELP}`,
    {},
  ],
  [
    'sql select_1 --json --format csv',
    `option '--json' cannot be used with option '-f, --format <format>'${SEE_HELP}`,
    {},
  ],
  [
    'crawl profile ada',
    'the configuration is wrong: TRAWL_API_URL should be an address such as https://api.example.org',
    { ...NOWHERE, TRAWL_API_URL: 'api.example.org' },
  ],
];

test.each(WRONG)('trawl %s is refused with exit code 2: %s', async (command, says, env = NOWHERE) => {
  const args = command.split(' ').map((arg) => arg.replaceAll('_', ' '));
  expect(await refusal(args, env)).toEqual({ code: 2, says: `trawl: ${says}\n` });
});

const isRefused = (says: string): boolean =>
  says === 'trawl: the service refused the API key (401)\n  Check TRAWL_API_KEY.\n';

test.each([
  [['crawl', 'profile', 'ada'], isRefused],
  [['quota'], isRefused],
  [
    ['work'],
    (says: string) =>
      says.trimEnd().endsWith('"hint":"Check TRAWL_API_KEY.","msg":"the service refused the API key (401)"}'),
  ],
])('trawl %j reports a wrong key without repeating it', async (args, isRight) => {
  const { url } = await serve(world);
  const { code, says } = await refusal(args, { TRAWL_API_URL: url, TRAWL_API_KEY: 'trawl_wrong-key' });
  expect({ code, isRight: isRight(says) }, says).toEqual({ code: 78, isRight: true });
  expect(says).not.toContain('wrong-key');
});

test.each(['crawl profile ada', 'quota'])(
  'a service that refuses the connection at the first contact ends `%s` at once',
  async (command) => {
    expect(await refusal(command.split(' '), NOWHERE)).toEqual({
      code: 1,
      says:
        'trawl: cannot reach http://127.0.0.1:1/: connection refused\n' +
        '  Is the service up? TRAWL_API_URL is its base address.\n',
    });
  },
);

test('a service that answered before, and is down now, is reported at once and waited for', async () => {
  const { url, env } = await serve(world);
  // A 404 is an answer.
  expect((await runCli(['crawl', 'profile', 'ada'], { env })).stdout).toContain('the service does not have it');
  const db = openDatabase(env['TRAWL_DB']!);
  db.$client.prepare('update _quota_samples set key_hash = null').run();
  db.$client.prepare('update crawl_sources set service_host = ?').run('127.0.0.1:1');
  db.$client.close();
  const { code, stderr } = await runCli(['crawl', 'profile', 'bob', '--wait', '1s'], {
    env: { ...env, TRAWL_API_URL: NOWHERE['TRAWL_API_URL']! },
  });
  expect(url).not.toBe(NOWHERE['TRAWL_API_URL']);
  expect(stderr).toContain(
    'warning: waiting for the service: cannot reach http://127.0.0.1:1/: connection refused\n  Is the service up? TRAWL_API_URL is its base address.\n',
  );
  expect(stderr).toContain('1 crawl unfinished and kept');
  expect(code).toBe(3);
});

test('a server that answers HTML is reported with the start of its response', async () => {
  const { url } = await serveHttp((response) => {
    response
      .setHeader('content-type', 'text/html; charset=utf-8')
      .end('<html><body>Log in to the hotel network</body></html>');
  });
  const { code, stderr } = await runCli(['crawl', 'profile', 'ada'], { env: { ...NOWHERE, TRAWL_API_URL: url } });
  expect(code).toBe(1);
  const page = 'the service sent text/html, not JSON: <html><body>Log in to the hotel network</body></html>';
  const hint = 'Something between here and the service may have answered. Is TRAWL_API_URL its base address?';
  expect(stderr).toContain(`warning: continuing without token-info: token-info: ${page}\n`);
  expect(stderr).toContain(`trawl: user-profile: ${page}\n  ${hint}\n`);
});

const crawlRow = (db: string): unknown =>
  rowsOf(db, 'select state, reason, consecutive_failures, requests from crawls')[0];

test('the address of another server is reported before its 404 counts as an answer', async () => {
  const { url } = await serveHttp((response) => void response.writeHead(404).end('nothing here'));
  const { code, stderr } = await runCli(['crawl', 'profile', 'ada'], { env: { ...NOWHERE, TRAWL_API_URL: url } });
  expect(code).toBe(1);
  expect(stderr).toContain(
    'warning: continuing without token-info: token-info answered 404 Not Found\n  Is TRAWL_API_URL the base address of the service?\n',
  );
});

test('an unknown handle fails a crawl with one request', async () => {
  const { asked, db, env } = await serve(world);
  const { code, stdout, stderr } = await runCli(['crawl', 'followers', 'nobody_at_all'], { env });
  expect(code).toBe(1);
  expect(stdout).toContain(
    'the service does not have it: user-profile answered 404 Not Found: the user does not exist\n',
  );
  expect(stderr).toMatch(/^queue: .*\n`trawl crawls show 1` explains it\n$/);
  expect(crawlRow(db)).toEqual({ state: 'failed', reason: 'not_found', consecutive_failures: 0, requests: 1 });
  expect(asked).toHaveLength(1);
});

test('a run with a damaged database ends and does not refetch pages that it cannot store (invariant 9)', async () => {
  const { asked, db, env } = await serve(world);
  const { $client } = openDatabase(db);
  const page = Number($client.prepare("select rootpage from sqlite_schema where name = 'raw_pages'").pluck().get());
  $client.close();
  const bytes = readFileSync(db);
  writeFileSync(db, bytes.fill(0xff, (page - 1) * 4096, page * 4096));
  const [known] = rowsOf<{ name: string }>(world.file, 'select screen_name as name from users limit 1');
  const { code, stderr } = await runCli(['crawl', 'profile', known!.name, '-q'], { env });
  expect(stderr).toMatch(/^trawl: the database is damaged\n {2}Restore the backup;.*\n$/m);
  expect(code).toBe(1);
  expect(asked).toHaveLength(1);
});

test.each([
  ['a directory', (folder: string) => folder, 'DB is a folder, not a database\n  Name a file in it'],
  ['a file of another kind', textFile, 'DB is not a database of trawl\n  Name another file'],
  ['a path below a file', (folder: string) => join(textFile(folder), 'mine.db'), 'cannot open the database DB: '],
])('a database that is %s is refused without crawling', async (_, make, why) => {
  const service = await serve(world);
  const db = make(tempDir());
  const { code, says } = await refusal(['crawl', 'profile', 'ada', '--db', db], service.env);
  expect(code).toBe(1);
  expect(says.replace(db, 'DB')).toMatch(new RegExp(`^trawl: ${why}`));
  expect(says).toMatch(/with --db or TRAWL_DB/);
  expect(service.asked).toHaveLength(0);
});

function textFile(folder: string): string {
  const file = join(folder, 'notes.txt');
  writeFileSync(file, 'This is a text, and it is no database at all. '.repeat(20));
  return file;
}
