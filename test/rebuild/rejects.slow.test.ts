import { describe, expect, it } from 'vitest';
import { rebuild } from '#store/rebuild/rebuild.ts';
import { openConnection } from '#store/sqlite/driver.ts';
import { days, livingList } from '../engine/living-list.ts';
import { crawlAgainst } from '../engine/support.ts';
import { readerOf } from '../store/support.ts';
import { runCli } from '../support/cli.ts';
import { contentsOf } from './digest.ts';
import { repairBodies } from './repair-bodies.ts';
import { someWeeks } from './some-weeks.ts';

describe('trawl rejects', () => {
  it('lists rejected items, and stores those that can be read now from raw pages (invariant 11)', async () => {
    const { path } = await someWeeks();
    const listed = await runCli(['rejects', '--db', path]);
    expect(listed.stdout).toMatch(
      /user-tweets +timeline\/instructions\/entries\/content\/tweet\/id +has the wrong type/,
    );
    const before = contentsOf(path);

    // The bodies are unchanged, so that nothing changes.
    expect(await runCli(['rebuild', '--rejects', '--db', path])).toMatchObject({
      code: 0,
      stdout: '0 items stored from 1 page; 1 item remains rejected\n',
    });
    expect(contentsOf(path)).toEqual(before);

    repairBodies(path);
    const { code, stdout } = await runCli(['rebuild', '--rejects', '--db', path, '--json']);
    expect({ code, came: JSON.parse(stdout) as unknown }).toMatchObject({
      code: 0,
      came: { pages: 1, resolved: 1, newItems: 1, expired: 0, unreadable: 0, remaining: 0 },
    });
    const after = contentsOf(path);
    expect(after['tweets']).toContainEqual(expect.objectContaining({ rest_id: '17', text: 'tweet mended' }));
    for (const table of ['coverage', 'gaps', 'requests', '_steps', 'user_history', 'tweet_history'])
      expect({ [table]: after[table] }).toEqual({ [table]: before[table] });
    // Partial for nothing else: it came to the end of its list, and no rejected items any more (invariant 5).
    const crawl = (before['crawls'] as { reason: string; items: number }[]).find(
      ({ reason }) => reason === 'rejected_items',
    )!;
    expect(after['crawls']).toContainEqual(
      expect.objectContaining({
        ...crawl,
        state: 'complete',
        reason: null,
        rejected_items: 0,
        items: crawl.items + 1,
        new_items: expect.any(Number),
      }),
    );
    expect((await runCli(['rejects', '--db', path])).stderr).toContain('no rejected items');
  });

  it('lets the next crawl of the list be complete without rejected items (invariant 5)', async () => {
    const list = livingList({ pageSize: 5, items: days(30) });
    const { run, store, asked } = await crawlAgainst({ 'user-tweets': (parameters) => list.answer(parameters) });
    for (const id of [14, 22]) list.broken.add(id);
    expect((await run('timeline', 'id:1')).crawl).toMatchObject({ state: 'partial', rejectedItems: 2 });
    list.broken.clear();
    repairBodies(store.path);
    const rebuilt = `${store.path}.rebuilt`;
    readerOf(store).prepare('vacuum into ?').run(rebuilt);
    await rebuild({ path: rebuilt, signal: new AbortController().signal, onProgress: () => undefined });
    expect(await runCli(['rebuild', '--rejects', '--db', store.path])).toMatchObject({ code: 0 });
    const gapsOf = (path: string) => contentsOf(path)['gaps'];
    expect(gapsOf(store.path)).toMatchObject([{ reason: 'interrupted' }, { reason: 'interrupted' }]);
    expect(gapsOf(rebuilt)).toEqual(gapsOf(store.path));

    list.add(1);
    expect((await run('timeline', 'id:1')).crawl).toMatchObject({ state: 'complete', ending: 'joined' });
    expect(contentsOf(store.path)).toMatchObject({ coverage: [{ list_end: 'served' }], gaps: [] });
    const before = asked.length;
    expect((await run('timeline', 'id:1')).crawl).toMatchObject({ state: 'complete', ending: 'joined' });
    expect(asked).toHaveLength(before + 1);
  });

  it('keeps rejects of a page whose body has expired', async () => {
    const { path } = await someWeeks();
    const db = openConnection(path);
    db.exec('delete from raw_pages where id in (select raw_page_id from rejects)');
    db.close();
    expect((await runCli(['rejects', '--db', path])).stderr).toContain(
      '1 item is on pages whose bodies are not stored',
    );
    const { stdout } = await runCli(['rebuild', '--rejects', '--db', path, '--json']);
    expect(JSON.parse(stdout)).toMatchObject({ resolved: 0, expired: 1, remaining: 1 });
  });
});
