import { requestJson } from './request-json.ts';

/** Sends a change to the server, and returns its result. @param path below `/api/actions/` @throws Error, as `requestJson` */
export async function sendAction<T>(path: string, input: object): Promise<T> {
  const { result } = await requestJson<{ readonly result: T }>(`/api/actions/${path}`, { change: input });
  return result;
}
