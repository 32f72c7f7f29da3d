import { STATUS_CODES } from 'node:http';
import { SearchError } from '#analysis/find/search-query.ts';
import { TrawlError } from '#base/errors.ts';

/** An error response (RFC 9457). It can be thrown anywhere below a route. */
export class Problem extends TrawlError {
  override readonly name = 'Problem';
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;

  constructor(status: number, detail: string, headers: Readonly<Record<string, string>> = {}) {
    super(detail);
    this.status = status;
    this.headers = headers;
  }
}

export const PROBLEM_TYPE = 'application/problem+json';

export const renderProblem = (problem: Problem) => ({
  type: 'about:blank',
  title: STATUS_CODES[problem.status] ?? 'Error',
  status: problem.status,
  detail: problem.message,
});

/** Messages for errors of Fastify, whose own messages expose internals. */
export const REQUEST_ERRORS: Readonly<Record<number, string>> = {
  400: 'The request is invalid.',
  413: 'The body is larger than 64 KB.',
  415: 'A POST request sends its parameters as JSON, with the header Content-Type: application/json.',
};

/** Converts any thrown value. An unexpected error is a 500 without its cause. */
export function toProblem(error: unknown): Problem {
  if (error instanceof Problem) return error;
  if (error instanceof SearchError) return badRequest(error.message);
  const status = error instanceof Error && 'statusCode' in error ? Number(error.statusCode) : 500;
  const detail = REQUEST_ERRORS[status];
  return detail
    ? new Problem(status, detail)
    : new Problem(500, 'The twin failed to process the request. Its log has the cause.');
}

/**
 * Returns the innermost cause of an error, for the log. Outer errors may contain request data, such as Drizzle's with
 * bound values.
 */
export const rootCause = (error: unknown): unknown =>
  error instanceof Error && error.cause instanceof Error ? rootCause(error.cause) : error;

export const badRequest = (detail: string): Problem => new Problem(400, detail);
