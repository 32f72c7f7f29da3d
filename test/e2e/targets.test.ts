import { writeFileSync } from 'node:fs';
import { expect, onTestFinished, test } from 'vitest';
import { runCli, runProcess, runSuccessfully } from '../support/cli.ts';
import { tempFile } from '../support/temp.ts';
import { peopleOf, rowsOf, serve, withWorld } from './support.ts';

const world = withWorld(60, 4);
const targetsIn = (db: string) =>
  rowsOf<{ target: string }>(db, 'select target from crawls order by id').map(({ target }) => target);

test('targets come from arguments, a file, standard input and the database, each once', async () => {
  const { db, env } = await serve(world);
  const [a, b, c] = peopleOf(world, 3) as [{ handle: string; id: string }, { handle: string }, { handle: string }];
  const file = tempFile('targets.txt');
  writeFileSync(file, `# whom we follow\r\n@${b.handle}\r\n\n#\n  ${c.handle.toUpperCase()}  \n`);

  const words = ['crawl', 'profile', `https://example.org/${a.handle}`, a.handle, '--from-file', file, '-q'];
  await runSuccessfully(words, { env });
  expect(targetsIn(db)).toEqual([a, b, c].map(({ handle }) => handle.toLowerCase()));

  const sql = 'select rest_id from users order by id limit 2';
  await runSuccessfully(['crawl', 'followers', '--from-sql', sql, '-q'], { env });
  const followed = rowsOf(db, "select 'id:' || rest_id as target from users order by users.id limit 2");
  expect(targetsIn(db).slice(3)).toEqual(followed.map(({ target }) => target));

  const fromStdin = { env, stdin: `${a.handle}\n` };
  expect(await runProcess(['enqueue', 'following', '--from-file', '-'], fromStdin)).toMatchObject({ code: 0 });
  expect(targetsIn(db).at(-1)).toBe(a.handle.toLowerCase());
});

test('a hashtag in a file of search strings is not a comment', async () => {
  const { db, env } = await serve(world);
  const words = ['enqueue', 'search', '--from-file', '-'];
  expect(await runProcess(words, { env, stdin: '# of the summer\n#cop\n' })).toMatchObject({ code: 0 });
  expect(targetsIn(db)).toEqual(['#cop']);
});

test('the content of another file does not control the terminal', async () => {
  const { env } = await serve(world);
  const words = ['enqueue', 'profile', '--from-file', '-'];
  const { code, stderr } = await runProcess(words, { env, stdin: `\u001B[2J${'\u0000x'.repeat(5000)}\n` });
  expect({ code, isShort: stderr.length < 400 }).toEqual({ code: 2, isShort: true });
  expect(stderr).not.toMatch(/[^\P{Cc}\n]/u);
});

test('a profile of an unknown id says why followers was requested', async () => {
  const { db, env } = await serve(world);
  expect(await runCli(['crawl', 'profile', 'id:abc', '-q'], { env })).toMatchObject({ code: 1 });
  expect(rowsOf(db, 'select reason, error from crawls')).toEqual([
    {
      reason: 'not_found',
      error: expect.stringMatching(/^of an id, followers is asked for the handle: followers answered 404 Not Found: /),
    },
  ]);
});

test('an invalid target is named, does not stop the others and fails the run', async () => {
  const { db, env } = await serve(world);
  const known = peopleOf(world, 1)[0]!;
  const { code, stderr } = await runCli(['crawl', 'profile', 'not an account', known.handle], { env });
  expect(stderr).toContain('skipped: "not an account" is not an account');
  expect(code).toBe(1);
  expect(rowsOf(db, 'select target, state from crawls')).toEqual([
    { target: known.handle.toLowerCase(), state: 'complete' },
  ]);
});

test('a handle that another account took over since it was crawled is reported with the id of its former holder', async () => {
  const { env } = await serve(world);
  const [a, b] = peopleOf(world, 2) as [{ handle: string; id: string }, { handle: string; id: string }];
  const crawl = () => runCli(['crawl', 'profile', a.handle], { env });
  expect((await crawl()).stderr).not.toContain('earlier');
  const rename = world.db.$client.prepare('update users set screen_name = ? where rest_id = ?');
  rename.run(`${a.handle}_then`, a.id);
  rename.run(a.handle, b.id);
  onTestFinished(() => {
    rename.run(a.handle, a.id);
    rename.run(b.handle, b.id);
  });
  expect(await crawl()).toMatchObject({
    code: 0,
    stderr: expect.stringContaining(`earlier, ${a.handle.toLowerCase()} was the handle of id:${a.id}\n`),
  });
});
