import {
  describeAmbiguousHandle,
  describeHolders,
  type Holder,
  prepareHolders,
  resolveHolder,
} from '#analysis/handle-holders.ts';
import { systemClock } from '#base/clock.ts';
import { TrawlError } from '#base/errors.ts';
import { listFirst, quoteShellWord } from '#base/text.ts';
import { getConfig } from '#cli/context.ts';
import type { CommonOptions } from '#cli/shared/common-options.ts';
import { readStore } from '#cli/shared/existing-store.ts';
import { hint, pluralize, formatAgo } from '#cli/terminal/print.ts';
import { DEFAULT_CONCURRENCY } from '#library/run/run-defaults.ts';
import { createCrawlSpec } from '#service/kinds/crawl-spec.ts';
import { createHandleTarget, formatTarget, parseAccount, type TypedTarget } from '#service/kinds/target.ts';
import { openForgottenTargets, requireRemembered } from '#store/erasure/incoming/forgotten-targets.ts';
import type { CrawlRow } from '#store/schema/crawl-row.ts';
import type { Db } from '#store/sqlite/database.ts';
import { createValuePreparer } from '#store/sqlite/statement.ts';

/** An account that a target was bound to. */
export interface BoundAccount {
  readonly restId: string;
  /** The handle that it was found by, or its current one; null if the store has none. */
  readonly handle: string | null;
  /** Such as `nasa (id:11348282), last seen 3 d ago`. */
  readonly description: string;
  /** That the account was renamed, or that other accounts had the handle before. */
  readonly note: string | undefined;
}

/** A handle that means no account of the store, or several. */
interface UnboundHandle {
  readonly handle: string;
  /** The accounts that had the handle before; none if it is unknown. */
  readonly candidates: readonly Holder[];
}

export interface LookupOptions extends CommonOptions {
  /** Fetches the profiles of unknown handles. */
  readonly crawl?: true;
  readonly yes?: true;
}

/**
 * Binds targets to accounts: a handle to the account that was last seen with it, or to the only one that had it before.
 * Returns the accounts in the order of the targets.
 * @throws UsageError if accounts are forgotten; TrawlError that names all handles that cannot be bound
 */
export async function bindAccounts(targets: readonly TypedTarget[], options: LookupOptions): Promise<BoundAccount[]> {
  using store = openForgottenTargets(options.db);
  requireRemembered(
    targets.map(({ target }) => ({ kind: 'profile', target })),
    store.isForgotten,
  );
  const bindings = await readBindings(targets, options.db);
  const unknown = bindings.flatMap((each) => (isBound(each) || each.candidates.length > 0 ? [] : [each.handle]));
  if (unknown.length === 0 || !options.crawl) return requireBound(bindings);
  const crawls = await fetchProfiles(unknown, options);
  return requireBound(await readBindings(targets, options.db), crawls);
}

const isBound = (binding: BoundAccount | UnboundHandle): binding is BoundAccount => 'restId' in binding;

const readBindings = (targets: readonly TypedTarget[], path: string): Promise<(BoundAccount | UnboundHandle)[]> =>
  readStore(path, (db) => targets.map(prepareBinding(db)));

function prepareBinding(db: Db): (target: TypedTarget) => BoundAccount | UnboundHandle {
  const prepareValue = createValuePreparer(db);
  const readHolders = prepareHolders(db);
  const readHandle = prepareValue<[string], string | null>('select screen_name from users where rest_id = ?');
  const readLastSeen = prepareValue<[string], number>(
    'select last_seen_at from users join _user_last_seen on user_id = id where rest_id = ?',
  );
  const now = systemClock.now();

  function describe(restId: string, handle: string | null): string {
    const seenAt = readLastSeen.get(restId);
    const seen = seenAt === undefined ? 'not stored yet' : `last seen ${formatAgo(seenAt, now)}`;
    return `${formatTarget({ target: `id:${restId}`, handle })}, ${seen}`;
  }

  return ({ target, handle: typed }) => {
    const account = parseAccount(target);
    if ('id' in account) {
      const { id: restId } = account;
      const name = readHandle.get(restId) ?? null;
      return { restId, handle: typed ?? name, description: describe(restId, name), note: undefined };
    }
    const holders = readHolders(account.handle);
    const holder = resolveHolder(holders);
    const handle = holders.current?.screenName ?? typed ?? account.handle;
    if (!holder) return { handle, candidates: holders.previous };
    const { restId, screenName } = holder;
    const note = describeHolders(account.handle, holders);
    return { restId, handle, description: describe(restId, screenName), note };
  };
}

/** The maximum number of named handles in a message. */
const NAMED = 10;

/** @param crawls the crawls that were to fetch the profiles of unknown handles, if there were any */
function requireBound(
  bindings: readonly (BoundAccount | UnboundHandle)[],
  crawls: readonly CrawlRow[] = [],
): BoundAccount[] {
  const unbound = bindings.flatMap((each) => (isBound(each) ? [] : [each]));
  if (unbound.length === 0) return bindings.filter(isBound);
  const ambiguous = unbound.filter(({ candidates }) => candidates.length > 0);
  const unknown = unbound.filter(({ candidates }) => candidates.length === 0).map(({ handle }) => handle);
  const named = unknown.slice(0, NAMED);
  const reasons = [
    ...(unknown.length > 0 ? [`the database has no account with the handle ${listFirst(unknown, NAMED)}`] : []),
    ...ambiguous.map(({ handle, candidates }) => describeAmbiguousHandle(handle, candidates)),
  ];
  const failed = crawls.filter(({ state }) => state !== 'complete').map(({ id }) => id);
  const next =
    failed.length > 0
      ? `${hint('crawls show', failed.slice(0, NAMED).join(' '))} explains why the profile was not fetched.`
      : `${hint('crawl', `profile ${named.map(quoteShellWord).join(' ')}`)} or --crawl fetches the profile.`;
  throw new TrawlError(
    `nothing was added, since ${pluralize(unbound.length, 'handle')} cannot be bound: ${reasons.join('; ')}`,
    {
      hint: unknown.length > 0 ? next : 'Give the ids.',
    },
  );
}

/** Crawls the profiles of handles, within the quota. Returns the crawls. */
async function fetchProfiles(handles: readonly string[], options: LookupOptions): Promise<CrawlRow[]> {
  const config = getConfig();
  const { crawlSilently } = await import('#cli/crawl/run.ts');
  const specs = handles.map((handle) =>
    createCrawlSpec({ kind: 'profile', target: createHandleTarget(handle), priority: 'interactive' }),
  );
  const run = { raw: true, concurrency: DEFAULT_CONCURRENCY, needsConfirmation: true };
  return await crawlSilently(specs, { ...options, ...run }, config);
}
