import { toSentence } from '../../text.ts';

/** Why the server gives no answer, and what to do. */
export interface AnswerProblem {
  readonly message: string;
  readonly hint: string | undefined;
}

/** The server gave no answer, or refused. */
class AnswerError extends Error {
  readonly hint: string | undefined;

  constructor(message: string, hint: string | undefined) {
    super(message);
    this.hint = hint;
  }
}

/**
 * Requests JSON from the server. Without a change, it reads.
 * @throws AnswerError with the message and the hint of the server, or if it does not answer; the reason of the signal
 */
export async function requestJson<T>(
  path: string,
  { signal, change }: { readonly signal?: AbortSignal | undefined; readonly change?: object } = {},
): Promise<T> {
  const request: RequestInit = change
    ? { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(change) }
    : { headers: { accept: 'application/json' } };
  const response = await fetch(path, { ...request, signal: signal ?? null }).catch(() => undefined);
  const text = await response?.text().catch(() => undefined);
  signal?.throwIfAborted();
  if (!response || text === undefined)
    throw new AnswerError('the dashboard does not answer: it was stopped, or the connection to it is lost', undefined);
  // What stands between, such as a proxy, answers in its own words.
  const body = response.headers.get('content-type')?.startsWith('application/json')
    ? (JSON.parse(text) as T)
    : undefined;
  if (response.ok && body !== undefined) return body;
  const { error, hint } = (body ?? {}) as { readonly error?: string; readonly hint?: string | null };
  throw new AnswerError(error ?? `the server answered ${response.status}`, hint ?? undefined);
}

export const readProblem = (error: unknown): AnswerProblem => ({
  message: (error as Error).message,
  hint: error instanceof AnswerError ? error.hint : undefined,
});

/** Why something was not done, in sentences. */
export const describeFailure = (error: unknown): string => describeProblem(readProblem(error));

export const describeProblem = ({ message, hint }: AnswerProblem): string =>
  hint === undefined ? `${toSentence(message)}.` : `${toSentence(message)}. ${hint}`;
