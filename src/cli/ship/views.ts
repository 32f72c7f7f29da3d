import { existsSync } from 'node:fs';
import { UsageError } from '../../errors.ts';
import { createDuckDbViews } from '../../ship/views/duckdb-views.ts';
import { resolvePath } from '../context.ts';
import { print } from '../terminal/output.ts';

/** Prints the statements that create the views of a lake. @throws UsageError if the folder is not a lake */
export async function printViews(folder: string): Promise<void> {
  const lake = resolvePath(folder);
  if (!existsSync(`${lake}/_stores`)) {
    throw new UsageError(`${folder} is not a lake`, {
      hint: 'A lake is the folder of a target that was shipped to.',
      command: { name: 'ship status', result: 'shows the targets' },
    });
  }
  print(createDuckDbViews(lake));
}
