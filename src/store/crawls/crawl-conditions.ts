import { and, eq } from 'drizzle-orm';
import { crawls } from '../schema/tables.ts';
import { bound } from '../sqlite/statement.ts';

/** A condition on the identity of a crawl. Bind `kind`, `target` and `options`. */
export const hasIdentity = and(
  eq(crawls.kind, bound.kind),
  eq(crawls.target, bound.target),
  eq(crawls.options, bound.options),
);
