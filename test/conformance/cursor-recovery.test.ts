import { expect, test } from 'vitest';
import { instructionOf, type PagedEndpoint, removeCursor } from './cursor-shapes.ts';
import { createLists } from './lists.ts';
import { cursorEntry, type Hook, serveData } from './scripted-service.ts';
import { createCrawler } from './support.ts';

const KINDS: readonly { kind: string; endpoint: PagedEndpoint }[] = [
  { kind: 'followers', endpoint: 'followers' },
  { kind: 'following', endpoint: 'following' },
  { kind: 'timeline', endpoint: 'user-tweets' },
];

test.each(KINDS)(
  'a list of $kind whose second cursor was unreadable is complete after the next crawl',
  async ({ kind, endpoint }) => {
    const { owners, ...data } = createLists(1);
    const id = owners[0]!.id;
    let isBroken = true;
    const hook: Hook = (call, next) => {
      const answer = next();
      if (!isBroken || call.endpoint !== endpoint || call.parameters['cursor'] !== 'page-5') return answer;
      removeCursor(endpoint, answer);
      const instruction = instructionOf(endpoint, answer);
      if (endpoint === 'user-tweets') instruction['entries'].push(cursorEntry(5.5));
      else instruction['cursor'] = { value: 5.5, cursorType: 'Bottom' };
      return answer;
    };
    const service = await serveData(data, { pageSize: 5, hook });
    const crawler = createCrawler(service);
    const stored = kind === 'timeline' ? 'select count(*) from v_tweets' : 'select count(*) from v_follows';

    const broken = await crawler.crawl(kind, `id:${id}`);
    expect([broken.code, broken.summary['crawls'][0].reason]).toEqual([3, 'cursor_unreadable']);
    expect(crawler.value(stored)).toBe(10);
    expect(crawler.value('select is_complete from v_completeness')).toBe(0);

    isBroken = false;
    const mended = await crawler.crawl(kind, `id:${id}`);

    expect([mended.code, mended.summary['crawls'][0].state]).toEqual([0, 'complete']);
    expect(crawler.value(stored)).toBe(15);
    expect(crawler.value('select is_complete from v_completeness')).toBe(1);
    expect(crawler.rows('select * from v_gaps')).toEqual([]);
  },
);
