import { prepareAccountCoverage } from '../../../src/analysis/coverage/account-coverage.ts';
import type { OrderedListCoverage } from '../../../src/analysis/coverage/coverage-model.ts';
import { createDrizzle } from '../../../src/store/sqlite/drizzle.ts';
import type { Account } from '../truth.ts';
import { wasThere } from '../truth.ts';
import { pagesOfList } from './coverage.ts';
import { hadUndetectableFault, isOutOfPlace } from './endings.ts';
import type { Evidence } from './evidence.ts';

/**
 * What `trawl coverage` shows as complete lacks no tweet (invariant 5): neither between tweets, nor before the oldest one, nor
 * after the newest one. Segments tile the axis. The same tweets count as for intervals (`coverage.ts`).
 */
export function checkSegments(evidence: Evidence): void {
  const readCoverage = prepareAccountCoverage(createDrizzle(evidence.db));
  for (const account of evidence.truth.accounts) {
    for (const list of readCoverage(account.id)?.orderedLists ?? []) {
      checkTiles(evidence, account, list);
      checkComplete(evidence, account, list);
    }
  }
}

const name = ({ id }: Account, { kind }: OrderedListCoverage): string => `the coverage of ${kind} ${id}`;

function checkTiles({ fail }: Evidence, account: Account, list: OrderedListCoverage): void {
  const { axis, segments } = list;
  const bounds = [axis?.from, ...segments.flatMap(({ from, to }) => [from, to]), axis?.to];
  const isTiled = bounds.every((at, i) => i % 2 === 1 || at === bounds[i + 1]);
  const isEmpty = segments.length === 0 && axis?.from === axis?.to;
  if (!isEmpty && !isTiled) fail('invariant 5', `${name(account, list)} has holes: ${JSON.stringify(list)}`);
}

function checkComplete(evidence: Evidence, account: Account, list: OrderedListCoverage): void {
  const { db, truth, fail, plan } = evidence;
  const { kind, segments } = list;
  const pages = pagesOfList(evidence, { kind, target: account.id });
  if (pages.length === 0 || hadUndetectableFault(pages)) return;
  const first = Math.min(...pages.map(({ at }) => at));
  const last = Math.max(...pages.map(({ answeredAt }) => answeredAt ?? 0));
  const has = db.prepare('select 1 from tweets where rest_id = ?');
  const lacking = truth.posts.filter((post) => {
    const since = post.from > 0 ? post.from : first;
    return (
      post.author === account.id &&
      (kind !== 'timeline' || !post.replyTo) &&
      wasThere(post, since, last) &&
      wasThere(account, since, last) &&
      !isOutOfPlace(plan, account, post) &&
      !post.isBack &&
      segments.some(({ state, from, to }) => state === 'complete' && from < post.createdAt && post.createdAt < to) &&
      !has.get(post.id)
    );
  });
  if (lacking.length === 0) return;
  const ids = lacking.map(({ id, createdAt }) => `${id} of ${createdAt}`).join(', ');
  fail('invariant 5', `${name(account, list)} claims ${ids}, which the store lacks: ${JSON.stringify(list)}`);
}
