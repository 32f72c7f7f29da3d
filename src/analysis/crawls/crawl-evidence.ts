import { parseCheckpoint } from '#service/kinds/checkpoint.ts';
import { getKind } from '#service/kinds/kinds.ts';
import type { CrawlRow } from '#store/schema/crawl-row.ts';
import { describeStopReason } from './end-reasons.ts';

/** What ended a list, and what follows from it (invariants 4 and 5). `served` depends on what the kind shows. */
const ENDINGS: Readonly<Record<string, string>> = {
  one_page: 'The response had no next cursor. The endpoint documents none, so that more may exist.',
  inferred: 'Empty pages ended the crawl. The service did not say that the list ends here: this is no evidence.',
  since: 'The list is in chronological order, and its pages went past the requested start.',
  joined: 'The pages reached a period that is stored already, down to the end of the list or to the requested start.',
  joined_inferred:
    'The pages reached a period that is stored already, down to an inferred end: this is no evidence of the end of the list.',
  halved: 'The searched period was split into two parts, each with a crawl of its own.',
};

const SERVED = {
  object: 'The service answered with the requested object.',
  'object with unpaged list': 'The service answered with the requested object.',
  'paged list': 'The last page of the service had no next cursor: the service ended the list.',
  'unpaged list':
    'The last page of the service had no next cursor. The endpoint documents none, so that more may exist.',
} as const;

/** What each state claims. */
const CLAIMS: Readonly<Record<CrawlRow['state'], string>> = {
  queued: 'It waits for a worker.',
  running: 'A worker runs it.',
  paused: 'It waits, and resumes by itself.',
  complete: 'All that was requested is stored, by evidence.',
  capped: 'All that the service shows is stored. More may exist.',
  partial: 'Something is missing.',
  failed: 'It could not be crawled.',
  cancelled: 'It was cancelled. Stored rows are kept.',
};

type EndedCrawl = Pick<CrawlRow, 'kind' | 'state' | 'reason' | 'ending' | 'checkpoint'>;

/** The evidence for the state of a crawl, in sentences: its claim, its reason, and what ended its list. */
export function describeEvidence(crawl: EndedCrawl): string[] {
  const { kind, state, reason, ending } = crawl;
  const end = ending === 'served' ? SERVED[getKind(kind).shape] : ENDINGS[ending ?? ''];
  const why = reason === null ? undefined : `Reason: ${describeStopReason(reason)}.`;
  return [CLAIMS[state], why, end, describeDisorder(crawl)].filter((sentence) => sentence !== undefined);
}

/** The consequence for a complete timeline that is not in chronological order; undefined for any other crawl. */
export const describeDisorder = ({ kind, state, ending, checkpoint }: EndedCrawl): string | undefined =>
  state === 'complete' &&
  ending === 'served' &&
  getKind(kind).isNewestFirst &&
  parseCheckpoint(checkpoint).scan === 'unordered'
    ? 'The list is not in chronological order: the next crawl reads all of it again.'
    : undefined;
