import type { Endpoint } from '../contract/endpoints.ts';
import { badRequest } from './problems.ts';

export type Parameters = Readonly<Record<string, string>>;

/** The spec leaves open what followers and following call it; they take the name that user-tweets gives it. */
export const CURSOR = 'cursor';

/** Longer values are no ids, names or cursors; and a query's length bounds the work of a search. */
const LONGEST = 1000;

/**
 * An endpoint's parameters, from a query string or a JSON body alike. Others are ignored, and an empty one is a missing one.
 * @throws Problem 400 that names the parameter.
 */
export function readParameters(endpoint: Endpoint, source: unknown): Parameters {
  if (typeof source !== 'object' || source === null || Array.isArray(source)) {
    throw badRequest('The body should be a JSON object of parameters.');
  }
  const given = source as Record<string, unknown>;
  const read: Record<string, string> = {};
  for (const { name, required } of accepted(endpoint)) {
    const value = Object.hasOwn(given, name) ? given[name] : undefined;
    if (value === undefined || value === null || (typeof value === 'string' && value.trim() === '')) {
      if (required) throw badRequest(`The required parameter ${name} is missing.`);
      continue;
    }
    if (typeof value !== 'string') throw badRequest(`The parameter ${name} should be one string.`);
    if (value.length > LONGEST) throw badRequest(`The parameter ${name} is longer than ${LONGEST} characters.`);
    read[name] = value;
  }
  return read;
}

function accepted({ parameters, cursor }: Endpoint): readonly { name: string; required: boolean }[] {
  const listed = cursor === 'none' || parameters.some(({ name }) => name === CURSOR);
  return listed ? parameters : [...parameters, { name: CURSOR, required: false }];
}

/** What the endpoint is asked about: the value of its required parameter. */
export function targetOf(endpoint: Endpoint, parameters: Parameters): string {
  const name = endpoint.parameters.find(({ required }) => required)?.name;
  return name === undefined ? '' : parameters[name]!;
}
