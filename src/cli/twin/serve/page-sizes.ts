import { UsageError } from '../../../base/errors.ts';
import { endpointTable } from '../../../service/contract/endpoints.ts';
import type { PageSizes } from '../../../twin/serve/http/routes.ts';

const LISTS: readonly string[] = Object.values(endpointTable).flatMap(({ name, layout }) => (layout ? [name] : []));

/**
 * Parses the values of `--page-size`: `50` is for all lists, `search=100` for one, in any order.
 * @throws UsageError for an invalid value.
 */
export function parsePageSizes(given: readonly string[]): PageSizes {
  const sizes = new Map<string, number>();
  for (const text of given) {
    const [, name = '', digits] = /^(?:([^=]*)=)?(\d{1,9})$/.exec(text) ?? [];
    const known = !text.includes('=') || LISTS.includes(name);
    if (digits === undefined || Number(digits) === 0 || !known) {
      throw new UsageError(`--page-size ${text} is not a page size`, {
        hint: `50 is for all lists, search=100 for one of them. Lists: ${LISTS.join(', ')}.`,
      });
    }
    sizes.set(name, Number(digits));
  }
  const entries = LISTS.map((list) => [list, sizes.get(list) ?? sizes.get('')] as const);
  return Object.fromEntries(entries.filter(([, size]) => size !== undefined));
}
