import { coverageTable } from './export-coverage.ts';
import { followsTable } from './export-follows.ts';
import { hashtagsTable, linksTable, mediaTable, mentionsTable } from './export-tweet-parts.ts';
import { repliesTable, tweetsTable } from './export-tweets.ts';
import { usersTable } from './export-users.ts';
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
