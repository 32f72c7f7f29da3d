import type { AnswerFacts } from './parse-answer.ts';

/** What a response says beside its list, by the documentation, without the code that is tested. */

type Json = Record<string, unknown>;
const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const HINT_WORD = /next|more|cursor|after|token/i;
/** Keys of items, of the owner and of the places of cursors. */
const OTHER_KEYS = new Set(['data', 'instructions', 'entries', 'entry', 'moduleItems', 'cursor', 'user', 'tweet']);
const isFull = (value: unknown): boolean => value != null && ![false, 0, '0', '-1', ''].includes(value as string);

/** Returns the values of hints that a list goes on, in envelope, timeline, instructions and headers. */
export function findHints(
  { headers = {}, parameters }: AnswerFacts,
  body: unknown,
  { timeline, groups }: { readonly timeline: unknown; readonly groups: readonly unknown[] },
): unknown[] {
  const hintsIn = (holder: unknown): unknown[] =>
    isObject(holder)
      ? Object.entries(holder).flatMap(([key, value]) => {
          if (OTHER_KEYS.has(key)) return [];
          if (isObject(value)) return value['cursorType'] === 'Top' ? [] : hintsIn(value);
          return HINT_WORD.test(key) && isFull(value) ? [value].flat() : [];
        })
      : [];
  const data = isObject(body) && isObject(body['data']) ? body['data'] : {};
  const { timeline: _, tweets: __, followers: ___, following: ____, ...beside } = data;
  const link = headers['link']?.includes('rel="next"') ? [headers['link']] : [];
  const holders = new Set([timeline, ...groups]);
  return [body, beside, ...holders]
    .flatMap(hintsIn)
    .concat(link)
    .filter((value) => parameters['cursor'] === undefined || !isHintOf(value, parameters['cursor']));
}

/** Whether a hint is a cursor, or the address of a link with it. */
export const isHintOf = (hint: unknown, cursor: string): boolean =>
  String(hint) === cursor || /[?&]cursor=([^&>]*)/.exec(String(hint))?.[1] === cursor;

/** Whether a response says that it is incomplete, or has members in an unknown instruction. */
export function isIncomplete(
  { status = 200 }: AnswerFacts,
  body: unknown,
  { hasOwner, groups }: { readonly hasOwner: boolean; readonly groups: readonly unknown[] },
): boolean {
  const { data, errors, success, partial, status: word } = body as Json;
  const owner = (data as Json)['user'];
  return (
    (status >= 204 && status <= 207) ||
    (Array.isArray(errors) && errors.length > 0) ||
    success === false ||
    partial === true ||
    word === 'error' ||
    (hasOwner && owner === null) ||
    groups.some((group) => isObject(group) && group['moduleItems'] !== undefined)
  );
}
