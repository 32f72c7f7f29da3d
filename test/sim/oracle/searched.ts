import { bisectWindow, type DateWindow } from '#crawl/search/date-windows.ts';
import { buildRawQuery, readDateWindow } from '#crawl/search/window-crawl.ts';
import { matches } from '../present.ts';
import { wasThere } from '../truth.ts';
import { pagesOf, hadUndetectableFault } from './endings.ts';
import type { CrawlFacts, Evidence } from './evidence.ts';

interface Seen extends DateWindow {
  readonly query: string;
  readonly crawl_id: number;
}

/** Searches of windows are bisected, prove nothing complete, and find all tweets that the service does not hide. */
export function checkSearched(evidence: Evidence): void {
  const { db, fail, crawls } = evidence;
  const proven = db.prepare<[], number>("select count(*) from coverage where kind = 'search'").pluck().get();
  if (proven !== 0) fail('invariant 5', `${proven} intervals of searches are marked complete`);
  for (const crawl of crawls) checkHalves(evidence, crawl);
  const saturated = db.prepare<[string], DateWindow>(
    "select older_at as [from], newer_at as [to] from gaps where kind = 'search' and target = ? and reason = 'saturated'",
  );
  for (const seen of db
    .prepare('select query, from_at as [from], to_at as [to], crawl_id from _search_windows')
    .all() as Seen[])
    checkSeen(evidence, seen, saturated.all(seen.query));
}

/** Halves of a page's window exist, or existed for an equal request (invariant 1). */
function checkHalves({ crawls, fail }: Evidence, crawl: CrawlFacts): void {
  const window = readDateWindow(crawl.limits);
  if (!window || crawl.ending !== 'halved') return;
  const halves = bisectWindow(window);
  const wanted = halves.length > 0 ? halves : [{ ...window, exact: true }];
  for (const { from, to, ...more } of wanted) {
    const isThere = crawls.some(
      ({ kind, target, limits }) =>
        kind === 'search' &&
        target === crawl.target &&
        limits.from === from &&
        limits.to === to &&
        'exact' in more === (limits.exact === true),
    );
    if (!isThere) fail('invariant 1', `crawl ${crawl.id} was bisected, and ${from} to ${to} was never opened`);
  }
}

/** All pages have one size here, so every tweet of an unsaturated window was shown. */
function checkSeen(evidence: Evidence, seen: Seen, saturated: readonly DateWindow[]): void {
  const { truth, crawls, db, fail } = evidence;
  const family: CrawlFacts[] = [];
  for (
    let one = crawls.find(({ id }) => id === seen.crawl_id);
    one;
    one = crawls.find(({ id }) => id === one!.parent_id)
  )
    family.push(one);
  const pages = family.flatMap((crawl) => pagesOf(evidence, crawl));
  const own = pagesOf(evidence, family[0]!);
  if (
    own.length === 0 ||
    own.some(
      ({ parameters }) => parameters['rawQuery'] !== buildRawQuery({ ...family[0]!, options: family[0]!.limits }),
    )
  )
    return fail('invariant 5', `searched by crawl ${seen.crawl_id}, which has no page of it: ${JSON.stringify(seen)}`);
  if (hadUndetectableFault(pages) || pages.some(({ parsed }) => (parsed?.bad ?? 0) > 0)) return;
  const [first, last] = [
    Math.min(...pages.map(({ at }) => at)),
    Math.max(...pages.map(({ answeredAt }) => answeredAt!)),
  ];
  const has = db.prepare('select 1 from tweets where rest_id = ?');
  const isHidden = (at: number): boolean => saturated.some(({ from, to }) => at >= from && at < to);
  const lacking = truth.posts.filter((post) => {
    const author = truth.accounts.find(({ id }) => id === post.author)!;
    const isMeant = post.createdAt >= seen.from && post.createdAt < seen.to && wasThere(post, first, last);
    // Accounts that kept their handle, since some searches contain it.
    const isAuthor = wasThere(author, first, last) && author.formerHandles.length === 0;
    return isMeant && isAuthor && matches(seen.query, post, author) && !isHidden(post.createdAt) && !has.get(post.id);
  });
  if (lacking.length > 0)
    fail(
      'invariant 5',
      `crawl ${seen.crawl_id} saw ${seen.query}, and lacks ${lacking.map(({ id }) => id).join(', ')}`,
    );
}
