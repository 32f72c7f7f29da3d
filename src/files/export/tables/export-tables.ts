import { coverageTable } from './export-coverage.ts';
import { hashtagsTable, linksTable, mediaTable, mentionsTable, repliesTable, tweetsTable } from './export-tweets.ts';
import { followsTable, usersTable } from './export-users.ts';
import type { ExportTable } from './table-definition.ts';

/** The tables that can be exported, by name. */
export const exportTables = {
  users: usersTable,
  tweets: tweetsTable,
  follows: followsTable,
  replies: repliesTable,
  mentions: mentionsTable,
  hashtags: hashtagsTable,
  links: linksTable,
  media: mediaTable,
  coverage: coverageTable,
} as const satisfies Readonly<Record<string, ExportTable>>;

export type TableName = keyof typeof exportTables;
