import { coverageTable } from './coverage.ts';
import type { ExportTable } from './export-table.ts';
import { followsTable } from './follows.ts';
import { hashtagsTable, linksTable, mediaTable, mentionsTable } from './tweet-parts.ts';
import { repliesTable, tweetsTable } from './tweets.ts';
import { usersTable } from './users.ts';

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
