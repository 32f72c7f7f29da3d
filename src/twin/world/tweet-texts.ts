import type { SeededRandom } from '#base/seeded-random.ts';
import { capitalise } from '#base/text.ts';
import { LANGUAGES, type Language } from './languages.ts';
import { randomRank } from './power-law.ts';
import { EMOJI, LINK_HOSTS, LINK_WORDS, UNUSUAL_TEXTS, PLACES, TOPICS, type Topic } from './vocabulary.ts';

export interface WritingStyle {
  readonly language: Language;
  readonly topic: Topic;
}

export const writingStyleOf = (language: number, topic: number): WritingStyle => ({
  language: LANGUAGES[language]!,
  topic: TOPICS[topic]!,
});

export const fillTemplate = (template: string, values: Readonly<Record<string, string>>): string =>
  template.replace(/\{(\w+)\}/g, (slot, name: string) => values[name] ?? slot);

/** Most sentences are in the author's own language; English authors write about their topic. */
const drawsOwnLanguage = (random: SeededRandom, { language }: WritingStyle): boolean =>
  language.sentences.length > 0 && random.chance(0.88);

function sentence(random: SeededRandom, { language, topic }: WritingStyle, inOwnLanguage: boolean): string {
  if (inOwnLanguage) return random.pick(language.sentences);
  const number = String(random.integerBetween(2, 60));
  return capitalise(
    fillTemplate(random.pick(topic.sentences), { noun: random.pick(topic.nouns), place: random.pick(PLACES), number }),
  );
}

const link = (random: SeededRandom): string =>
  `https://${random.pick(LINK_HOSTS)}/${random.pick(LINK_WORDS)}/${random.integerBetween(100, 99_999)}`;

const tag = (random: SeededRandom, topic: Topic): string => `#${topic.tags[randomRank(random, topic.tags.length)]!}`;

type Suffix = readonly [probability: number, text: (random: SeededRandom, topic: Topic) => string];

/** Suffixes of a text with their probabilities. Sentences of other languages have their own hashtags. */
const NATIVE_SUFFIXES: readonly Suffix[] = [
  [0.3, (random) => random.pick(EMOJI)],
  [0.14, link],
];
const TOPIC_SUFFIXES: readonly Suffix[] = [
  [0.3, (random, topic) => random.pick(random.chance(0.5) ? topic.emoji : EMOJI)],
  [0.55, tag],
  [0.15, tag],
  [0.14, link],
];

/** Returns the text of an original tweet; `mention` is an account to mention. */
export function writeTweetText(random: SeededRandom, style: WritingStyle, mention: string | undefined): string {
  if (random.chance(0.01)) return random.pick(UNUSUAL_TEXTS);
  const inOwnLanguage = drawsOwnLanguage(random, style);
  let text = sentence(random, style, inOwnLanguage);
  if (random.chance(0.25)) {
    const secondSentence = sentence(random, style, inOwnLanguage);
    if (secondSentence !== text) text += `${random.chance(0.2) ? '\n\n' : ' '}${secondSentence}`;
  }
  if (mention) text += random.chance(0.5) ? ` via @${mention}` : ` (@${mention})`;
  for (const [probability, suffix] of inOwnLanguage ? NATIVE_SUFFIXES : TOPIC_SUFFIXES) {
    if (random.chance(probability)) text += ` ${suffix(random, style.topic)}`;
  }
  return text;
}

/** Returns the text of a reply, which begins with a mention. */
export function writeReplyText(random: SeededRandom, style: WritingStyle, to: string): string {
  const text = random.chance(0.7)
    ? random.pick(style.language.replies)
    : sentence(random, style, drawsOwnLanguage(random, style));
  return `@${to} ${text}${random.chance(0.15) ? ` ${random.pick(EMOJI)}` : ''}`;
}

/** Returns the text of a later part of a thread. */
export const writeThreadText = (random: SeededRandom, style: WritingStyle, part: number, parts: number): string =>
  `${sentence(random, style, drawsOwnLanguage(random, style))} (${part}/${parts})`;
