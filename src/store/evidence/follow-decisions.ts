import { parseCrawlOptions } from '#service/kinds/crawl-spec.ts';
import type { PageCommit } from '#store/schema/commit-messages.ts';
import type { CrawlRow } from '#store/schema/crawl-row.ts';
import type { Db } from '#store/sqlite/database.ts';
import { CACHE_VALIDITY, type EdgeDecision } from './edge-periods.ts';

type RecheckCrawl = Pick<CrawlRow, 'id' | 'options' | 'startedAt'>;

/** An edge that a re-check found to have ended, with the service's ids of its accounts. */
export interface FollowDecision extends EdgeDecision {
  readonly follower: string;
  readonly followee: string;
}

/** The accepted list of a re-check of followed accounts. */
interface AcceptedList {
  readonly side: 'followers' | 'following';
  readonly startedAt: number;
  readonly finishedAt: number;
  /** It may be a cached copy of an earlier list. */
  readonly mayBeCopy: boolean;
}

interface Candidate {
  readonly followerId: number;
  readonly followeeId: number;
  readonly follower: string;
  readonly followee: string;
}

/** What a re-check shows: that the account is gone, or that its list lacks accounts that it followed. */
const CONDITIONS = {
  'account gone': `c.last_seen_at < @startedAt`,
  unfollowed: `c.side = 'followers' and c.last_seen_at < @startedAt - case c.last_seen_in when 0 then ${CACHE_VALIDITY} else 0 end`,
} as const satisfies Record<EdgeDecision['cause'], string>;

/**
 * Decisions about edges that a list lacked which was cut short (invariant 7). The re-check of the account that left the list
 * ends them: the service does not have the account, or its own complete list lacks the other one.
 */
export function prepareFollowDecisions({ $client }: Db) {
  const prepare = (condition: string) =>
    $client.prepare<object, Candidate>(
      `select distinct c.follower_id as followerId, c.followee_id as followeeId, r.rest_id as follower, e.rest_id as followee
       from _unfollow_candidates c join users r on r.id = c.follower_id join users e on e.id = c.followee_id
       where c.member_id = (select id from users where rest_id = @member) and c.missed_at <= @startedAt and ${condition}`,
    );
  const find = {
    'account gone': prepare(CONDITIONS['account gone']),
    unfollowed: prepare(CONDITIONS.unfollowed),
  };
  const insert = $client.prepare<object>(
    `insert into _follow_decisions (followee_id, follower_id, crawl_id, started_at, finished_at, cause)
     values (@followeeId, @followerId, @crawlId, @startedAt, @finishedAt, @cause) on conflict do nothing`,
  );
  const end = $client.prepare<object>(
    `update follows set first_missed_at = coalesce(first_missed_at, @finishedAt), ended_at = coalesce(first_missed_at, @finishedAt)
     where follower_id = @followerId and followee_id = @followeeId and ended_at is null`,
  );

  return {
    /** Ends the candidates that a re-check decides with its last page. Lists are stored. Returns the decisions. */
    decide(crawl: RecheckCrawl, page: PageCommit, list: AcceptedList | undefined): readonly FollowDecision[] {
      const { targetRestId: member } = page.progress;
      if (!page.end || member === null || !parseCrawlOptions(crawl).isRecheck) return [];
      const isGone = page.end.reason === 'unavailable';
      if (!isGone && (list?.side !== 'following' || list.mayBeCopy)) return [];
      const cause = isGone ? 'account gone' : 'unfollowed';
      const startedAt = list?.startedAt ?? Math.min(crawl.startedAt ?? page.at, page.at);
      const finishedAt = list?.finishedAt ?? page.at;
      return find[cause].all({ member, startedAt }).map(({ followerId, followeeId, follower, followee }) => {
        const decision = { crawlId: crawl.id, followerId, followeeId, startedAt, finishedAt, cause } as const;
        insert.run(decision);
        end.run({ followerId, followeeId, finishedAt });
        return { follower, followee, startedAt, finishedAt, cause };
      });
    },
  };
}
