import { handleOf, type Holder, meantBy } from '../../analysis/handles.ts';
import { kindTable, type KindName } from '../../kinds/kinds.ts';
import { accountOf } from '../../kinds/target.ts';
import type { CrawlRow } from '../../store/schema/messages.ts';
import type { Db } from '../../store/sqlite/database.ts';

/** A crawl whose handle does not lead to its account any more. */
export interface Moved {
  /** The account by its id, as a target. */
  readonly target: string;
  readonly inWords: string;
}

/** `nasa is called nasa_then now (id:1)`; where it was taken over: `nasa is the handle of id:2 now, who is not id:1`. */
export function movedInWords(handle: string, { restId, screenName }: Holder, present: Holder | undefined): string {
  const isRenamed = screenName !== null && screenName.toLowerCase() !== handle;
  const renamed = isRenamed ? [`${handle} is called ${screenName} now (id:${restId})`] : [];
  if (!present) return renamed.join('');
  const taken = `${handle} is the handle of id:${present.restId} now`;
  return [...renamed, isRenamed ? taken : `${taken}, who is not id:${restId}`].join('; ');
}

/** What to tell whoever has an earlier account of that name in mind. */
export const earlierInWords = (handle: string, past: readonly Holder[]): string =>
  `earlier, ${handle} was the handle of ${past.map(({ restId }) => `id:${restId}`).join(', ')}`;

/** What is worth telling of the handle that a crawl was asked for: it has moved, or others had it before. */
export function handleInWords(db: Db, crawl: CrawlRow): string | undefined {
  const name = handleNamed(crawl);
  if (name === undefined) return undefined;
  const moved = movedHandle(db, crawl);
  if (moved) return moved.inWords;
  const { past } = handleOf(db, name);
  return past.length === 0 ? undefined : earlierInWords(name, past);
}

/** Undefined where a crawl is not of an account, or of one by its id. */
function handleNamed(crawl: CrawlRow): string | undefined {
  if (kindTable[crawl.kind as KindName].target !== 'account') return undefined;
  const account = accountOf(crawl.target);
  return 'id' in account ? undefined : account.handle;
}

/** Undefined where a crawl's handle is its account's still, as far as the store knows, or was never another's. */
export function movedHandle(db: Db, crawl: CrawlRow): Moved | undefined {
  const name = handleNamed(crawl);
  if (name === undefined) return undefined;
  const handle = handleOf(db, name);
  const all = [...(handle.present ? [handle.present] : []), ...handle.past];
  const own = crawl.targetId === null ? meantBy(handle) : all.find(({ restId }) => restId === crawl.targetId);
  if (!own || own === handle.present) return undefined;
  return { target: `id:${own.restId}`, inWords: movedInWords(name, own, handle.present) };
}
