import {
  API_KEY_HEADER,
  type Endpoint,
  endpointTable,
  extendedTable,
  STATUS_MEANINGS,
} from '../../../service/contract/endpoints.ts';
import * as resources from '../../../service/contract/resources.ts';
import { PROBLEM_TYPE, REQUEST_ERRORS } from '../problems.ts';
import { acceptedParameters, MAX_LENGTH } from './request-parameters.ts';

export const OPENAPI_PATH = '/openapi.json';

type Json = Readonly<Record<string, unknown>>;

/** The body of error responses (RFC 9457). */
const Problem = {
  type: 'object',
  properties: {
    type: { type: 'string' },
    title: { type: 'string' },
    status: { type: 'integer' },
    detail: { type: 'string', description: 'The cause, and how to correct it.' },
  },
  required: ['type', 'title', 'status', 'detail'],
};

const problemResponse = (description: string): Json => ({
  description,
  content: { [PROBLEM_TYPE]: { schema: { $ref: '#/components/schemas/Problem' } } },
});

/** Error responses that are the same at every endpoint, by status. */
const SHARED_RESPONSES: Readonly<Record<number, Json>> = {
  400: problemResponse(
    'A required parameter is missing, a parameter is not a single string, or the cursor does not belong to this list.',
  ),
  401: problemResponse(STATUS_MEANINGS[401]),
  413: problemResponse(REQUEST_ERRORS[413]!),
  415: problemResponse(REQUEST_ERRORS[415]!),
  429: {
    ...problemResponse("The key's quota is used up."),
    headers: { 'Retry-After': { description: 'Seconds to wait before retrying.', schema: { type: 'integer' } } },
  },
  500: problemResponse(STATUS_MEANINGS[500]),
};

/** Returns the interface as an OpenAPI 3.1 document, generated from the contract. */
export function describeApi({ extended }: { readonly extended: boolean }): Json {
  const components = createComponents();
  const endpoints = Object.values(extended ? extendedTable : endpointTable);
  const responses = endpoints.map((endpoint) => describeResponses(endpoint, components.refer(endpoint.data)));
  return {
    openapi: '3.1.0',
    info: {
      title: 'Microblog Data Query Service',
      version: '1.0.0',
      description: 'Read-only queries of microblog data, served by trawl from a local store.',
    },
    servers: [{ url: '/' }],
    security: [{ apiKey: [] }],
    paths: Object.fromEntries(
      endpoints.map((endpoint) => [
        endpoint.path,
        { get: describeOperation(endpoint, 'get'), post: describeOperation(endpoint, 'post') },
      ]),
    ),
    components: {
      schemas: { ...components.schemas, Problem },
      responses: Object.assign({}, ...responses, SHARED_RESPONSES) as Json,
      securitySchemes: { apiKey: { type: 'apiKey', in: 'header', name: API_KEY_HEADER } },
    },
  };
}

/** Returns the responses of an endpoint by name. */
function describeResponses(endpoint: Endpoint, data: Json): Json {
  const name = toPascalCase(endpoint.name);
  const schema = { type: 'object', properties: { data }, required: ['data'] };
  return {
    [name]: { description: 'The requested data.', content: { 'application/json': { schema } } },
    ...(endpoint.notFound !== undefined && { [`No${name}`]: problemResponse(endpoint.notFound) }),
  };
}

function describeOperation(endpoint: Endpoint, method: 'get' | 'post'): Json {
  const name = toPascalCase(endpoint.name);
  const responses = [
    [200, name],
    ...sharedStatuses(endpoint, method).map((status) => [status, status]),
    ...(endpoint.notFound === undefined ? [] : [[404, `No${name}`]]),
  ];
  return {
    operationId: method + name,
    summary: endpoint.summary,
    ...(method === 'get' ? { parameters: queryParameters(endpoint) } : { requestBody: requestBody(endpoint) }),
    responses: Object.fromEntries(
      responses.map(([status, response]) => [status, { $ref: `#/components/responses/${response}` }]),
    ),
  };
}

const sharedStatuses = ({ parameters, metered }: Endpoint, method: 'get' | 'post'): number[] => [
  ...(parameters.length > 0 || method === 'post' ? [400] : []),
  401,
  ...(method === 'post' ? [413, 415] : []),
  ...(metered ? [429] : []),
  500,
];

const text = { type: 'string', minLength: 1, maxLength: MAX_LENGTH };

const queryParameters = (endpoint: Endpoint): Json[] =>
  acceptedParameters(endpoint).map(({ name, required, description }) => ({
    name,
    in: 'query',
    required,
    description,
    schema: text,
  }));

function requestBody(endpoint: Endpoint): Json {
  const parameters = acceptedParameters(endpoint);
  const names = parameters.flatMap(({ name, required }) => (required ? [name] : []));
  const properties = parameters.map(({ name, description }) => [name, { ...text, description }]);
  const schema = {
    type: 'object',
    properties: Object.fromEntries(properties),
    ...(names.length > 0 && { required: names }),
  };
  return { required: names.length > 0, content: { 'application/json': { schema } } };
}

/** user-tweets -> UserTweets */
const toPascalCase = (name: string): string =>
  name.replaceAll(/(?:^|-)(\w)/g, (_, letter: string) => letter.toUpperCase());

/** Names of the contract's resources by their JSON. */
const NAMES: ReadonlyMap<string, string> = new Map(
  Object.entries(resources).flatMap(([name, schema]) =>
    typeof schema === 'function' ? [] : [[JSON.stringify(schema), name] as const],
  ),
);

/** Collects the schemas of a document. `refer` returns a schema as plain JSON, with references to resources. */
function createComponents() {
  const schemas: Record<string, Json> = {};

  const replaceChildren = (value: unknown): unknown => {
    if (typeof value !== 'object' || value === null) return value;
    if (Array.isArray(value)) return value.map(refer);
    return Object.fromEntries(Object.entries(value).map(([key, child]) => [key, refer(child)]));
  };
  const refer = (value: unknown): unknown => {
    const name = typeof value === 'object' ? NAMES.get(JSON.stringify(value)) : undefined;
    if (name === undefined) return replaceChildren(value);
    schemas[name] ??= replaceChildren(value) as Json;
    return { $ref: `#/components/schemas/${name}` };
  };
  return { schemas, refer: (schema: object) => refer(schema) as Json };
}
