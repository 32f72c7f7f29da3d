import { existsSync, readdirSync } from 'node:fs';
import { readTargetVariables } from '../../config.ts';
import { UsageError } from '../../errors.ts';
import { parsePostgresAddress } from '../../ship/postgres/postgres-address.ts';
import { findS3Lake } from '../../ship/s3/s3-views.ts';
import { isFolderAddress } from '../../ship/targets/target-kinds.ts';
import { createViews } from '../../ship/views/create-views.ts';
import type { Engine } from '../../ship/views/dialect.ts';
import { findInLake, findInPostgres, type Lake, LAKE_ENGINES } from '../../ship/views/fact-places.ts';
import { getContext, resolvePath } from '../context.ts';
import { print } from '../terminal/output.ts';

/** Prints the statements of an engine that create the views of a target. @throws UsageError if it is not one of the engine */
export async function printViews(address: string, { engine }: { readonly engine: Engine }): Promise<void> {
  const place = LAKE_ENGINES.includes(engine)
    ? findInLake(engine, await findLake(address, engine))
    : findInPostgres(parsePostgresAddress(address).schema);
  print(
    createViews(engine, place)
      .map((statement) => `${statement};\n`)
      .join('\n'),
  );
}

async function findLake(address: string, engine: Engine): Promise<Lake> {
  if (!isFolderAddress(address)) {
    const lake = await findS3Lake({ address, variables: readTargetVariables(getContext().env) }, engine);
    if (lake.tables.size === 0) throw createNoLakeError(address);
    return lake;
  }
  const root = resolvePath(address);
  if (!existsSync(`${root}/_stores`)) throw createNoLakeError(address);
  return { root, tables: new Set(readdirSync(root)) };
}

const createNoLakeError = (address: string): UsageError =>
  new UsageError(`${address} is not a lake`, {
    hint: 'A lake is a target, in a folder or S3, that was shipped to.',
    command: { name: 'ship status', result: 'shows the targets' },
  });
