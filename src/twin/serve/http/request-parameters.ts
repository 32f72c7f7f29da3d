import { cursorParameter, type Endpoint, type Parameter } from '../../../service/contract/endpoints.ts';
import { badRequest } from '../problems.ts';

export type Parameters = Readonly<Record<string, string>>;

/** The spec does not name the cursor parameter of followers and following; they use that of user-tweets. */
export const CURSOR_PARAMETER = cursorParameter.name;

/** No id, name or cursor is longer; the limit also bounds the cost of a search. */
const MAX_LENGTH = 1000;

const utf8 = new TextDecoder('utf-8', { fatal: true });

/**
 * Parses the JSON of a body; an empty one is an empty object.
 * @throws Problem 400 if it is not JSON in UTF-8
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
 * Returns the query that Fastify parsed.
 * @throws Problem 400 for invalid percent-encoding, which Fastify leaves as it is
 */
export function readQuery(url: string, query: unknown): unknown {
  if (!url.includes('%')) return query;
  try {
    decodeURIComponent(url);
    return query;
  } catch {
    throw badRequest('The URL is invalid: its percent-encoding is not UTF-8.');
  }
}

/**
 * Reads the parameters of an endpoint from a query or a JSON body. Others are ignored; an empty one counts as missing.
 * @throws Problem 400 that names the parameter
 */
export function readParameters(endpoint: Endpoint, source: unknown): Parameters {
  if (typeof source !== 'object' || source === null || Array.isArray(source)) {
    throw badRequest('The body must be a JSON object of parameters.');
  }
  const sent = source as Record<string, unknown>;
  const parameters: Record<string, string> = {};
  for (const { name, required } of acceptedParameters(endpoint)) {
    const value = Object.hasOwn(sent, name) ? sent[name] : undefined;
    if (value === undefined || value === null || (typeof value === 'string' && value.trim() === '')) {
      if (required) throw badRequest(`The required parameter ${name} is missing.`);
      continue;
    }
    if (typeof value !== 'string') throw badRequest(`The parameter ${name} must be a single string.`);
    if (value.length > MAX_LENGTH) throw badRequest(`The parameter ${name} is longer than ${MAX_LENGTH} characters.`);
    parameters[name] = value;
  }
  return parameters;
}

/** Returns the parameters of the spec, and the cursor if the endpoint has one. */
function acceptedParameters({ parameters, cursor }: Endpoint): readonly Parameter[] {
  const listed = cursor === 'none' || parameters.some(({ name }) => name === CURSOR_PARAMETER);
  return listed ? parameters : [...parameters, cursorParameter];
}

/** Returns the value of the required parameter; empty if there is none. */
export function targetParameter(endpoint: Endpoint, parameters: Parameters): string {
  const name = endpoint.parameters.find(({ required }) => required)?.name;
  return name === undefined ? '' : parameters[name]!;
}
