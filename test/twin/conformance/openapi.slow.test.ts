import { Validator } from '@seriousme/openapi-schema-validator';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { beforeAll, describe, expect, test } from 'vitest';
import { describeApi } from '../../../src/twin/serve/http/openapi.ts';
import { createKey } from '../../../src/twin/serve/quota/twin-keys.ts';
import { addTweet, addUser, NOW } from '../support.ts';
import { type Answer, serveWorld } from './served-world.ts';
import { ENDPOINTS } from './spec.ts';

/** What `/openapi.json` says, judged by others: a validator of such documents, and one of JSON Schema. */

const world = serveWorld({ pageSize: 3 });

interface Response {
  readonly content: Readonly<Record<string, { readonly schema: object }>>;
}
interface Operation {
  readonly operationId: string;
  readonly responses: Readonly<Record<string, { readonly $ref: string }>>;
}
interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<'get' | 'post', Operation>>>>;
  readonly components: { readonly responses: Readonly<Record<string, Response>> };
}
let document: Document;
let ajv: Ajv2020;

beforeAll(async () => {
  const authorId = addUser(world.db, { restId: '1', screenName: 'somebody' });
  for (let i = 0; i < 5; i += 1) addTweet(world.db, { restId: `s${i}`, authorId, createdAt: NOW + i });
  addUser(world.db, { restId: '2', screenName: 'silent' });
  document = (await world.ask('/openapi.json')).body as unknown as Document;
  ajv = new Ajv2020({ strict: false });
  ajv.addSchema(document, 'openapi');
});

test.each([false, true])('the document is valid OpenAPI 3.1, extended: %j', async (extended) => {
  const validator = new Validator();
  expect(await validator.validate(structuredClone(describeApi({ extended })))).toEqual({ valid: true });
  expect(validator.version).toBe('3.1');
});

test('the document needs no key, costs nothing, and is asked for with GET', async () => {
  const answer = await fetch(`${world.url}/openapi.json`);
  expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'application/json; charset=utf-8']);
  const refused = await world.ask('/openapi.json', { method: 'POST' });
  expect([refused.status, refused.headers.get('allow')]).toEqual([405, 'GET, HEAD']);
});

const ALL = ENDPOINTS.map(([, path]) => path!.replaceAll('`', ''));

test('the document has the endpoints of the specification, each with GET and POST, and no other', () => {
  expect(Object.keys(document.paths)).toEqual(ALL);
  for (const path of Object.values(document.paths)) expect(Object.keys(path)).toEqual(['get', 'post']);
  const ids = Object.values(document.paths).flatMap(({ get, post }) => [get.operationId, post.operationId]);
  expect(new Set(ids).size).toBe(20);
});

/** What is wrong with an answer by what the document says of it: nothing. */
function faultsOf(path: string, method: 'get' | 'post', { status, type, body }: Answer): unknown[] {
  const name = document.paths[path]![method].responses[status]?.$ref.split('/').at(-1);
  const content = document.components.responses[name ?? '']?.content ?? {};
  if (!Object.hasOwn(content, type ?? '')) return [`${method} ${status} ${type} is not documented`];
  const isValid = ajv.getSchema(`openapi#/components/responses/${name}/content/${type!.replace('/', '~1')}/schema`)!;
  return isValid(body) ? [] : [status, ...isValid.errors!];
}

const parametersOf = (): Record<string, string> => ({
  screenName: 'somebody',
  rawQuery: 'tweet',
  communityId: world.column('select rest_id from communities')[0]!,
  listId: world.column('select rest_id from lists')[0]!,
  restId: '1',
});

describe.each(ALL)('%s answers as the document says:', (path) => {
  const query = (more: Record<string, string> = {}) => {
    const restId = path.endsWith('tweet-detail') ? 's0' : '1';
    return new URLSearchParams({ ...parametersOf(), restId, ...more }).toString();
  };
  const json = { 'Content-Type': 'application/json' };

  test('what is there', async () => {
    const got = await world.ask(`${path}?${query()}`);
    const body = JSON.stringify(Object.fromEntries(new URLSearchParams(query())));
    const posted = await world.ask(path, { method: 'POST', headers: json, body });
    expect([got.status, posted.status]).toEqual([200, 200]);
    expect([...faultsOf(path, 'get', got), ...faultsOf(path, 'post', posted)]).toEqual([]);
  });

  test('what is refused', async () => {
    const small = { 'X-API-Key': createKey(world.db, { name: 'small', limit: 1, now: NOW }).key };
    const nobody = { restId: '404', screenName: 'nobody_', communityId: '404', listId: '404' };
    const answers = [
      await world.ask(`${path}?${query()}`, { headers: { 'X-API-Key': 'x' } }),
      await world.ask(`${path}?${query(nobody)}`),
      await world.ask(`${path}?${query()}`, { headers: small }),
      await world.ask(`${path}?${query()}`, { headers: small }),
    ];
    const bodies = [{ headers: json, body: '{' }, { headers: json, body: ' '.repeat(66_000) }, { body: 'x' }];
    const posted = await Promise.all(bodies.map(async (init) => world.ask(path, { method: 'POST', ...init })));
    expect(posted.map(({ status }) => status)).toEqual([400, 413, 415]);
    const faults = answers.flatMap((answer) => faultsOf(path, 'get', answer));
    expect([...faults, ...posted.flatMap((answer) => faultsOf(path, 'post', answer))]).toEqual([]);
  });
});
