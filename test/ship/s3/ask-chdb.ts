import { readFileSync } from 'node:fs';
import { openChdb, readRows } from '../../sim/fleet/clickhouse.ts';

/** Runs statements of ClickHouse, whose keys of S3 are in the environment, and prints the rows of queries. Argument: a JSON file. */
const [file] = process.argv.slice(2);
const { statements, queries } = JSON.parse(readFileSync(file!, 'utf8')) as Record<'statements' | 'queries', string[]>;
const session = await openChdb();
for (const statement of statements) session.query(statement);
process.stdout.write(JSON.stringify(queries.map((query) => readRows(session, query))));
session.cleanup();
