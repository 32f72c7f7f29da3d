import { printable, start } from '../client/text.ts';
import { UsageError } from '../errors.ts';
import type { TargetType } from './kinds.ts';

/** What people type as a target, and the one canonical form that is a crawl's identity. */
interface TargetForm {
  /** The canonical target; undefined when the text names no such thing. */
  read(text: string): string | undefined;
  readonly isCalled: string;
  readonly examples: string;
}

const HANDLE = /^@?([A-Za-z0-9_]{1,50})$/;
const ID = /^id:([A-Za-z0-9_-]{1,64})$/;
const NUMBER = /^\d{1,20}$/;
const MAX_QUERY = 512;
const SHOWN = 80;

/** The part of an address that the pattern captures, whatever the host: services move. */
function inAddress(text: string, path: RegExp): string | undefined {
  return URL.canParse(text) ? path.exec(new URL(text).pathname)?.[1] : undefined;
}

/** Things that are named by an id: as `id:1`, by the number alone, or by an address. */
const byId = (isCalled: string, examples: string, path: RegExp): TargetForm => ({
  read: (text) => ID.exec(text)?.[1] ?? NUMBER.exec(text)?.[0] ?? inAddress(text, path),
  isCalled,
  examples,
});

const targetForms: Readonly<Record<TargetType, TargetForm>> = {
  account: {
    // Handles differ in nothing but case. An id keeps its prefix, so that a handle of digits is another target.
    read: (text) =>
      ID.test(text)
        ? text
        : (HANDLE.exec(text)?.[1] ?? inAddress(text, /^\/@?([A-Za-z0-9_]{1,50})\/?$/))?.toLowerCase(),
    isCalled: 'an account',
    examples: 'nasa, @nasa, id:11348282 or the address of its profile',
  },
  tweet: byId('a tweet', '1234567890, id:1234567890 or its address', /\/status(?:es)?\/(\d+)/),
  community: byId('a community', '1234567890, id:1234567890 or its address', /\/communities\/(\d+)/),
  list: byId('a list', '1234567890, id:1234567890 or its address', /\/lists\/(\d+)/),
  query: {
    read: (text) => (text.length <= MAX_QUERY ? text.normalize('NFC').toWellFormed() : undefined),
    isCalled: `a search string of at most ${MAX_QUERY} characters`,
    examples: '"an exact phrase" #hashtag from:nasa since:2025-01-01',
  },
};

/** @throws UsageError that says what would be right. */
export function canonicalTarget(kind: string, type: TargetType, typed: string): string {
  const { read, isCalled, examples } = targetForms[type];
  const text = typed.trim();
  if (text === '') throw new UsageError(`the target of ${kind} is empty`, { hint: `Name ${isCalled}: ${examples}.` });
  const target = read(text);
  if (target !== undefined) return target;
  // A file of something else may have been named as one of targets.
  throw new UsageError(`"${start(printable(text), SHOWN)}" is not ${isCalled}`, { hint: `Name it as ${examples}.` });
}

/** An account's target taken apart: by its handle or by its id. */
export function accountOf(target: string): { handle: string } | { id: string } {
  const id = ID.exec(target)?.[1];
  return id === undefined ? { handle: target } : { id };
}
