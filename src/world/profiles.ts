import { createSeededRandom, type SeededRandom } from '../seeded-random.ts';
import type { users } from '../store/schema/tables.ts';
import { WORLD_END } from './era.ts';
import type { People } from './people.ts';
import { randomHeavyTail } from './power-law.ts';
import { fillTemplate, writingStyleOf, type WritingStyle } from './prose.ts';
import { EMOJI, PLACES, STARS } from './words.ts';

/** What the rest of the world says about somebody, by index of people. */
export interface UserCounts {
  readonly followers: Uint32Array;
  readonly following: Uint32Array;
  readonly statuses: Uint32Array;
  readonly media: Uint32Array;
}

export const createUserCounts = (size: number): UserCounts => ({
  followers: new Uint32Array(size),
  following: new Uint32Array(size),
  statuses: new Uint32Array(size),
  media: new Uint32Array(size),
});

type UserColumns = Required<typeof users.$inferInsert>;

/** Everybody's full profile, in order of fame; to be read when the tally is final. */
export function* generateProfiles(people: People, tally: UserCounts, seed: number): Generator<UserColumns> {
  const dice = createSeededRandom(seed, 'profiles');
  for (let i = 0; i < people.size; i += 1) {
    const voice = writingStyleOf(people.languages[i]!, people.topics[i]!);
    const [screenName, restId] = [people.screenNames[i]!, people.restIds[i]!];
    const star = STARS.find((known) => known.screenName === screenName);
    const known = i < people.size / 50;
    yield {
      id: i + 1,
      restId,
      screenName,
      name: star?.name ?? nameOf(dice, voice, people.givenNames[i]!),
      description: star?.bio ?? bioOf(dice, voice),
      location: dice.chance(0.25) ? '' : dice.pick(voice.language.places),
      url: `https://microblog.example/${screenName}`,
      type: 'user',
      profileImageUrl: `https://media.microblog.example/profiles/${restId}.jpg`,
      coverImageUrl: `https://media.microblog.example/covers/${restId}.jpg`,
      verified: known && dice.chance(0.7),
      isBlueVerified: dice.chance(known ? 0.8 : 0.06),
      canDm: dice.chance(0.4),
      hasCustomTimelines: dice.chance(0.1),
      isTranslator: dice.chance(0.01),
      followersCount: tally.followers[i]!,
      followingCount: tally.following[i]!,
      favouritesCount: Math.min(200_000, Math.floor(randomHeavyTail(dice, 2 + tally.statuses[i]!))),
      mediaCount: tally.media[i]!,
      statusesCount: tally.statuses[i]!,
      createdAt: people.createdAt[i]!,
      firstSeen: WORLD_END,
      changedAt: WORLD_END,
      behind: false,
      profileAt: WORLD_END,
    };
  }
}

function nameOf(dice: SeededRandom, { language }: WritingStyle, given: number): string {
  const name = fillTemplate(language.name, { g: language.given[given]![0], f: dice.pick(language.family) });
  return dice.chance(0.12) ? `${name} ${dice.pick(EMOJI)}` : name;
}

function bioOf(dice: SeededRandom, { language, topic }: WritingStyle): string {
  const bio = fillTemplate(dice.pick(language.bios), { topic: topic.title.toLowerCase(), place: dice.pick(PLACES) });
  return bio && dice.chance(0.15) ? `${bio} ${dice.pick(topic.emoji)}` : bio;
}
