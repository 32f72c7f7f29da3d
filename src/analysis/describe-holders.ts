import type { HandleHolders, Holder } from './handle-holders.ts';

/** `nasa is now called nasa_then (id:1)`; if it was reused: `nasa is now the handle of id:2, not of id:1`. */
export function describeRenamedHandle(
  handle: string,
  { restId, screenName }: Holder,
  present: Holder | undefined,
): string {
  const isRenamed = screenName !== null && screenName.toLowerCase() !== handle;
  const renamed = isRenamed ? [`${handle} is now called ${screenName} (id:${restId})`] : [];
  if (!present) return renamed.join('');
  const taken = `${handle} is now the handle of id:${present.restId}`;
  return [...renamed, isRenamed ? taken : `${taken}, not of id:${restId}`].join('; ');
}

const listIds = (holders: readonly Holder[]): string => holders.map(({ restId }) => `id:${restId}`).join(', ');

/** Names the accounts that had a handle before. */
export const describePreviousHolders = (handle: string, past: readonly Holder[]): string =>
  `earlier, ${handle} was the handle of ${listIds(past)}`;

/** Describes a handle that several accounts had, and none has now. */
export const describeAmbiguousHandle = (handle: string, past: readonly Holder[]): string =>
  `no account has the handle ${handle} now, and ${past.length} accounts had it: ${listIds(past)}`;

/** Describes the accounts of a handle; undefined if no other account than its current one was seen with it. */
export function describeHolders(handle: string, { current, previous }: HandleHolders): string | undefined {
  const [last] = previous;
  if (!last) return undefined;
  if (current) return describePreviousHolders(handle, previous);
  return previous.length === 1
    ? describeRenamedHandle(handle, last, undefined)
    : describeAmbiguousHandle(handle, previous);
}
