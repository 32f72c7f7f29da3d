import type { Pseudonymiser } from './pseudonymiser.ts';

const WORD = String.raw`[\p{L}\p{M}\p{N}_]+`;

/**
 * What names people or leads to them: addresses of mail and of the web (also without a scheme), mentions, and numbers as
 * long as ids. More than that is replaced rather than less. Each part begins where no earlier character could, so that the
 * cost is linear in the length.
 */
const REFERENCES = new RegExp(
  [
    String.raw`(?<address>(?<![^\s@])[^\s@]+@[^\s@.]+\.[^\s@]+|(?<![a-z0-9+.-])[a-z][a-z0-9+.-]*:\/\/\S*|(?<![\p{L}\p{N}.-])(?:[\p{L}\p{N}][\p{L}\p{N}-]*\.)+\p{L}{2,}(?:[/?#:]\S*)?)`,
    String.raw`[@＠](?<handle>${WORD})(?:[.-]${WORD})*`,
    String.raw`(?<number>\p{Nd}{7,})`,
  ].join('|'),
  'giu',
);

/**
 * Returns a text with pseudonyms in place of mentions, and without addresses and long numbers. Names of people and rare
 * words remain.
 */
export const redactText = (text: string, pseudonymiser: Pseudonymiser): string =>
  text.replace(REFERENCES, (...match) => {
    const { address, handle } = match.at(-1) as Readonly<Record<string, string | undefined>>;
    if (address !== undefined) return '[address]';
    return handle === undefined ? '[number]' : `@${pseudonymiser.of('handle', handle)}`;
  });
