import { existsSync } from 'node:fs';
import { UsageError } from '../../../base/errors.ts';
import { listSpellings, pluralize } from '../../../base/text.ts';
import type { CrawlSpec } from '../../../service/kinds/crawl-spec.ts';
import { isKind, kindTable, type TargetType } from '../../../service/kinds/kinds.ts';
import { parseAccount } from '../../../service/kinds/target.ts';
import { describeStorageError } from '../../sqlite/database-errors.ts';
import { type Db, openReadOnly } from '../../sqlite/database.ts';
import { prepareTombstones } from '../tombstones.ts';
import { createForgottenNames, type ForgottenNames } from './forgotten-names.ts';

/** What a crawl is about. */
type CrawlTarget = Pick<CrawlSpec, 'kind' | 'target'>;

/** Whether a crawl would be about a forgotten account, or a search that names one. */
export type IsForgotten = (crawl: CrawlTarget) => boolean;

/**
 * Prepares the check of targets of crawls. A handle is forgotten until the store knows another account that has it: until
 * then, that account can be named by its id.
 */
export function prepareForgottenTargets(db: Db): IsForgotten {
  const tombstones = prepareTombstones(db);
  const findHolder = db.$client.prepare<[string]>('select 1 from users where screen_name = ? collate nocase');
  const isHeld = (handle: string): boolean => listSpellings(handle).some((one) => findHolder.get(one) !== undefined);
  return (crawl) => !tombstones.isEmpty() && isForgottenTarget(crawl, createForgottenNames(tombstones), isHeld);
}

/** The same for a store's file. Nobody is forgotten in a missing store, or in one of an earlier version. @throws TrawlError if it is no database */
export function openForgottenTargets(path: string): Disposable & { readonly isForgotten: IsForgotten } {
  if (!existsSync(path)) return { isForgotten: () => false, [Symbol.dispose]: () => undefined };
  const db = openReadOnly(path);
  try {
    return {
      isForgotten: hasTombstones(db) ? prepareForgottenTargets(db) : () => false,
      [Symbol.dispose]: () => void db.$client.close(),
    };
  } catch (error) {
    db.$client.close();
    throw describeStorageError(error, path) ?? error;
  }
}

const hasTombstones = (db: Db): boolean =>
  db.$client.prepare("select 1 from sqlite_schema where name = '_tombstones'").get() !== undefined;

/** @throws UsageError if targets are forgotten accounts, or searches that name one: with their number, and no name */
export function requireRemembered(crawls: readonly CrawlTarget[], isForgotten: IsForgotten): void {
  const count = crawls.filter(isForgotten).length;
  if (count > 0) throw new UsageError(describeForgottenTargets(count), { hint: FORGOTTEN_HINT });
}

/** What becomes of forgotten targets, without their names. */
export const describeForgottenTargets = (count: number): string =>
  `${pluralize(count, 'target is a forgotten account and is', 'targets are forgotten accounts and are')} not crawled`;

/** How to crawl another account that has a handle of a forgotten one. */
export const FORGOTTEN_HINT = 'If another account has the handle now, name it by its id, such as id:1234567890.';

/** Whether a target is a forgotten account, or a search that names one. @param isHeld whether a stored account has a handle */
export function isForgottenTarget(
  { kind, target }: CrawlTarget,
  names: ForgottenNames,
  isHeld: (handle: string) => boolean,
): boolean {
  const isForgottenHandle = (handle: string): boolean => names.isHandle(handle) && !isHeld(handle);
  const isForgotten: Readonly<Partial<Record<TargetType, () => boolean>>> = {
    account() {
      const account = parseAccount(target);
      return 'id' in account ? names.isAccount(account.id) : isForgottenHandle(account.handle);
    },
    query: () => names.isNamedIn(target, isForgottenHandle),
  };
  return isKind(kind) && isForgotten[kindTable[kind].targetType]?.() === true;
}
