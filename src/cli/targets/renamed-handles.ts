import { readHolders, type Holder, resolveHolder } from '../../analysis/handle-holders.ts';
import { kindTable, type KindName } from '../../kinds/kinds.ts';
import { parseAccount } from '../../kinds/target.ts';
import type { CrawlRow } from '../../store/schema/messages.ts';
import type { Db } from '../../store/sqlite/database.ts';

/** A crawl whose handle does not lead to its account any more. */
export interface RenamedHandle {
  /** The account by its id, as a target. */
  readonly target: string;
  readonly description: string;
}

/** `nasa is called nasa_then now (id:1)`; where it was taken over: `nasa is the handle of id:2 now, who is not id:1`. */
export function describeRenamedHandle(
  handle: string,
  { restId, screenName }: Holder,
  present: Holder | undefined,
): string {
  const isRenamed = screenName !== null && screenName.toLowerCase() !== handle;
  const renamed = isRenamed ? [`${handle} is called ${screenName} now (id:${restId})`] : [];
  if (!present) return renamed.join('');
  const taken = `${handle} is the handle of id:${present.restId} now`;
  return [...renamed, isRenamed ? taken : `${taken}, who is not id:${restId}`].join('; ');
}

/** What to tell whoever has an earlier account of that name in mind. */
export const describePreviousHolders = (handle: string, past: readonly Holder[]): string =>
  `earlier, ${handle} was the handle of ${past.map(({ restId }) => `id:${restId}`).join(', ')}`;

/** What is worth telling of the handle that a crawl was asked for: it has moved, or others had it before. */
export function describeHandle(db: Db, crawl: CrawlRow): string | undefined {
  const name = handleNamed(crawl);
  if (name === undefined) return undefined;
  const moved = findRenamedHandle(db, crawl);
  if (moved) return moved.description;
  const { previous } = readHolders(db, name);
  return previous.length === 0 ? undefined : describePreviousHolders(name, previous);
}

/** Undefined where a crawl is not of an account, or of one by its id. */
function handleNamed(crawl: CrawlRow): string | undefined {
  if (kindTable[crawl.kind as KindName].targetType !== 'account') return undefined;
  const account = parseAccount(crawl.target);
  return 'id' in account ? undefined : account.handle;
}

/** Undefined where a crawl's handle is its account's still, as far as the store knows, or was never another's. */
export function findRenamedHandle(db: Db, crawl: CrawlRow): RenamedHandle | undefined {
  const name = handleNamed(crawl);
  if (name === undefined) return undefined;
  const handle = readHolders(db, name);
  const all = [...(handle.current ? [handle.current] : []), ...handle.previous];
  const own = crawl.targetId === null ? resolveHolder(handle) : all.find(({ restId }) => restId === crawl.targetId);
  if (!own || own === handle.current) return undefined;
  return { target: `id:${own.restId}`, description: describeRenamedHandle(name, own, handle.current) };
}
