import { systemClock } from '../../base/clock.ts';
import { UsageError } from '../../base/errors.ts';
import type { Log } from '../../base/log.ts';
import { type Config, readTargetVariables } from '../../config.ts';
import { type ShipBeside, shipBeside } from '../../lake/worker/ship-beside.ts';
import type { Store } from '../../store/store.ts';
import { getContext } from '../context.ts';
import { parseTargetAddress } from '../lake/edit-targets.ts';
import { hint } from '../terminal/print.ts';

/**
 * Ships a worker's store beside its crawls. @param names the targets; empty for all, also those that are added later
 * @throws UsageError if the store does not have a target that is named
 */
export function openShipping(
  names: readonly string[],
  { path, read }: Pick<Store, 'path' | 'read'>,
  { config, log }: { readonly config: Config; readonly log: Log },
): ShipBeside {
  const addresses = names.map(parseTargetAddress);
  const known = read.shipTargets().map(({ address }) => address);
  const unknown = addresses.find((address) => !known.includes(address));
  if (unknown !== undefined)
    throw new UsageError(`${unknown} is not a target`, { command: { name: 'lake add', result: 'adds it' } });
  if (known.length === 0) log.info(`no targets to ship to yet: ${hint('lake add')} adds one`);
  return shipBeside({
    path,
    env: config.childEnvironment,
    clock: systemClock,
    log,
    variables: readTargetVariables(getContext().env),
    readTargets: () =>
      read.shipTargets().filter(({ address }) => addresses.length === 0 || addresses.includes(address)),
  });
}
