import { readFileSync } from 'node:fs';
import { parseRows } from '../../sim/fleet/clickhouse-engine.ts';
import { openChdb } from '../../sim/fleet/clickhouse.ts';

/** Runs statements of ClickHouse, whose keys of S3 are in the environment, and prints the rows of queries. Argument: a JSON file. */
const [file] = process.argv.slice(2);
const { statements, queries } = JSON.parse(readFileSync(file!, 'utf8')) as Record<'statements' | 'queries', string[]>;
await using clickHouse = await openChdb();
await clickHouse.run('set output_format_json_quote_64bit_integers = 0');
for (const statement of statements) await clickHouse.run(statement);
const rows: unknown[][][] = [];
for (const query of queries) rows.push(parseRows(await clickHouse.run(query, 'JSONCompactEachRow')));
process.stdout.write(JSON.stringify(rows));
