/** The token of dashboards that tests start. */
export const TOKEN = 'token-of-the-tests-1';

/** Like `fetch`, with the token. */
export const fetchWithToken = (url: string, init: RequestInit = {}): Promise<Response> =>
  fetch(url, { ...init, headers: { authorization: `Bearer ${TOKEN}`, ...(init.headers as Record<string, string>) } });
