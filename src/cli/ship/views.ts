import { existsSync, readdirSync } from 'node:fs';
import { UsageError } from '../../errors.ts';
import { parsePostgresAddress } from '../../ship/postgres/postgres-address.ts';
import { createViews } from '../../ship/views/create-views.ts';
import type { Engine } from '../../ship/views/dialect.ts';
import { findInLake, findInPostgres, LAKE_ENGINES } from '../../ship/views/fact-places.ts';
import type { FactPlace } from '../../ship/views/views.ts';
import { resolvePath } from '../context.ts';
import { print } from '../terminal/output.ts';

/** Prints the statements of an engine that create the views of a target. @throws UsageError if it is not one of the engine */
export async function printViews(address: string, { engine }: { readonly engine: Engine }): Promise<void> {
  const place = LAKE_ENGINES.includes(engine)
    ? findFolder(address, engine)
    : findInPostgres(parsePostgresAddress(address).schema);
  print(
    createViews(engine, place)
      .map((statement) => `${statement};\n`)
      .join('\n'),
  );
}

function findFolder(folder: string, engine: Engine): FactPlace {
  const lake = resolvePath(folder);
  if (!existsSync(`${lake}/_stores`)) {
    throw new UsageError(`${folder} is not a lake`, {
      hint: 'A lake is the folder of a target that was shipped to.',
      command: { name: 'ship status', result: 'shows the targets' },
    });
  }
  return findInLake(engine, { root: lake, tables: new Set(readdirSync(lake)) });
}
