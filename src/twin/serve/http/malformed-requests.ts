import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { Problem, PROBLEM_TYPE, renderProblem } from '../problems.ts';

/** Errors of Node's HTTP parser, by code. Such requests reach neither a route nor a hook. */
const PARSER_PROBLEMS: Readonly<Record<string, Problem>> = {
  HPE_HEADER_OVERFLOW: new Problem(431, 'The URL and the headers exceed 16 KB in total.'),
  ERR_HTTP_REQUEST_TIMEOUT: new Problem(408, 'The request took too long to arrive.'),
};
const INVALID_REQUEST = new Problem(400, 'The request is not valid HTTP.');

/** Sends an error response to invalid HTTP, and closes the connection. */
export function rejectMalformedRequest(error: Error & { readonly code?: string | undefined }, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy();
  const problem = PARSER_PROBLEMS[error.code ?? ''] ?? INVALID_REQUEST;
  const body = JSON.stringify(renderProblem(problem));
  const head = [
    `HTTP/1.1 ${problem.status} ${STATUS_CODES[problem.status]}`,
    `content-type: ${PROBLEM_TYPE}; charset=utf-8`,
    `content-length: ${Buffer.byteLength(body)}`,
    'connection: close',
  ];
  return void socket.end(`${head.join('\r\n')}\r\n\r\n${body}`);
}
