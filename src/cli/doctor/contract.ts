import { existsSync } from 'node:fs';
import { answerOpenQuestions } from '#analysis/quality/open-questions.ts';
import { SECOND } from '#base/clock.ts';
import { TrawlError, UsageError } from '#base/errors.ts';
import { getConfig } from '#cli/context.ts';
import { crawlSilently } from '#cli/crawl/run.ts';
import type { CommonOptions } from '#cli/shared/common-options.ts';
import { readStore } from '#cli/shared/existing-store.ts';
import { finishErasure } from '#cli/shared/finish-erasure.ts';
import { pluralize, print, printJson, printNote } from '#cli/terminal/print.ts';
import { countUnfinished } from '#library/run/follow-crawls.ts';
import { DEFAULT_CONCURRENCY } from '#library/run/run-defaults.ts';
import { type CrawlSpec, createCrawlSpec } from '#service/kinds/crawl-spec.ts';
import { getKind, KIND_NAMES } from '#service/kinds/kinds.ts';
import type { CrawlRow } from '#store/schema/crawl-row.ts';

/** The requests of all probes together. */
const MOST_REQUESTS = 15;
/** The longest wait for a service that does not answer. */
const WAIT_MS = 30 * SECOND;

export interface ContractOptions extends CommonOptions {
  /** The account that is crawled first; true for none. */
  readonly contract: string | true;
}

/** Prints what the specification leaves open, what trawl assumes and what the service has shown, after crawls that show more. */
export async function reportContract({ contract: account, db, json }: ContractOptions): Promise<void> {
  if (account !== true) await probe(account, db);
  else if (!existsSync(db))
    throw new UsageError(`${db} does not exist yet`, {
      hint: 'Name an account to crawl: `trawl doctor --contract nasa` sends at most 15 requests.',
    });
  const questions = await readStore(db, answerOpenQuestions);
  if (json) return printJson({ questions });
  for (const { question, assumed, found } of questions)
    print(`${question}\n  assumed  ${assumed}\n  found    ${found ?? 'nothing yet'}`);
}

/** Crawls two pages of each list of an account, its newest tweet and a search for it. The rows are stored as those of any crawl. */
async function probe(account: string, db: string): Promise<void> {
  await finishErasure(db);
  const config = getConfig();
  let left = MOST_REQUESTS;
  const crawl = async (targets: readonly Pick<CrawlSpec, 'kind' | 'target'>[]): Promise<CrawlRow[]> => {
    if (left <= 0) return [];
    const specs = targets.map(({ kind, target }) => {
      const { supportedOptions } = getKind(kind);
      const options = {
        ...(supportedOptions.includes('maxPages') ? { maxPages: 2 } : {}),
        ...(supportedOptions.includes('recheck') ? { recheck: false as const } : {}),
      };
      return createCrawlSpec({ kind, target, options, priority: 'interactive' });
    });
    const run = { db, raw: true, concurrency: DEFAULT_CONCURRENCY, maxRequests: left, wait: WAIT_MS };
    const rows = await crawlSilently(specs, run, config);
    for (const { requests } of rows) left -= requests;
    const unfinished = countUnfinished(rows);
    if (unfinished > 0)
      throw new TrawlError(`${pluralize(unfinished, 'crawl')} of ${account} did not end`, {
        hint: '`trawl status` shows why. The same command resumes them.',
      });
    return rows;
  };
  const kinds = KIND_NAMES.filter((kind) => getKind(kind).targetType === 'account');
  const rows = await crawl(kinds.map((kind) => ({ kind, target: account })));
  const id = rows.flatMap(({ targetRestId }) => targetRestId ?? [])[0];
  if (id === undefined)
    throw new TrawlError(`the service has shown no account ${account}`, {
      hint: 'Name another one, or see `trawl crawls`.',
    });
  const { handle, tweet } = await readStore(db, ({ $client }) =>
    $client
      .prepare<[string], { handle: string | null; tweet: string | null }>(
        `select screen_name as handle, (select rest_id from tweets where author_id = users.id
             order by created_at desc limit 1) as tweet from users where rest_id = ?`,
      )
      .get(id)!,
  );
  await crawl([
    ...(tweet == null ? [] : [{ kind: 'tweet' as const, target: tweet }]),
    ...(handle == null ? [] : [{ kind: 'search' as const, target: `from:${handle}` }]),
  ]);
  printNote(`probed with ${pluralize(MOST_REQUESTS - left, 'request')}`);
}
