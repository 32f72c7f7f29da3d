import { openConnection } from '#store/sqlite/driver.ts';
import { readArguments, report } from './child.ts';
import { createSeededGenerator, idAt, targetAt } from './workload.ts';

/** Asks a grown store whom accounts follow and who follows them, in a process of its own, whose memory does not count. */

export interface FollowQuestionsArguments {
  readonly db: string;
  readonly edges: number;
}

export interface FollowAnswers {
  /** Median milliseconds of "whom does x follow", for followers drawn at random. */
  readonly followingMs: number;
  /** The same of "who follows x", for accounts whose list is complete, if there are any. */
  readonly followersMs: number;
}

const QUESTIONS = 101;
const WARM_UP = 20;
/** Lists of 10,000 are crawled in sets of 32. */
const LISTS = 32;
const EDGES_PER_SET = LISTS * 10_000;
/** At least. */
const PEOPLE_PER_EDGE = 0.4;

const { db: file, edges } = readArguments<FollowQuestionsArguments>();
const db = openConnection(file, { readonly: true });
const random = createSeededGenerator(edges);

function medianMs(sql: string, drawAccount: () => string): number {
  const question = db.prepare(sql);
  const durations = Array.from({ length: WARM_UP + QUESTIONS }, () => {
    const account = drawAccount();
    const startedAt = performance.now();
    if (question.all(account).length === 0) throw new Error(`${account} has no edges`);
    return performance.now() - startedAt;
  });
  return durations.slice(WARM_UP).toSorted((a, b) => a - b)[QUESTIONS >> 1]!;
}

const lists = LISTS * Math.max(1, Math.floor(edges / EDGES_PER_SET));
report({
  followingMs: medianMs('select followee, last_seen_at from v_current_follows where follower_rest_id = ?', () =>
    idAt(random.below(edges * PEOPLE_PER_EDGE)),
  ),
  followersMs: medianMs('select follower, last_seen_at from v_current_follows where followee_rest_id = ?', () =>
    targetAt(random.below(lists)),
  ),
} satisfies FollowAnswers);
db.close();
