import { address, navigate } from './router.ts';

/** The parameters of the present address. One with an empty value is left out. */

type Parameters = Readonly<Record<string, string>>;

const toQuery = (parameters: Parameters): string =>
  new URLSearchParams(Object.entries(parameters).filter(([, value]) => value !== '')).toString();

/** The value of a parameter; empty if there is none. */
export const readParameter = (name: string): string => address.value.searchParams.get(name) ?? '';

/** The query string of some of the parameters, in one form. */
export const selectParameters = (names: readonly string[]): string =>
  toQuery(Object.fromEntries(names.map((name) => [name, readParameter(name)])));

/** The present address with other values. */
export function hrefOf(changes: Parameters): string {
  const { pathname, searchParams } = address.value;
  const query = toQuery({ ...Object.fromEntries(searchParams), ...changes });
  return query === '' ? pathname : `${pathname}?${query}`;
}

/** Shows the present address with other values. @param options `isReplaced`: the browser forgets the present one */
export const changeAddress = (changes: Parameters, options?: { readonly isReplaced?: boolean }): void =>
  navigate(hrefOf(changes), options);
