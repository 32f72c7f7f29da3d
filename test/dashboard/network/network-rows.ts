import { createSeededRandom } from '#base/seeded-random.ts';

/** A network of the tests. The account 1 follows all others, and its list was collected to the end. */
export interface NetworkPlan {
  /** The number of accounts in each community. */
  readonly communities: readonly number[];
  /** The share of accounts whose list of followed accounts was collected; by default all. */
  readonly collected?: number;
  /** The follows of an account: within its community, and to others. */
  readonly follows?: readonly [within: number, between: number];
  /** Names by account. */
  readonly names?: Readonly<Record<number, { readonly handle?: string; readonly name?: string }>>;
  readonly seed?: number;
}

export const EGO = { id: 1, restId: '1000', handle: 'harbour_news' };

/** The service's id of an account. */
export const restIdOf = (id: number): string => String(999 + id);

/** The community of each account but the first one: account 2 is in the first community. */
const communityOf = ({ communities }: NetworkPlan, id: number): number => {
  let end = 2;
  return communities.findIndex((size) => id < (end += size));
};

const AT = Date.UTC(2026, 5, 1);
const SYLLABLES = ['ka', 'lo', 'mi', 'ra', 'te', 'su', 'no', 'vi', 'da', 'pe', 'shi', 'an', 'el', 'ox', 'ur', 'zen'];

/** Returns the rows of a network by table. Equal plans have equal rows. */
export function createNetworkRows(plan: NetworkPlan) {
  const { communities, collected = 1, follows: [within, between] = [12, 2], names = {}, seed = 7 } = plan;
  const random = createSeededRandom(seed, 'network');
  const count = 1 + communities.reduce((sum, size) => sum + size, 0);
  const starts = communities.map((_, i) => 2 + communities.slice(0, i).reduce((sum, size) => sum + size, 0));
  const word = (): string => Array.from({ length: random.integerBetween(2, 3) }, () => random.pick(SYLLABLES)).join('');
  const users = Array.from({ length: count }, (_, i) => {
    const id = i + 1;
    const rank = id === 1 ? 0 : id - starts[communityOf(plan, id)]! + 1;
    const handle = names[id]?.handle ?? (id === 1 ? EGO.handle : `${word()}_${id}`);
    // A few have many followers, most have few.
    const followers = id === 1 ? 90_000 : Math.round(60_000 / rank ** 0.9) + random.integerBelow(300);
    const name = names[id]?.name ?? handle.replace(/_.*/, '');
    const times = { first_seen_at: AT, changed_at: AT, profile_at: AT };
    return { id, rest_id: restIdOf(id), screen_name: handle, name, followers_count: followers, ...times };
  });
  const edges = new Map<string, readonly [number, number]>();
  const follow = (a: number, b: number): void => void (a !== b && edges.set(`${a} ${b}`, [a, b]));
  const owners = [1];
  for (let id = 2; id <= count; id++) {
    follow(1, id);
    if (!random.chance(collected)) continue;
    owners.push(id);
    const community = communityOf(plan, id);
    const [start, size] = [starts[community]!, communities[community]!];
    // The first accounts of a community are followed most.
    for (let i = 0; i < within; i++) follow(id, start + Math.floor(size * random.float() ** 2));
    for (let i = 0; i < between; i++) follow(id, random.integerBetween(2, count));
    if (random.chance(0.3)) follow(id, 1);
  }
  return {
    users,
    follows: [...edges.values()].map(([follower, followee]) => ({
      follower_id: follower,
      followee_id: followee,
      first_seen_at: AT,
      last_seen_at: AT,
      last_seen_in: 1,
    })),
    crawls: owners.map((owner) => {
      const list = { kind: 'following', target: `id:${restIdOf(owner)}`, target_rest_id: restIdOf(owner) };
      const times = { created_at: AT, started_at: AT, updated_at: AT, finished_at: AT };
      const counts = { pages: 1, items: owner === 1 ? count - 1 : within };
      const end = { options: '{}', priority: 'interactive', state: 'complete', ending: 'served' };
      return { id: owner, ...list, ...times, ...counts, ...end };
    }),
    _list_snapshots: owners.map((owner) => ({
      crawl_id: owner,
      side: 'following',
      user_id: owner,
      started_at: AT,
      finished_at: AT,
      item_count: owner === 1 ? count - 1 : within,
      missed_count: 0,
      ended_count: 0,
    })),
  };
}
