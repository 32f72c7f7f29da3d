import Type from 'typebox';
import { SECOND } from '#base/clock.ts';
import { integer, oneOf } from '#twin/faults/definition/fault-options.ts';
import { createAnswer, createProblem, defineFault } from '#twin/faults/definition/fault-row.ts';

/** Responses that are not a page. */

const htmlPage = (title: string): Buffer =>
  Buffer.from(`<!DOCTYPE html>\n<html><head><title>${title}</title></head><body><h1>${title}</h1></body></html>\n`);

/** Form and value of Retry-After. */
const retryAfterOptions = {
  retryAfter: oneOf(['none', 'seconds', 'date'], 'seconds', 'the form of Retry-After: none, seconds or date'),
  seconds: integer([0, 86_400], 1, 'the value of Retry-After, in seconds'),
};

function retryAfterHeaders(now: number, form: string, seconds: number): Record<string, string> {
  if (form === 'none') return {};
  return { 'retry-after': form === 'date' ? new Date(now + seconds * SECOND).toUTCString() : String(seconds) };
}

export const statusRows = {
  'server-error': defineFault({
    description: 'A 500, or another 5xx, in place of the answer.',
    outcome: 'same',
    options: { status: integer([500, 599], 500, 'a status from 500 to 599') },
    changeAnswer: (_, { options: { status } }) =>
      createProblem(status, 'Internal Server Error', 'Internal server error.'),
  }),
  'too-many-requests': defineFault({
    description: 'A 429 that token-info did not announce.',
    outcome: 'same',
    costs: false,
    options: retryAfterOptions,
    replaceRequest: ({ request, options: { retryAfter, seconds } }) =>
      createProblem(
        429,
        'Too Many Requests',
        'Too many requests.',
        retryAfterHeaders(request.now, retryAfter, seconds),
      ),
  }),
  unavailable: defineFault({
    description: 'A 503, 408 or 425 with a Retry-After.',
    outcome: 'same',
    options: { status: oneOf([408, 425, 503], 503), ...retryAfterOptions },
    changeAnswer: (_, { request, options: { status, retryAfter, seconds } }) =>
      createProblem(status, 'Unavailable', 'Try again later.', retryAfterHeaders(request.now, retryAfter, seconds)),
  }),
  'not-found': defineFault({
    description: 'A 404 for an existing resource; with `pages: next`, in the middle of a list.',
    outcome: 'stopped',
    changeAnswer: (answer) => (answer.status === 404 ? answer : createProblem(404, 'Not Found', 'Not found.')),
  }),
  'revoke-key': defineFault({
    description: 'A 401, as for a revoked key; with `after: 100`, from the 101st request on.',
    outcome: 'stopped',
    costs: false,
    count: 'key',
    replaceRequest: () => createProblem(401, 'Unauthorized', 'The API key is invalid or missing.'),
  }),
  redirect: defineFault({
    description: 'A redirect to another host, where the key must not be sent.',
    outcome: 'stopped',
    costs: false,
    options: {
      status: oneOf([301, 302, 303, 307, 308], 302),
      to: Type.String({
        pattern: '^https?://',
        default: 'http://elsewhere.invalid/',
        description: 'an address that begins with http:// or https://',
      }),
    },
    replaceRequest: ({ options: { status, to } }) =>
      createAnswer(status, Buffer.from(`Moved to ${to}\n`), { 'content-type': 'text/plain', location: to }),
  }),
  html: defineFault({
    description: 'A page of HTML in place of JSON, like that of a proxy or a login form.',
    outcome: 'same',
    options: { status: integer([200, 599], 200, 'a status, such as 200 or 502') },
    changeAnswer: (_, { options: { status } }) =>
      createAnswer(status, htmlPage(status < 400 ? 'Welcome' : 'Bad Gateway'), {
        'content-type': 'text/html; charset=utf-8',
      }),
  }),
  'error-in-200': defineFault({
    description: 'A 200 whose JSON is an error message and has no `data`.',
    outcome: 'stopped',
    changeAnswer: () => createAnswer(200, { errors: [{ code: 131, message: 'Internal error' }] }),
  }),
  'incomplete-response': defineFault({
    description: 'A page that says it is incomplete: `errors` beside `data`, `success: false`, or the status 206.',
    outcome: 'stopped',
    options: { as: oneOf(['errors', 'success', 'status'], 'errors') },
    changeAnswer(answer, { options: { as } }) {
      if (answer.status !== 200 || Buffer.isBuffer(answer.body)) return answer;
      if (as === 'status') return { ...answer, status: 206 };
      const sign = as === 'errors' ? { errors: [{ code: 29, message: 'Timeout' }] } : { success: false };
      return { ...answer, body: { ...(answer.body as object), ...sign } };
    },
  }),
  'empty-body': defineFault({
    description: 'A 200 without a body.',
    outcome: 'same',
    changeAnswer: () => createAnswer(200, Buffer.alloc(0)),
  }),
};
