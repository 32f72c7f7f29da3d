import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Generates the baseline migration again from `src/store/schema/tables/`. What follows the marker in its file is written by
 * hand (views, triggers, full-text indexes) and stays. Until the first release, this replaces a new migration.
 */
const FOLDER = 'migrations';
const FILE = join(FOLDER, '0000_baseline.sql');
/** What only this script needs is no dependency: it is installed by the first run. */
const KIT = '.drizzle-kit/node_modules/.bin/drizzle-kit';
const MARKER = '-- By hand: views, triggers and full-text indexes\n';

/** Tables that are read by their primary key only: drizzle-kit cannot declare them without rowids. */
const WITHOUT_ROWID = [
  '_crawl_tree',
  '_drift',
  '_search_updates',
  '_tombstones',
  'community_tweets',
  'crawl_sources',
  'list_tweets',
  'media',
  'search_hits',
  'tweet_hashtags',
  'tweet_links',
  'tweet_mentions',
];

/** @throws if there is no such table */
function dropRowid(sql: string, table: string): string {
  const start = sql.indexOf(`CREATE TABLE \`${table}\` (`);
  if (start < 0) throw new Error(`there is no table ${table}`);
  const end = sql.indexOf('\n);', start) + 2;
  return `${sql.slice(0, end)} WITHOUT ROWID${sql.slice(end)}`;
}

const [, byHand] = readFileSync(FILE, 'utf8').split(MARKER);
if (byHand === undefined) throw new Error(`${FILE} lacks the line "${MARKER.trim()}"`);

const generated = mkdtempSync('.baseline-');
try {
  const options = ['--dialect', 'sqlite', '--schema', 'src/store/schema/tables.ts', '--name', 'baseline'];
  if (!existsSync(KIT)) execFileSync('npm', ['run', 'drizzle-kit:install'], { stdio: 'inherit' });
  execFileSync(KIT, ['generate', ...options, '--out', generated], { stdio: 'ignore' });
  const tables = WITHOUT_ROWID.reduce(dropRowid, readFileSync(join(generated, '0000_baseline.sql'), 'utf8').trimEnd());
  writeFileSync(FILE, `${tables}\n--> statement-breakpoint\n${MARKER}${byHand}`);
  for (const name of ['0000_snapshot.json', '_journal.json'])
    renameSync(join(generated, 'meta', name), join(FOLDER, 'meta', name));
} finally {
  rmSync(generated, { recursive: true, force: true });
}
