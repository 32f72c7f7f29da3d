import type { ReadTable } from '../../reader/read.ts';
import { listQueries } from './list-queries.ts';
import { readQueryForm } from './read-query-form.ts';
import { readStatement } from './read-statement.ts';

/** The reads of the page Queries. Statements run in processes of their own (`runs/`). */
export const QUERY_READS: ReadTable = {
  '/api/queries': listQueries,
  '/api/queries/:name': readQueryForm,
  '/api/queries/:name/statement': readStatement,
};
