import { navigate } from '#dashboard/web/app/router.ts';
import { requestJson } from './request-json.ts';

/** Sends a change to the server, and returns its result. @param path below `/api/actions/` @throws Error, as `requestJson` */
export async function sendAction<T>(path: string, input: object): Promise<T> {
  const { result } = await requestJson<{ readonly result: T }>(`/api/actions/${path}`, { change: input });
  return result;
}

/** Queues planned crawls, and shows them. */
export async function createCrawls(path: string, input: object): Promise<void> {
  const { opened } = await sendAction<{ opened: number[] }>(path, input);
  navigate(opened.length === 1 ? `/crawls/${opened[0]}` : '/crawls');
}
