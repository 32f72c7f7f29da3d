import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join, relative } from 'node:path';
import { readXlsx } from 'hucre/xlsx';
import { openReadOnly } from '#store/sqlite/database.ts';
import { readParquet } from '../../support/tables.ts';

/** Finds the people of stores in texts. */
export interface IdentityScan {
  /** The number of identities that it looks for. */
  readonly size: number;
  /** Returns what a text has of them, in any case. */
  find(text: string): string[];
}

/** Counts have shorter ids by chance. */
const LEAST_DIGITS = 9;

/**
 * Looks for the ids of accounts, tweets, communities and lists, the handles, names, addresses and biographies of accounts, also former
 * ones, and the texts of tweets, in all of the stores. Short ids are looked for in quotes, where JSON has no numbers; handles
 * as whole words.
 */
export function createIdentityScan(files: readonly string[]): IdentityScan {
  const [parts, handles, shortIds] = [new Set<string>(), new Set<string>(), new Set<string>()];
  for (const file of files) {
    using db = openReadOnly(file);
    const read = (...selects: string[]): string[] =>
      db.$client
        .prepare<[], string | null>(selects.join(' union '))
        .pluck()
        .all()
        .flatMap((value) => (value ? value.toLowerCase() : []));
    for (const id of read(
      ...['users', 'tweets', 'communities', 'lists'].map((table) => `select rest_id from ${table}`),
    ))
      (id.length < LEAST_DIGITS ? shortIds : parts).add(id);
    const columns = ['name', 'url', 'profile_image_url', 'description'];
    const ofUsers = columns.flatMap((column) => [`select ${column} from users`, `select ${column} from user_history`]);
    const ofGroups = ['communities', 'lists'].flatMap((table) => [
      `select name from ${table}`,
      `select description from ${table}`,
    ]);
    for (const value of read(...ofUsers, ...ofGroups)) if (value.length > 2) parts.add(value);
    for (const value of read('select text from tweets', 'select url from tweet_links'))
      if (value.length > 12) parts.add(value);
    const names = ['users', 'user_history', 'tweet_mentions'].map((table) => `select screen_name from ${table}`);
    for (const handle of read(...names, 'select in_reply_to_screen_name from tweets')) handles.add(handle);
  }
  const escapeJson = (value: string): string => JSON.stringify(value).slice(1, -1);
  const needles = [...parts].flatMap((value) => [...new Set([value, escapeJson(value)])]);
  return {
    size: parts.size + handles.size + shortIds.size,
    find(text) {
      const folded = text.toLowerCase();
      const words = new Set(folded.match(/[\p{L}\p{M}\p{N}_]+/gu));
      return [
        ...needles.filter((needle) => folded.includes(needle)),
        ...[...handles].filter((handle) => words.has(handle)),
        ...[...shortIds].filter((id) => folded.includes(`"${id}"`)),
      ];
    },
  };
}

/** Returns the bytes of a file as text, also unpacked, and the properties that its format has. */
async function readAsText(path: string): Promise<string> {
  const bytes = readFileSync(path);
  const raw = bytes.toString('utf8');
  if (path.endsWith('.parquet')) {
    const { rows, metadata } = await readParquet(bytes);
    const toPlain = (_: string, value: unknown): unknown => (typeof value === 'bigint' ? Number(value) : value);
    return [raw, ...rows.map((row) => JSON.stringify(row, toPlain)), JSON.stringify(metadata.key_value_metadata)].join(
      '\n',
    );
  }
  return path.endsWith('.xlsx') ? `${raw}\n${JSON.stringify(await readXlsx(bytes))}` : raw;
}

/** Returns the people that the files below a folder name, in their bytes or by their own names. */
export async function findPeople(folder: string, scan: IdentityScan): Promise<string[]> {
  const found: string[] = [];
  for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    const path = join(folder, name);
    if (!statSync(path).isFile()) continue;
    const people = scan.find(`${relative(folder, path)}\n${await readAsText(path)}`);
    if (people.length > 0) found.push(`${path}: ${people.slice(0, 9).join(', ')}`);
  }
  return found;
}
