import { createSeededRandom, type SeededRandom } from '#base/seeded-random.ts';
import type { users } from '#store/schema/tables.ts';
import type { People } from './generate-people.ts';
import { randomHeavyTail } from './power-law.ts';
import { WORLD_END } from './times-and-ids.ts';
import { fillTemplate, writingStyleOf, type WritingStyle } from './tweet-texts.ts';
import { EMOJI, PLACES, FAMOUS_ACCOUNTS } from './vocabulary.ts';

export type UserCounts = ReturnType<typeof createUserCounts>;

/** Creates counts of each account, by index. */
export const createUserCounts = (size: number) => ({
  followers: new Uint32Array(size),
  following: new Uint32Array(size),
  statuses: new Uint32Array(size),
  media: new Uint32Array(size),
});

type UserColumns = Required<typeof users.$inferInsert>;

/** Generates all profiles, most famous first. The counts have to be final. */
export function* generateProfiles(people: People, counts: UserCounts, seed: number): Generator<UserColumns> {
  const random = createSeededRandom(seed, 'profiles');
  for (let i = 0; i < people.size; i += 1) {
    const style = writingStyleOf(people.languages[i]!, people.topics[i]!);
    const [screenName, restId] = [people.screenNames[i]!, people.restIds[i]!];
    const famousAccount = FAMOUS_ACCOUNTS.find((account) => account.screenName === screenName);
    const isFamous = i < people.size / 50;
    yield {
      id: i + 1,
      restId,
      screenName,
      name: famousAccount?.name ?? nameOf(random, style, people.givenNames[i]!),
      description: famousAccount?.bio ?? bioOf(random, style),
      location: random.chance(0.25) ? '' : random.pick(style.language.places),
      url: `https://microblog.example/${screenName}`,
      type: 'user',
      profileImageUrl: `https://media.microblog.example/profiles/${restId}.jpg`,
      coverImageUrl: `https://media.microblog.example/covers/${restId}.jpg`,
      verified: isFamous && random.chance(0.7),
      isBlueVerified: random.chance(isFamous ? 0.8 : 0.06),
      canDm: random.chance(0.4),
      hasCustomTimelines: random.chance(0.1),
      isTranslator: random.chance(0.01),
      followersCount: counts.followers[i]!,
      followingCount: counts.following[i]!,
      favouritesCount: Math.min(200_000, Math.floor(randomHeavyTail(random, 2 + counts.statuses[i]!))),
      mediaCount: counts.media[i]!,
      statusesCount: counts.statuses[i]!,
      createdAt: people.createdAt[i]!,
      firstSeenAt: WORLD_END,
      changedAt: WORLD_END,
      hasStaleColumns: false,
      profileAt: WORLD_END,
    };
  }
}

function nameOf(random: SeededRandom, { language }: WritingStyle, given: number): string {
  const name = fillTemplate(language.name, { g: language.given[given]![0], f: random.pick(language.family) });
  return random.chance(0.12) ? `${name} ${random.pick(EMOJI)}` : name;
}

/** Returns a biography; it may be empty. */
export function bioOf(random: SeededRandom, { language, topic }: WritingStyle): string {
  const bio = fillTemplate(random.pick(language.bios), {
    topic: topic.title.toLowerCase(),
    place: random.pick(PLACES),
  });
  return bio && random.chance(0.15) ? `${bio} ${random.pick(topic.emoji)}` : bio;
}
