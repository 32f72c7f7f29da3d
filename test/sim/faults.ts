import { hash } from './present.ts';

/** A response, which a fault may change. The body is parsed JSON or raw bytes. */
export interface Answer {
  status: number;
  headers: Record<string, string>;
  body: unknown;
  /** The connection fails with this error code of Node or undici, before or after the service received the request. */
  fails?: { readonly code: string; readonly sent: boolean };
  delay: number;
}

/** The request that a fault applies to. */
export interface FaultTarget {
  readonly endpoint: string;
  readonly parameters: Readonly<Record<string, string>>;
  /** Chooses among items. */
  readonly pick: number;
  /** The first page of the same list, for faults that ignore a cursor. */
  readonly firstPage: () => unknown;
}

/** The effect of a fault on an honest client. */
export type Effect =
  /** The response is no page; the request is retried or abandoned. */
  | 'no page'
  /** The page looks complete but lacks something. */
  | 'undetectable'
  /** The page has a visible deviation. */
  | 'visible';

export interface FaultKind {
  readonly effect: Effect;
  /** The request is not sent. */
  readonly isUnsent?: true;
  readonly apply: (answer: Answer, target: FaultTarget) => void;
}

type Json = Record<string, any>; // eslint-disable-line -- an answer's body, which faults take apart
const list = (body: unknown): { group: Json; entries: Json[] } | undefined => {
  const data = (body as Json | undefined)?.['data'] as Json | undefined;
  for (const key of ['timeline', 'tweets', 'followers', 'following']) {
    const found = data?.[key] as Json | undefined;
    const timeline = (found?.['timeline'] ?? found) as Json | undefined;
    const group = (timeline?.['instructions']?.find(({ entries }: Json) => entries) ?? timeline) as Json | undefined;
    if (Array.isArray(group?.['entries'])) return { group: group!, entries: group!['entries'] as Json[] };
  }
  return undefined;
};
const isCursor = (entry: Json): boolean => String(entry['entryId']).startsWith('cursor-');

const status =
  (code: number, headers: Record<string, string> = {}): FaultKind['apply'] =>
  (answer) => {
    Object.assign(answer, { status: code, headers, body: { title: `status ${code}` } });
  };
const fails =
  (code: string, sent: boolean): FaultKind['apply'] =>
  (answer) => {
    answer.fails = { code, sent };
  };
const onItem =
  (change: (entry: Json, entries: Json[]) => void): FaultKind['apply'] =>
  (answer, { pick }) => {
    const found = list(answer.body);
    const items = found?.entries.filter((entry) => !isCursor(entry)) ?? [];
    if (items.length > 0) change(items[pick % items.length]!, found!.entries);
  };
const itemOf = (entry: Json): Json => (entry['content']['tweet'] ?? entry['content']['user']) as Json;
const bytes =
  (text: (whole: string) => string): FaultKind['apply'] =>
  (answer) => {
    answer.body = Buffer.from(text(JSON.stringify(answer.body)));
  };
function setCursor(body: unknown, value: string | null): void {
  const found = list(body);
  if (!found) return;
  const { group } = found;
  if (typeof group['cursor'] === 'object' && group['cursor'] !== null) {
    if (value === null) delete group['cursor'];
    else group['cursor'].value = value;
    return;
  }
  const entry = found.entries.find(isCursor);
  if (value === null) group['entries'] = found.entries.filter((one) => !isCursor(one));
  else if (entry) entry['content'].value = value;
}

const NOBODY: FaultTarget = { endpoint: '', parameters: {}, pick: 0, firstPage: () => undefined };

export const FAULTS = {
  'status 500': { effect: 'no page', apply: status(500) },
  'status 503': { effect: 'no page', apply: status(503, { 'retry-after': '2' }) },
  'status 429': { effect: 'no page', apply: status(429) },
  'status 429 with retry-after': { effect: 'no page', apply: status(429, { 'retry-after': '7' }) },
  'the cursor is refused': {
    effect: 'no page',
    apply(answer, target) {
      if (target.parameters['cursor'] !== undefined) status(400)(answer, target);
    },
  },
  'connection refused': {
    effect: 'no page',
    isUnsent: true,
    apply: (answer) => fails('ECONNREFUSED', false)(answer, NOBODY),
  },
  'connection reset': { effect: 'no page', apply: fails('ECONNRESET', true) },
  'no answer in time': {
    effect: 'no page',
    apply(answer) {
      answer.fails = { code: 'UND_ERR_HEADERS_TIMEOUT', sent: true };
      answer.delay = 30_000;
    },
  },
  slow: {
    effect: 'visible',
    apply(answer) {
      answer.delay = 9000;
    },
  },
  'cut body': { effect: 'no page', apply: bytes((whole) => whole.slice(0, whole.length >> 1)) },
  'empty body': { effect: 'no page', apply: bytes(() => '') },
  'a page for people': { effect: 'no page', apply: bytes(() => '<html>maintenance</html>') },
  'not our JSON': { effect: 'no page', apply: bytes(() => '{"data":{"hello":1}}') },
  'no items, and a cursor': {
    effect: 'undetectable',
    apply(answer, { parameters, pick }) {
      const found = list(answer.body);
      const cursor = found?.entries.find(isCursor);
      // A service may skip hidden items, which gives an empty page with a cursor in the middle.
      if (!found || (!cursor && !found.group['cursor'])) return;
      const before = parameters['cursor'];
      found.group['entries'] = cursor ? [cursor] : [];
      if (before !== undefined && pick % 2 === 0) setCursor(answer.body, before);
    },
  },
  'the cursor it was asked with': {
    effect: 'visible',
    apply: (answer, { parameters }) => {
      if (parameters['cursor'] !== undefined) setCursor(answer.body, parameters['cursor']);
    },
  },
  'the first page again': {
    effect: 'visible',
    apply: (answer, { firstPage, parameters }) => {
      if (parameters['cursor'] !== undefined) answer.body = firstPage();
    },
  },
  'no cursor too soon': { effect: 'undetectable', apply: (answer) => setCursor(answer.body, null) },
  'an item without an id': {
    effect: 'visible',
    apply: onItem((entry) => {
      const item = itemOf(entry);
      delete item['id'];
      delete item['rest_id'];
    }),
  },
  'an item that is null': {
    effect: 'visible',
    apply: onItem((entry) => {
      entry['content'] = 'tweet' in entry['content'] ? { tweet: null } : { user: null };
    }),
  },
  'an id that cannot be read': {
    effect: 'visible',
    apply: onItem((entry) => {
      const item = itemOf(entry);
      item['id'] = Number(item['id']) + 0.5;
      if (item['rest_id'] !== undefined) item['rest_id'] = { value: item['rest_id'] };
    }),
  },
  'a stray entry': {
    effect: 'visible',
    apply: onItem((_, entries) => {
      entries.splice(0, 0, { entryId: 'promoted-1', content: { ad: true } });
    }),
  },
  'an unknown field': {
    effect: 'visible',
    apply: onItem((entry) => {
      itemOf(entry)['views'] = 12;
    }),
  },
  'an item twice': {
    effect: 'visible',
    apply: onItem((entry, entries) => {
      entries.splice(entries.indexOf(entry), 0, structuredClone(entry));
    }),
  },
  'items in another order': {
    effect: 'visible',
    apply(answer) {
      const found = list(answer.body);
      if (!found) return;
      const items = found.entries.filter((entry) => !isCursor(entry));
      found.group['entries'] = [...items.toReversed(), ...found.entries.filter(isCursor)];
    },
  },
  'odd text': {
    effect: 'visible',
    apply: onItem((entry) => {
      const item = itemOf(entry);
      const odd = `odd \ud800 \0 ${hash(JSON.stringify(entry))}`;
      if ('text' in item) item['text'] = odd;
      else item['description'] = odd;
    }),
  },
  'a time of another form': {
    effect: 'visible',
    apply: onItem((entry) => {
      const item = itemOf(entry);
      if ('created_at' in item) item['created_at'] = 'Wed Oct 10 20:19:24 +0000 2018';
    }),
  },
  'somebody else as the owner': {
    effect: 'no page',
    apply(answer) {
      const data = (answer.body as Json)['data'] as Json | undefined;
      const user = (data?.['user']?.['result'] ?? data?.['user']) as Json | undefined;
      if (user) Object.assign(user, { id: '999', rest_id: '999', screen_name: 'stranger', name: 'Stranger' });
    },
  },
} as const satisfies Record<string, FaultKind>;

export type FaultName = keyof typeof FAULTS;
