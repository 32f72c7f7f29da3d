import { type EndpointName, endpointTable } from '../../contract/endpoints.ts';
import { UsageError } from '../../errors.ts';

type PageSizes = Partial<Record<EndpointName, number>>;

const LISTS = Object.values(endpointTable).flatMap(({ name, layout }) => (layout ? [name] : []));

/**
 * The sizes that `--page-size` gave: `50` is for every list, `search=100` for one, whichever comes first.
 * @throws UsageError when one cannot be read.
 */
export function parsePageSizes(given: readonly string[]): PageSizes {
  const sizes = new Map<string, number>();
  for (const text of given) {
    const [, name = '', digits] = /^(?:([^=]*)=)?(\d{1,9})$/.exec(text) ?? [];
    const known = !text.includes('=') || LISTS.includes(name);
    if (digits === undefined || Number(digits) === 0 || !known) {
      throw new UsageError(`--page-size ${text} is no page size`, {
        hint: `50 is for every list, search=100 for one of them; there are ${LISTS.join(', ')}.`,
      });
    }
    sizes.set(name, Number(digits));
  }
  const entries = LISTS.map((list) => [list, sizes.get(list) ?? sizes.get('')] as const);
  return Object.fromEntries(entries.filter(([, size]) => size !== undefined));
}
