import { type Answer, reference, timeline } from './support.ts';

/** A tweet of the list: its id, and its day of 2025 and after. */
export interface Item {
  readonly id: number;
  readonly day: number;
}

/**
 * A timeline that changes while it is crawled, newest first, a cursor naming the last item that was served. It answers
 * as the service does, and can refuse or forget cursors.
 */
export function livingList({
  pageSize,
  items = [],
  of = '1',
}: {
  pageSize: number;
  items?: readonly Item[];
  of?: string;
}) {
  const owner = reference(of, `user${of}`);
  const list = {
    items: [...items],
    pinned: undefined as Item | undefined,
    /** What becomes of a request with a cursor: `undefined` lets it pass. */
    onCursor: undefined as ((cursor: string) => 'refuse' | 'forget' | 'empty' | undefined) | undefined,
    /** Items that are served in a form that nobody can read. */
    broken: new Set<number>(),
    add(count: number): void {
      const first = (list.items[0]?.id ?? 0) + 1;
      for (let n = 0; n < count; n++) list.items.unshift({ id: first + n, day: first + n });
    },
    answer({ cursor }: Record<string, string>): Answer {
      const fault = cursor === undefined ? undefined : list.onCursor?.(cursor);
      if (fault === 'refuse') return { status: 400, body: '{}' };
      if (fault === 'empty') return timeline(owner, [], null);
      const rest = cursor === undefined || fault ? list.items : list.items.filter(({ id }) => id < Number(cursor));
      const page = rest.slice(0, pageSize);
      const next = rest.length > pageSize ? String(page.at(-1)!.id) : null;
      const shown = cursor === undefined && list.pinned ? [list.pinned, ...page] : page;
      const said = timeline(
        owner,
        shown.map(({ id, day }) => `${id}@${day}`),
        next,
      );
      return list.broken.size === 0 ? said : spoil(said, list.broken);
    },
  };
  return list;
}

/** The answer with ids that cannot be read. */
function spoil(answer: Answer, broken: ReadonlySet<number>): Answer {
  return JSON.parse(JSON.stringify(answer), (_, value: unknown) => {
    const tweet = value as { id?: string; text?: unknown } | null;
    return typeof tweet?.id === 'string' && typeof tweet.text === 'string' && broken.has(Number(tweet.id))
      ? { ...tweet, id: { of: tweet.id }, text: 'tweet mended' }
      : value;
  }) as Answer;
}

export const days = (count: number): Item[] =>
  Array.from({ length: count }, (_, i) => ({ id: count - i, day: count - i }));
