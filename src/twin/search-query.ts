/** One condition of a search; a tweet is found when all hold. */
export type Term =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'author'; readonly screenName: string }
  | { readonly kind: 'hashtag'; readonly tag: string }
  | { readonly kind: 'mention'; readonly screenName: string }
  | { readonly kind: 'since'; readonly at: number }
  | { readonly kind: 'until'; readonly at: number };

/** A phrase in quotes (the last quote may be missing), or whatever stands between spaces. */
const PIECE = /"(?<phrase>[^"]*)"?|(?<word>\S+)/gu;

/** What a word may be besides a keyword. An operator whose value makes no sense, such as `since:soon`, is a keyword. */
const OPERATORS: readonly (readonly [RegExp, (value: string) => Term | undefined])[] = [
  [/^from:@?(\w+)$/iu, (screenName) => ({ kind: 'author', screenName })],
  [/^@(\w+)$/u, (screenName) => ({ kind: 'mention', screenName: screenName.toLowerCase() })],
  [/^[#＃]([\p{L}\p{M}\p{Nd}_]+)$/u, hashtag],
  [/^since:(\d{4}-\d{2}-\d{2})$/iu, (day) => onDay(day, 'since')],
  [/^until:(\d{4}-\d{2}-\d{2})$/iu, (day) => onDay(day, 'until')],
];

/**
 * Takes a `rawQuery` apart (spec, Endpoint rules, 4). Every text is a query: there are no syntax errors.
 * `since:` is from the start of that day on, `until:` is before the start of that day, both in UTC.
 */
export function parseSearch(rawQuery: string): Term[] {
  // A NUL would end the text for SQLite, and half a surrogate pair is no text.
  const query = rawQuery.toWellFormed().replaceAll(/\p{Cc}/gu, ' ');
  return [...query.matchAll(PIECE)].flatMap(({ groups }) => {
    const phrase = groups!['phrase']?.trim();
    if (phrase !== undefined) return phrase === '' ? [] : [{ kind: 'text', text: phrase }];
    return [termOf(groups!['word']!)];
  });
}

function termOf(word: string): Term {
  for (const [form, read] of OPERATORS) {
    const value = form.exec(word)?.[1];
    const term = value === undefined ? undefined : read(value);
    if (term) return term;
  }
  return { kind: 'text', text: word };
}

/** In the form in which hashtags are stored. Without a letter it is a number (#1), and none. */
function hashtag(text: string): Term | undefined {
  return /\p{L}/u.test(text) ? { kind: 'hashtag', tag: text.toLowerCase().normalize('NFC') } : undefined;
}

/** Date.parse rolls 2024-02-31 over to March: such a day does not exist. */
function onDay(day: string, kind: 'since' | 'until'): Term | undefined {
  const at = Date.parse(day);
  const exists = !Number.isNaN(at) && new Date(at).toISOString().startsWith(day);
  return exists ? { kind, at } : undefined;
}
