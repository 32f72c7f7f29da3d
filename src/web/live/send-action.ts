/**
 * Sends a change to the server, and returns its result. @param path below `/api/actions/`
 * @throws Error with the message and the hint of the server
 */
export async function sendAction<T>(path: string, input: object): Promise<T> {
  const response = await fetch(`/api/actions/${path}`, {
    ...{ method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(input) },
  });
  const body = (await response.json()) as { result: T; error?: string; hint?: string | null };
  if (!response.ok) throw new Error([body.error, body.hint].filter((part) => part != null && part !== '').join('. '));
  return body.result;
}
