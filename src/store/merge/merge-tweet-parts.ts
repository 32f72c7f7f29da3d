import { or, sql } from 'drizzle-orm';
import type { TweetRow } from '../schema/normalised-rows.ts';
import { media } from '../schema/tables.ts';
import type { Db } from '../sqlite/database.ts';
import { compileUpsert, excludedValue, type Rule } from './merge-rules.ts';

/** The lists of texts of a tweet that have a table each, with the column of the text. */
export const ENTITIES = {
  hashtags: ['tweet_hashtags', 'tag'],
  mentions: ['tweet_mentions', 'screen_name'],
  links: ['tweet_links', 'url'],
} as const;

const MEDIA = ['type', 'url', 'width', 'height'] as const;

/** Null means unknown. The later observation wins, and of two at the same time the greater value. */
const MEDIA_RULES = {
  later: (column, observed) => sql`coalesce(${observed}, ${column})`,
  together: (column, observed) => sql`coalesce(max(${column}, ${observed}), ${column}, ${observed})`,
  earlier: (column, observed) => sql`coalesce(${column}, ${observed})`,
} satisfies Record<string, Rule>;

/** Prepares the writes of media, hashtags, mentions and links. */
export function prepareTweetParts(db: Db) {
  const prepareMedia = (rule: Rule) => {
    const rules = { type: rule, url: rule, width: rule, height: rule };
    const changes = MEDIA.map((name) => sql`${rule(media[name], excludedValue(media[name]))} is not ${media[name]}`);
    const extraNames = ['tweetId', 'position'];
    return compileUpsert(db, media, ['tweetId', 'position'], rules, { setWhere: or(...changes), extraNames });
  };
  const mediaStatements = {
    later: prepareMedia(MEDIA_RULES.later),
    together: prepareMedia(MEDIA_RULES.together),
    earlier: prepareMedia(MEDIA_RULES.earlier),
  };
  const entities = Object.entries(ENTITIES).map(
    ([name, [table, column]]) =>
      [
        name as keyof typeof ENTITIES,
        db.$client.prepare(`insert into ${table} (tweet_id, ${column}) values (?, ?) on conflict do nothing`),
      ] as const,
  );

  return {
    /** `order` is the sign of this observation's time minus that of the latest one before. */
    media(id: number, row: TweetRow, order: -1 | 0 | 1): void {
      const statement = mediaStatements[order > 0 ? 'later' : order === 0 ? 'together' : 'earlier'];
      for (const [position, element] of row.media.entries()) statement.run(element, id, position);
    },
    entities(id: number, row: TweetRow): void {
      for (const [name, insert] of entities) for (const element of row[name]) insert.run(id, element);
    },
  };
}
