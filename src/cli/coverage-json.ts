import type { CoverageRow } from '../store/coverage.ts';
import { iso } from './summary.ts';

/** An interval that was walked without a gap, in the documents that `--json` prints. */
export const intervalJson = ({ kind, crawlId, newestId, newestAt, oldestId, oldestAt, ...rest }: CoverageRow) => ({
  ...{ kind, crawlId, oldestId, oldestAt: iso(oldestAt), newestId, newestAt: iso(newestAt) },
  ...{ pages: rest.pages, items: rest.items, bottom: rest.bottom },
});
