/** Entities of a text: in lower case, without the sign, each once, in order of appearance. */
export interface Entities {
  readonly hashtags: string[];
  readonly mentions: string[];
  readonly links: string[];
}

// Each pattern can match at only one position of a run, so the cost is linear in the length.
const LINK = /(?<![a-z0-9_])https?:\/\/[\p{L}\p{N}][^\s<>"«»“”「」『』【】（）、。，！？；：…]*/giu;
const EMAIL = /(?<![\p{L}\p{N}._%+-])[\p{L}\p{N}._%+-]+@[a-z0-9-]+(?:\.[a-z0-9-]+)+/giu;
const HASHTAG = /(?<![\p{L}\p{M}\p{N}_&#＃])[#＃]([\p{L}\p{M}\p{Nd}_]+)/gu;
const MENTION = /(?<![A-Za-z0-9_@])@([A-Za-z0-9_]{1,15})(?![A-Za-z0-9_@])/g;

/** A hashtag needs a letter: `#1` is a number, and a keycap emoji is `#` with two marks. */
const LETTER = /\p{L}/u;
const TRAILING = new Set(".,!?;:'*_~)]}’");
const OPENING: Readonly<Record<string, string>> = { ')': '(', ']': '[', '}': '{' };

/** Extracts hashtags, mentions and links, of crawled and of generated text. */
export function extractEntities(text: string): Entities {
  const links = new Set<string>();
  const hashtags = new Set<string>();
  const mentions = new Set<string>();
  const rest = blankAddresses(text, (link) => links.add(link));
  if (rest.includes('@')) for (const [, name] of rest.matchAll(MENTION)) mentions.add(name!.toLowerCase());
  for (const [, tag] of rest.matchAll(HASHTAG)) {
    if (LETTER.test(tag!)) hashtags.add(normaliseHashtag(tag!));
  }
  return { hashtags: [...hashtags], mentions: [...mentions], links: [...links] };
}

/** Replaces links and email addresses by spaces of the same length. */
function blankAddresses(text: string, onLink?: (link: string) => void): string {
  let rest = text;
  if (rest.includes('://')) {
    rest = rest.replace(LINK, (match) => {
      const link = trimTrailing(match);
      onLink?.(link);
      return ' '.repeat(link.length) + match.slice(link.length);
    });
  }
  // `.@name` is a mention; only a dot after letters belongs to an email address.
  return rest.includes('@')
    ? rest.replace(EMAIL, (match) => (match.startsWith('.') ? match : ' '.repeat(match.length)))
    : rest;
}

/** An entity with its place in the text, sign included; UTF-16 code units. */
export interface LocatedEntity {
  readonly value: string;
  readonly start: number;
  readonly end: number;
}

/** Finds the hashtags and mentions that `extractEntities` extracts, each as often as it appears. */
export function locateEntities(text: string): Readonly<Record<'hashtags' | 'mentions', LocatedEntity[]>> {
  const rest = blankAddresses(text);
  const locate = ({ 0: match, index }: RegExpExecArray, value: string): LocatedEntity => ({
    value,
    start: index,
    end: index + match.length,
  });
  return {
    hashtags: Array.from(rest.matchAll(HASHTAG))
      .filter(([, tag]) => LETTER.test(tag!))
      .map((match) => locate(match, normaliseHashtag(match[1]!))),
    mentions: Array.from(rest.matchAll(MENTION), (match) => locate(match, match[1]!.toLowerCase())),
  };
}

/** Returns the form in which hashtags are stored and searched. */
export const normaliseHashtag = (tag: string): string => tag.toLowerCase().normalize('NFC');

/** Removes punctuation after a link; a bracket that the link opens itself is kept. */
function trimTrailing(link: string): string {
  const surplus = new Map<string, number>();
  let end = link.length;
  for (; end > 0; end -= 1) {
    const last = link[end - 1]!;
    if (!TRAILING.has(last)) break;
    const opening = OPENING[last];
    if (opening === undefined) continue;
    const unopened = surplus.get(last) ?? link.split(last).length - link.split(opening).length;
    if (unopened <= 0) break;
    surplus.set(last, unopened - 1);
  }
  return link.slice(0, end);
}

/**
 * Returns the form in which searches compare text: compatibility forms (full width, ligatures, styled letters)
 * decomposed, letters and digits without accents (U+0300 to U+036F) and in lower case. Vowel signs are kept, since they
 * distinguish words.
 */
export const foldText = (text: string): string =>
  text
    .normalize('NFKD')
    .replaceAll(/([\p{L}\p{N}])[\u0300-\u036F]+/gu, '$1')
    .toLowerCase()
    .normalize('NFC')
    .replaceAll('ς', 'σ');

/** Returns the form in which handles are compared: NFC and lower case. Accents and width are significant. */
export const foldHandle = (handle: string): string => handle.normalize('NFC').toLowerCase();

/**
 * Returns spellings of a handle for a search with `collate nocase`, which ignores only the case of ASCII letters: as
 * given, lower case, upper case and capitalised. Other mixed-case spellings beyond ASCII are not found.
 */
export function listSpellings(handle: string): string[] {
  const folded = foldHandle(handle);
  if (/^[\x20-\x7e]*$/.test(folded)) return [folded];
  const [first = '', ...rest] = folded;
  const all = [handle.normalize('NFC'), folded, folded.toUpperCase(), first.toUpperCase() + rest.join('')];
  return [...new Set(all)].filter((one) => foldHandle(one) === folded);
}

/** Returns a text with its first letter in upper case. */
export const capitalise = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

/** Returns a message with its first letter in upper case, unless it begins with a file, an address or a handle: names are kept. */
export const toSentence = (message: string): string => (/^\S*[/.:@\\]\S/.test(message) ? message : capitalise(message));

/** Returns text as one line without control characters, which could control a terminal. */
export const toSingleLine = (text: string): string => text.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\s]+/gu, ' ').trim();

/** Returns the first `length` characters, with an ellipsis if something is cut. */
export const truncate = (text: string, length: number): string =>
  text.length <= length ? text : `${text.slice(0, length - 1).replace(/[\ud800-\udbff]$/, '')}…`;

/** Quotes a word for a shell if necessary. */
export const quoteShellWord = (text: string): string =>
  /^[\w@:./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;

/** Replaces line breaks and tabs by spaces, and other control and bidirectional characters by visible ones. */
export function toPrintable(text: string): string {
  return text
    .toWellFormed()
    .replace(/\r\n|[\t\n\v\f\r\u0085\u2028\u2029]/g, ' ')
    .replace(/\p{Cc}/gu, (control) => (control < ' ' ? String.fromCharCode(0x2400 + control.charCodeAt(0)) : '\ufffd'))
    .replace(/\p{Bidi_C}/gu, '\ufffd');
}

/** Characters that have to be escaped in attributes, or that XML 1.0 cannot contain: controls, lone surrogates, U+FFFE and U+FFFF. */
const XML_SPECIAL = /[&<>"\p{Cs}\ufffe\uffff]|(?![\u007f-\u009f])\p{Cc}/gu;

const XML_ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  // Readers replace these by spaces otherwise.
  '\t': '&#9;',
  '\n': '&#10;',
  '\r': '&#13;',
};

/** Escapes a text for XML 1.0, also in a quoted attribute. Characters that XML cannot contain become U+FFFD. */
export const escapeXml = (text: string): string => text.replace(XML_SPECIAL, (char) => XML_ESCAPES[char] ?? '\ufffd');

/** Replaces the options of the command line in a message by those of job files and the library: `--max-pages` is `maxPages`. */
export const toOptionNames = (message: string): string =>
  message.replaceAll(/--([a-z-]+)/g, (_, flag: string) =>
    flag.replaceAll(/-(.)/g, (__, letter: string) => letter.toUpperCase()),
  );

/** Formats a number as `12,345`. Integers without Intl, which takes longer to load than a short command to run. */
export const formatCount = (n: number): string =>
  Number.isSafeInteger(n) ? String(n).replaceAll(/\B(?=(\d{3})+$)/g, ',') : n.toLocaleString('en-US');

/** `1 page`, `2 pages`. */
export const pluralize = (n: number, one: string, many = `${one}s`): string =>
  `${formatCount(n)} ${n === 1 ? one : many}`;

/** The pronoun for a number of things, as an object: `it`, `them`. */
export const pronounOf = (n: number): string => (n === 1 ? 'it' : 'them');

/** A regular expression for the names of jobs and panels, which are used in keys, file names and command lines. */
export const NAME_PATTERN = '^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$';

/** The maximum number of suggested names. */
const MOST_SUGGESTIONS = 4;

/** Returns the names that are most similar to an unknown name, the most similar first. */
export function suggestNames(name: string, names: readonly string[]): string[] {
  const wanted = listLetterPairs(name);
  return names
    .map((known) => {
      const pairs = listLetterPairs(known);
      const shared = [...wanted].filter((pair) => pairs.has(pair)).length;
      return { known, similarity: (2 * shared) / (wanted.size + pairs.size) };
    })
    .filter(({ similarity }) => similarity > 0.5)
    .toSorted((a, b) => b.similarity - a.similarity)
    .slice(0, MOST_SUGGESTIONS)
    .map(({ known }) => known);
}

/** The pairs of neighbouring letters (Dice's coefficient), with marks for start and end. */
function listLetterPairs(name: string): Set<string> {
  const text = `^${name.toLowerCase()}$`;
  return new Set(Array.from({ length: text.length - 1 }, (_, i) => text.slice(i, i + 2)));
}

/** Lists at most `most` texts: `a, b and 3 more`. */
export const listFirst = (texts: readonly string[], most: number): string =>
  texts.slice(0, most).join(', ') + (texts.length > most ? ` and ${formatCount(texts.length - most)} more` : '');
