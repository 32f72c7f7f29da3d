import { MINUTE } from '#base/clock.ts';
import type { SeededRandom } from '#base/seeded-random.ts';
import { prepareRemoval } from '#store/erasure/remove-rows.ts';
import type { users } from '#store/schema/tables.ts';
import { bioOf } from '#twin/world/generate-profiles.ts';
import type { WritingStyle } from '#twin/world/tweet-texts.ts';
import { EMOJI } from '#twin/world/vocabulary.ts';
import { TAKEN_HANDLES, drawCount, SUSPENSIONS_PER_DAY } from './event-rates.ts';
import type { Account } from './population.ts';
import { PROFILE_FIELDS, type StepContext } from './step-context.ts';

type Profile = Pick<typeof users.$inferSelect, 'name' | 'description' | 'location' | 'profileImageUrl'> & {
  /** A flag of SQLite. */
  readonly canDm: number;
  /** When the profile was last changed. */
  readonly changedAt: number;
};

const COLUMNS = {
  description: 'description',
  location: 'location',
  name: 'name',
  profileImageUrl: 'profile_image_url',
  canDm: 'can_dm',
} as const;

/** Prepares the events that change handles and profiles. */
export function prepareProfileEvents({ db, random, population, changes, to }: StepContext) {
  const rename = db.$client.prepare<[string, string, number, number, number]>(
    'update users set screen_name = ?, url = ?, changed_at = ?, profile_at = ? where id = ?',
  );
  const readProfile = db.$client.prepare<[number], Profile>(
    `select name, description, location, profile_image_url as profileImageUrl, can_dm as canDm,
       coalesce(profile_at, 0) as changedAt from users where id = ?`,
  );
  const updates = Object.fromEntries(
    PROFILE_FIELDS.map((field) => [
      field,
      db.$client.prepare<[string | number, number, number, number]>(
        `update users set ${COLUMNS[field]} = ?, changed_at = ?, profile_at = ? where id = ?`,
      ),
    ]),
  );

  function renameAccount(account: Account, at: number, freeHandle?: string): string {
    const before = population.rename(account, random, freeHandle);
    const { restId, screenName } = account;
    rename.run(screenName, `https://microblog.example/${screenName}`, at, at, account.id);
    changes.renamed.add(account);
    changes.renames.push({ restId, from: before, to: screenName, isTaken: screenName === freeHandle });
    return before;
  }

  return {
    /** Renames an account that is not prominent. Sometimes another account then takes its earlier handle. */
    rename(at: number): void {
      const account = population.drawOrdinary(random, changes.renamed);
      if (!account) return;
      const freed = renameAccount(account, at);
      if (!random.chance(TAKEN_HANDLES)) return;
      const taker = population.drawOrdinary(random, changes.renamed);
      if (taker) renameAccount(taker, Math.min(at + random.integerBetween(MINUTE, 60 * MINUTE), to), freed);
    },
    profileChange(at: number): void {
      const account = population.draw(random);
      const profile = account && readProfile.get(account.id);
      // An account takes a freed handle up to an hour after this event.
      if (!profile || profile.changedAt >= at) return;
      const field = random.pick(PROFILE_FIELDS);
      const value = drawValue(field, population.styleOf(account), profile, random);
      const name = `${account.id} ${field}`;
      if (value === profile[field] || changes.changedFields.has(name)) return;
      changes.changedFields.add(name);
      updates[field]!.run(value, at, at, account.id);
      changes.profiles.push({ restId: account.restId, field });
    },
  };
}

/** Draws a new value of a field. */
function drawValue(
  field: (typeof PROFILE_FIELDS)[number],
  style: WritingStyle,
  profile: Profile,
  random: SeededRandom,
): string | number {
  const name = profile.name ?? '';
  switch (field) {
    case 'description':
      return drawOther(profile.description, () => bioOf(random, style));
    case 'location':
      return drawOther(profile.location, () => (random.chance(0.2) ? '' : random.pick(style.language.places)));
    case 'name':
      return withOtherEmoji(random, name);
    case 'profileImageUrl':
      return `${(profile.profileImageUrl ?? '').split('?', 1)[0]}?v=${random.integerBetween(1, 999_999)}`;
    case 'canDm':
      return profile.canDm ? 0 : 1;
  }
}

const MAX_TRIES = 8;

/** Draws until the value differs, at most nine times. */
function drawOther(value: string | null, draw: () => string): string {
  let other = draw();
  for (let tries = MAX_TRIES; other === value && tries > 0; tries -= 1) other = draw();
  return other;
}

/** Returns a name with another emoji at its end, or without one. */
function withOtherEmoji(random: SeededRandom, name: string): string {
  const current = EMOJI.find((emoji) => name.endsWith(` ${emoji}`));
  const plain = current === undefined ? name : name.slice(0, -current.length - 1);
  return current !== undefined && random.chance(0.5) ? plain : `${plain} ${random.pick(EMOJI)}`;
}

interface TweetKeys {
  readonly id: number;
  readonly parent: string | null;
}

/**
 * Suspends accounts: removes them with their tweets and edges, so that the twin responds as for accounts that do not exist.
 * Replies of others to them remain.
 */
export function suspendAccounts({ db, random, population, changes }: StepContext, days: number): void {
  const removeTweets = prepareRemoval(db, 'tweet key');
  const removeUsers = prepareRemoval(db, 'user key');
  const findTweets = db.$client.prepare<[number], TweetKeys>(
    'select id, in_reply_to_status_rest_id as parent from tweets where author_id = ? order by id',
  );
  const findNeighbours = db.$client
    .prepare<[number, number], number>(
      `select followee_id from follows where follower_id = ? and ended_at is null
       union all select follower_id from follows where followee_id = ? and ended_at is null`,
    )
    .pluck();
  for (let remaining = drawCount(random, SUSPENSIONS_PER_DAY * population.size * days); remaining > 0; remaining -= 1) {
    const account = population.drawOrdinary(random, new Set());
    if (!account) return;
    const tweets = findTweets.all(account.id);
    removeTweets(tweets.map(({ id }) => id));
    for (const { parent } of tweets) if (parent !== null) changes.touchedParents.add(parent);
    const neighbours = findNeighbours.all(account.id, account.id);
    for (const id of neighbours) changes.touchedUsers.add(id);
    removeUsers([account.id]);
    population.suspend(account);
    const { restId, screenName } = account;
    changes.suspensions.push({ restId, screenName, tweets: tweets.length, edges: neighbours.length });
  }
}
