import { UsageError } from '#base/errors.ts';
import { foldHandle, toSingleLine, truncate } from '#base/text.ts';
import type { TargetType } from './kinds.ts';

/** A target as it was typed. */
export interface TypedTarget {
  /** The canonical form, which is part of a crawl's identity. */
  readonly target: string;
  /** The handle of an account as typed, without the @. */
  readonly handle?: string | null | undefined;
}

/** How a type of target is read and described. */
interface TargetForm {
  /** Undefined if the text is no such target. */
  read(text: string): TypedTarget | undefined;
  readonly isCalled: string;
  readonly examples: string;
}

/** Any characters but `/`, space, control characters and lone surrogates. */
const HANDLE = /^[^/\s\p{Z}\p{Cc}\p{Cs}]{1,100}$/u;
const ID = /^id:([A-Za-z0-9_-]{1,64})$/;
const NUMBER = /^\d{1,20}$/;
const MAX_QUERY = 512;
const SHOWN = 80;

/** The decoded part of an address that the pattern captures, for any host. */
function inAddress(text: string, path: RegExp): string | undefined {
  const part = URL.canParse(text) ? path.exec(new URL(text).pathname)?.[1] : undefined;
  try {
    return part && decodeURIComponent(part);
  } catch {
    return undefined;
  }
}

/** The target of a handle. An @ precedes a handle that would read as an id, as standard input or as a handle with an @. */
export function createHandleTarget(handle: string): string {
  const folded = foldHandle(handle);
  return /^(@|id:|-$)/.test(folded) ? `@${folded}` : folded;
}

function readAccount(text: string): TypedTarget | undefined {
  if (ID.test(text)) return { target: text };
  // A text that is nearly an id is a mistake; a handle that begins like one is typed with an @.
  const typed = /^(id:|-$)/i.test(text) ? undefined : text.includes('/') ? inAddress(text, /^\/([^/]+)\/?$/) : text;
  const handle = typed?.replace(/^@/, '');
  return handle !== undefined && HANDLE.test(handle) ? { target: createHandleTarget(handle), handle } : undefined;
}

/** Targets with an id: `id:1`, the number alone, or an address. */
const byId = (isCalled: string, examples: string, path: RegExp): TargetForm => ({
  read(text) {
    const target = ID.exec(text)?.[1] ?? NUMBER.exec(text)?.[0] ?? inAddress(text, path);
    return target === undefined ? undefined : { target };
  },
  isCalled,
  examples,
});

const targetForms: Readonly<Record<TargetType, TargetForm>> = {
  account: {
    read: readAccount,
    isCalled: 'an account',
    examples: 'nasa, @nasa, id:11348282 or the address of its profile',
  },
  tweet: byId('a tweet', '1234567890, id:1234567890 or its address', /\/status(?:es)?\/(\d+)/),
  community: byId('a community', '1234567890, id:1234567890 or its address', /\/communities\/(\d+)/),
  list: byId('a list', '1234567890, id:1234567890 or its address', /\/lists\/(\d+)/),
  query: {
    read: (text) => (text.length <= MAX_QUERY ? { target: text.normalize('NFC').toWellFormed() } : undefined),
    isCalled: `a search string of at most ${MAX_QUERY} characters`,
    examples: '"an exact phrase" #hashtag from:nasa since:2025-01-01',
  },
};

/** @throws UsageError with a hint. */
export function parseTarget(kind: string, type: TargetType, typed: string): TypedTarget {
  const { read, isCalled, examples } = targetForms[type];
  const text = typed.trim();
  if (text === '') throw new UsageError(`the target of ${kind} is empty`, { hint: `Name ${isCalled}: ${examples}.` });
  const target = read(text);
  if (target !== undefined) return target;
  throw new UsageError(`"${truncate(toSingleLine(text), SHOWN)}" is not ${isCalled}`, {
    hint: `Name it as ${examples}.`,
  });
}

/** The handle (folded) or the id in the target of an account. */
export function parseAccount(target: string): { handle: string } | { id: string } {
  const id = ID.exec(target)?.[1];
  return id === undefined ? { handle: target.replace(/^@/, '') } : { id };
}

/**
 * A target for messages and searches, with its handle in the spelling of the service if known, or as typed. For a crawl by
 * id of a handle, both.
 */
export function formatTarget({ target, handle }: TypedTarget): string {
  if (handle == null) return target;
  if (ID.test(target)) return `${handle} (${target})`;
  const folded = foldHandle(handle);
  return target.endsWith(folded) ? target.slice(0, target.length - folded.length) + handle : target;
}
