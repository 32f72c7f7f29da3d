/** What a tweet's text refers to: in lower case and without the sign, each once, in order of appearance. */
export interface Entities {
  readonly hashtags: string[];
  readonly mentions: string[];
  readonly links: string[];
}

// Every pattern can start at one place of a run only, so that a long text costs no more than its length.
const LINK = /(?<![a-z0-9_])https?:\/\/[\p{L}\p{N}][^\s<>"«»“”「」『』【】（）、。，！？；：…]*/giu;
const EMAIL = /(?<![\p{L}\p{N}._%+-])[\p{L}\p{N}._%+-]+@[a-z0-9-]+(?:\.[a-z0-9-]+)+/giu;
const HASHTAG = /(?<![\p{L}\p{M}\p{N}_&#＃])[#＃]([\p{L}\p{M}\p{Nd}_]+)/gu;
const MENTION = /(?<![A-Za-z0-9_@])@([A-Za-z0-9_]{1,15})(?![A-Za-z0-9_@])/g;

/** Without a letter it is a number (#1) or an emoji (a keycap is `#` and two marks). */
const LETTER = /\p{L}/u;
const TRAILING = new Set(".,!?;:'*_~)]}’");
const OPENING: Readonly<Record<string, string>> = { ')': '(', ']': '[', '}': '{' };

/** Finds hashtags, mentions and links: the one definition, for what is crawled and for what is made up. */
export function extractEntities(text: string): Entities {
  const links = new Set<string>();
  const hashtags = new Set<string>();
  const mentions = new Set<string>();
  let rest = text;
  if (rest.includes('://')) {
    rest = rest.replace(LINK, (match) => {
      const link = trimTrailing(match);
      links.add(link);
      return ` ${match.slice(link.length)}`;
    });
  }
  if (rest.includes('@')) {
    // `.@name` is how people mention in public; only a dot with letters before it belongs to an address.
    rest = rest.replace(EMAIL, (match) => (match.startsWith('.') ? match : ' '));
    for (const [, name] of rest.matchAll(MENTION)) mentions.add(name!.toLowerCase());
  }
  for (const [, tag] of rest.matchAll(HASHTAG)) {
    if (LETTER.test(tag!)) hashtags.add(normaliseHashtag(tag!));
  }
  return { hashtags: [...hashtags], mentions: [...mentions], links: [...links] };
}

/** The form in which a hashtag is stored and searched for. */
export const normaliseHashtag = (tag: string): string => tag.toLowerCase().normalize('NFC');

/** The link without the punctuation of the sentence around it; a bracket that it opened itself stays. */
function trimTrailing(link: string): string {
  const surplus = new Map<string, number>();
  let end = link.length;
  for (; end > 0; end -= 1) {
    const last = link[end - 1]!;
    if (!TRAILING.has(last)) break;
    const opening = OPENING[last];
    if (opening === undefined) continue;
    const findUnopened = surplus.get(last) ?? link.split(last).length - link.split(opening).length;
    if (findUnopened <= 0) break;
    surplus.set(last, findUnopened - 1);
  }
  return link.slice(0, end);
}

/**
 * The form in which searches compare text: compatibility forms (full width, ligatures, styled letters) as what they stand
 * for, letters without accents (U+0300 to U+036F) and in lower case. Vowel signs and the like stay: they make other words.
 */
export const foldText = (text: string): string =>
  text
    .normalize('NFKD')
    .replaceAll(/(\p{L})[\u0300-\u036F]+/gu, '$1')
    .toLowerCase()
    .normalize('NFC')
    .replaceAll('ς', 'σ');

/** A handle in the form in which handles are compared: in one Unicode form and in lower case. Accents and width count. */
export const foldHandle = (handle: string): string => handle.normalize('NFC').toLowerCase();

/**
 * Spellings of a handle for a search with `collate nocase`, which ignores the case of ASCII letters only: as given, in
 * lower case, in upper case and with one capital. Others that mix the case of letters beyond ASCII are not found.
 */
export function listSpellings(handle: string): string[] {
  const folded = foldHandle(handle);
  if (/^[\x20-\x7e]*$/.test(folded)) return [folded];
  const [first = '', ...rest] = folded;
  const all = [handle.normalize('NFC'), folded, folded.toUpperCase(), first.toUpperCase() + rest.join('')];
  return [...new Set(all)].filter((one) => foldHandle(one) === folded);
}

/** One line without control characters: text of a service must not control a terminal. */
export const toSingleLine = (text: string): string => text.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\s]+/gu, ' ').trim();

/** The first `length` characters, with a mark where something is left out. */
export const truncate = (text: string, length: number): string =>
  text.length <= length ? text : `${text.slice(0, length - 1).replace(/[\ud800-\udbff]$/, '')}…`;
