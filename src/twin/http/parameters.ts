import { cursorParameter, type Endpoint, type Parameter } from '../../contract/endpoints.ts';
import { badRequest } from '../problems.ts';

export type Parameters = Readonly<Record<string, string>>;

/** The spec leaves open what followers and following call it; they take the name that user-tweets gives it. */
export const CURSOR_PARAMETER = cursorParameter.name;

/** Longer values are no ids, names or cursors; and a query's length bounds the work of a search. */
export const MAX_LENGTH = 1000;

const utf8 = new TextDecoder('utf-8', { fatal: true });

/**
 * The JSON of a body; an absent one is an empty object.
 * @throws Problem 400 when it is not JSON in UTF-8. Bytes that are not would become another name, or another search.
 */
export function readBody(bytes: Buffer): unknown {
  let text: string;
  try {
    text = utf8.decode(bytes);
  } catch {
    throw badRequest('The body is not UTF-8.');
  }
  try {
    return text === '' ? {} : JSON.parse(text);
  } catch {
    throw badRequest('The body is not JSON.');
  }
}

/**
 * The query of a request, as the framework took it apart. It leaves a value that it cannot decode as it came.
 * @throws Problem 400 when there is such a value.
 */
export function readQuery(url: string, query: unknown): unknown {
  if (!url.includes('%')) return query;
  try {
    decodeURIComponent(url);
    return query;
  } catch {
    throw badRequest('The address cannot be read: its percent-encoding is not of UTF-8.');
  }
}

/**
 * An endpoint's parameters, from a query string or a JSON body alike. Others are ignored, and an empty one is a missing one.
 * @throws Problem 400 that names the parameter.
 */
export function readParameters(endpoint: Endpoint, source: unknown): Parameters {
  if (typeof source !== 'object' || source === null || Array.isArray(source)) {
    throw badRequest('The body should be a JSON object of parameters.');
  }
  const sent = source as Record<string, unknown>;
  const parameters: Record<string, string> = {};
  for (const { name, required } of acceptedParameters(endpoint)) {
    const value = Object.hasOwn(sent, name) ? sent[name] : undefined;
    if (value === undefined || value === null || (typeof value === 'string' && value.trim() === '')) {
      if (required) throw badRequest(`The required parameter ${name} is missing.`);
      continue;
    }
    if (typeof value !== 'string') throw badRequest(`The parameter ${name} should be one string.`);
    if (value.length > MAX_LENGTH) throw badRequest(`The parameter ${name} is longer than ${MAX_LENGTH} characters.`);
    parameters[name] = value;
  }
  return parameters;
}

/** What an endpoint takes: what the spec lists, and a cursor where it gives one. */
export function acceptedParameters({ parameters, cursor }: Endpoint): readonly Parameter[] {
  const listed = cursor === 'none' || parameters.some(({ name }) => name === CURSOR_PARAMETER);
  return listed ? parameters : [...parameters, cursorParameter];
}

/** What the endpoint is asked about: the value of its required parameter. */
export function targetParameter(endpoint: Endpoint, parameters: Parameters): string {
  const name = endpoint.parameters.find(({ required }) => required)?.name;
  return name === undefined ? '' : parameters[name]!;
}
