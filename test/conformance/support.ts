import { dirname } from 'node:path';
import { openConnection } from '../../src/store/sqlite/driver.ts';
import { type CliResult, runCli } from '../support/cli.ts';
import { tempFile } from '../support/temp.ts';
import type { Account, Json, ScriptedService, Tweet } from './scripted-service.ts';

/** A store that a test fills by running the command line against a service. */
export interface Crawler {
  readonly file: string;
  /** Runs `trawl` with the service's address and key and this store. */
  trawl(...args: string[]): Promise<CliResult>;
  /** Runs `trawl crawl … --json`. */
  crawl(...args: string[]): Promise<{ code: number | null; summary: Json; stderr: string }>;
  /** The rows of a query on the store's file. */
  rows(query: string): Json[];
  /** The first value of the first row of a query. */
  value(query: string): unknown;
}

/** A crawler with a new store in a folder of its own. */
export function createCrawler(
  service: Pick<ScriptedService, 'env'>,
  more: Readonly<Record<string, string>> = {},
): Crawler {
  const file = tempFile('store.db');
  const env = { ...service.env, TRAWL_DB: file, ...more };
  const trawl = (...args: string[]): Promise<CliResult> => runCli(args, { env, cwd: dirname(file) });
  const rows = (query: string): Json[] => {
    const db = openConnection(file, { readonly: true });
    try {
      return db.prepare(query).all() as Json[];
    } finally {
      db.close();
    }
  };
  return {
    file,
    trawl,
    async crawl(...args) {
      const { code, stdout, stderr } = await trawl('crawl', ...args, '--json', '--yes');
      return { code, summary: parse(stdout, stderr), stderr };
    },
    rows,
    value: (query) => Object.values(rows(query)[0] ?? {})[0],
  };
}

function parse(stdout: string, stderr: string): Json {
  try {
    return JSON.parse(stdout) as Json;
  } catch {
    throw new Error(`not a JSON document: ${stdout}\n${stderr}`);
  }
}

/** Accounts `<prefix>1` to `<prefix>N` with the ids `<from>` and up. */
export const people = (count: number, from: number, prefix: string): Account[] =>
  Array.from({ length: count }, (_, index) => ({ id: String(from + index), handle: `${prefix}${index + 1}` }));

export const idsOf = (items: readonly { readonly id: string }[]): string[] => items.map(({ id }) => id);

/** Original tweets of an account, one a day from 2025-01-01, with the ids `<from>` and up. */
export const tweetsOf = (author: string, count: number, from: number): Tweet[] =>
  Array.from({ length: count }, (_, day) => {
    return { id: String(from + day), author, text: `moon number${day}`, at: Date.UTC(2025, 0, 1 + day) };
  });
