import { readTargetVariables } from '../../config.ts';
import { UsageError } from '../../errors.ts';
import { findTargetKind } from '../../ship/targets/target-kinds.ts';
import { createTables } from '../../ship/views/create-tables.ts';
import { createViews } from '../../ship/views/create-views.ts';
import type { Engine } from '../../ship/views/dialect.ts';
import { getContext } from '../context.ts';
import { print } from '../terminal/output.ts';
import { parseTargetAddress } from './targets.ts';

interface ViewsOptions {
  readonly engine?: Engine;
  readonly tables?: true;
}

/**
 * Prints the statements that create the views of a target, or tables with their rows, for its first engine by default.
 * @throws UsageError if nothing was shipped there, or if the engine does not read it
 */
export async function printViews(text: string, { engine: given, tables }: ViewsOptions): Promise<void> {
  const address = parseTargetAddress(text);
  const { engines, load } = findTargetKind(address);
  const engine = given ?? engines[0];
  if (!engines.includes(engine))
    throw new UsageError(`${engine} does not read ${address}`, { hint: `Engines: ${engines.join(', ')}.` });
  const kind = await load();
  const place = await kind.findFacts({ address, variables: readTargetVariables(getContext().env) }, engine);
  if (!place)
    throw new UsageError(`nothing was shipped to ${address}`, {
      command: { name: 'ship status', result: 'shows the targets' },
    });
  print(
    (tables ? createTables : createViews)(engine, place)
      .map((statement) => `${statement};\n`)
      .join('\n'),
  );
}
