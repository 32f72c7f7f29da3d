import { and, eq, sql } from 'drizzle-orm';
import { crawls } from '../schema/tables.ts';

/** A crawl's identity, in the where-clause of a prepared statement: bind `kind`, `target` and `options`. */
export const hasIdentity = and(
  eq(crawls.kind, sql.placeholder('kind')),
  eq(crawls.target, sql.placeholder('target')),
  eq(crawls.options, sql.placeholder('options')),
);
