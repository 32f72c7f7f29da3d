import { toSentence } from '#base/text.ts';

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
 * Requests an answer from the server. Without a change, it reads.
 * @throws AnswerError with the message and the hint of the server, or if it does not answer; the reason of the signal
 */
export async function fetchAnswer(
  path: string,
  { signal, change }: { readonly signal?: AbortSignal | undefined; readonly change?: object } = {},
): Promise<Response> {
  const request: RequestInit = change
    ? { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(change) }
    : {};
  const response = await fetch(path, { ...request, signal: signal ?? null }).catch(() => undefined);
  signal?.throwIfAborted();
  if (!response)
    throw new AnswerError('the dashboard does not answer: it was stopped, or the connection to it is lost', undefined);
  if (response.ok) return response;
  // What stands between, such as a proxy, answers in its own words.
  const { error, hint } = (await response.json().catch(() => ({}))) as { error?: string; hint?: string | null };
  throw new AnswerError(error ?? `the server answered ${response.status}`, hint ?? undefined);
}

/** Requests JSON, as `fetchAnswer`. */
export const requestJson = async <T>(path: string, options?: Parameters<typeof fetchAnswer>[1]): Promise<T> =>
  (await (await fetchAnswer(path, options)).json()) as T;

export const readProblem = (error: unknown): AnswerProblem => ({
  message: (error as Error).message,
  hint: error instanceof AnswerError ? error.hint : undefined,
});

/** Why something was not done, in sentences. */
export function describeFailure(error: unknown): string {
  const { message, hint } = readProblem(error);
  return hint === undefined ? `${toSentence(message)}.` : `${toSentence(message)}. ${hint}`;
}
