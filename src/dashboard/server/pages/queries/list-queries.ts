import { readCatalogue } from '../../../../analysis/queries/catalogue.ts';
import type { SavedQuery } from '../../../../analysis/queries/saved-query.ts';
import type { QueryLine, QueryListData } from '../../api/queries.ts';
import type { ReadContext } from '../../reader/read.ts';
import { toShortLine } from '../../reader/short-line.ts';

/** Reading and checking all files takes 0.2 s. */
const KEPT_MS = 5000;

/** Lists the queries of trawl and of the user, by topic. @throws UsageError for a folder that cannot be read */
export const listQueries = ({ settings, remember }: ReadContext): QueryListData =>
  remember('queries', KEPT_MS, () => {
    const { queries, problems } = readCatalogue(settings.queryFolders).readAll();
    return {
      queries: queries.map(toQueryLine).toSorted((a, b) => compare(a.topic, b.topic) || compare(a.name, b.name)),
      problems: problems.map(toShortLine),
    };
  });

export const toQueryLine = ({ name, title, topic, isBuiltIn }: SavedQuery): QueryLine => ({
  name,
  title: toShortLine(title),
  topic: toShortLine(topic),
  isOwn: !isBuiltIn,
});

const compare = (a: string, b: string): number => (a === b ? 0 : a < b ? -1 : 1);
