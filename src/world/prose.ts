import type { SeededRandom } from '../seeded-random.ts';
import { LANGUAGES, type Language } from './languages.ts';
import { randomRank } from './power-law.ts';
import { EMOJI, LINK_HOSTS, LINK_WORDS, ODDITIES, PLACES, TOPICS, type Topic } from './words.ts';

/** Who writes: what their text depends on. */
export interface WritingStyle {
  readonly language: Language;
  readonly topic: Topic;
}

export const writingStyleOf = (language: number, topic: number): WritingStyle => ({
  language: LANGUAGES[language]!,
  topic: TOPICS[topic]!,
});

/** Fills the slots of a template. */
export const fillTemplate = (template: string, values: Readonly<Record<string, string>>): string =>
  template.replace(/\{(\w+)\}/g, (slot, name: string) => values[name] ?? slot);

const capitalised = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

/** Most write in their own language about whatever it is, English speakers about their topic. */
const isNative = (dice: SeededRandom, { language }: WritingStyle): boolean =>
  language.sentences.length > 0 && dice.chance(0.88);

function sentence(dice: SeededRandom, { language, topic }: WritingStyle, native: boolean): string {
  if (native) return dice.pick(language.sentences);
  const number = String(dice.integerBetween(2, 60));
  return capitalised(
    fillTemplate(dice.pick(topic.sentences), { noun: dice.pick(topic.nouns), place: dice.pick(PLACES), number }),
  );
}

const link = (dice: SeededRandom): string =>
  `https://${dice.pick(LINK_HOSTS)}/${dice.pick(LINK_WORDS)}/${dice.integerBetween(100, 99_999)}`;

const tag = (dice: SeededRandom, topic: Topic): string => `#${topic.tags[randomRank(dice, topic.tags.length)]!}`;

type Tail = readonly [probability: number, text: (dice: SeededRandom, topic: Topic) => string];

/** What may stand behind the sentences, each with its probability. Native sentences have hashtags of their own. */
const NATIVE_TAILS: readonly Tail[] = [
  [0.3, (dice) => dice.pick(EMOJI)],
  [0.14, link],
];
const TOPIC_TAILS: readonly Tail[] = [
  [0.3, (dice, topic) => dice.pick(dice.chance(0.5) ? topic.emoji : EMOJI)],
  [0.55, tag],
  [0.15, tag],
  [0.14, link],
];

/** The text of an original tweet; `mention` is somebody to write about, if anybody. */
export function writeTweetText(dice: SeededRandom, voice: WritingStyle, mention: string | undefined): string {
  if (dice.chance(0.01)) return dice.pick(ODDITIES);
  const native = isNative(dice, voice);
  let text = sentence(dice, voice, native);
  if (dice.chance(0.25)) {
    const more = sentence(dice, voice, native);
    if (more !== text) text += `${dice.chance(0.2) ? '\n\n' : ' '}${more}`;
  }
  if (mention) text += dice.chance(0.5) ? ` via @${mention}` : ` (@${mention})`;
  for (const [probability, tail] of native ? NATIVE_TAILS : TOPIC_TAILS) {
    if (dice.chance(probability)) text += ` ${tail(dice, voice.topic)}`;
  }
  return text;
}

/** The text of a reply; it begins with whom it answers, as replies do. */
export function writeReplyText(dice: SeededRandom, voice: WritingStyle, to: string): string {
  const text = dice.chance(0.7) ? dice.pick(voice.language.replies) : sentence(dice, voice, isNative(dice, voice));
  return `@${to} ${text}${dice.chance(0.15) ? ` ${dice.pick(EMOJI)}` : ''}`;
}

/** The text of a later part of a thread. */
export const writeThreadText = (dice: SeededRandom, voice: WritingStyle, part: number, parts: number): string =>
  `${sentence(dice, voice, isNative(dice, voice))} (${part}/${parts})`;
