import { summariseEnd } from '../../service/kinds/end-states.ts';
import type { CrawlRow } from '../../store/schema/crawl-row.ts';
import type { CrawlAnswer } from '../status/status-model.ts';
import { explainState } from './crawl-reasons.ts';
import { describeCrawl, findNextCommand } from './describe-crawl.ts';

/** Returns what is said of a crawl. */
export function answerCrawl(row: CrawlRow): CrawlAnswer {
  const why = explainState(row);
  return {
    state: row.state,
    label: describeCrawl(row),
    sentence: why === '' ? row.state : `${row.state}: ${why}`,
    command: findNextCommand(row),
    id: row.id,
    kind: row.kind,
    target: row.target,
    handle: row.handle,
    targetRestId: row.targetRestId,
    priority: row.priority,
    options: JSON.parse(row.options) as object,
    isComplete: summariseEnd(row).isComplete,
    reason: row.reason,
    ending: row.ending,
    why,
    error: row.error,
    pages: row.pages,
    items: row.items,
    newItems: row.newItems,
    rejectedItems: row.rejectedItems,
    requests: row.requests,
    unknownRequests: countUnrecordedRequests(row),
    parentId: row.parentId,
    createdAt: row.createdAt,
    startedAt: row.startedAt,
    updatedAt: row.updatedAt,
    resumeAt: row.resumeAt,
    finishedAt: row.finishedAt,
  };
}

/** The maximum number of requests of a crawl that killed workers sent without a record. */
export const countUnrecordedRequests = ({ unknownRequests, inFlightRequests, finishedAt }: CrawlRow): number =>
  unknownRequests + (finishedAt === null ? 0 : inFlightRequests);

/** The reason, the ending and the error of a crawl, for a cell of a table. */
export const formatReason = (row: CrawlRow): string =>
  [explainState(row), row.error ?? ''].filter((part) => part !== '').join(': ');
