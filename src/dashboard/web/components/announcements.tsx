import { useEffect, useRef, useState } from 'preact/hooks';
import { pluralize } from '#base/text.ts';
import type { AttentionItem } from '#dashboard/server/api/overview.ts';
import { attention, connection } from '#dashboard/web/live/live-updates.ts';

/** Says to screen readers what has changed: the connection, and what needs attention. Numbers that tick are not read out. */
export function Announcements() {
  const [text, setText] = useState('');
  const known = useRef({ connection: 'connecting', ids: '' });
  const state = connection.value;
  const items = attention.value.open;
  const ids = items.map(({ id }) => id).join();
  useEffect(() => {
    const before = known.current;
    known.current = { connection: state, ids };
    if (state !== before.connection && before.connection !== 'connecting')
      setText(state === 'connected' ? 'Connected again' : 'Not connected');
    else if (ids !== before.ids) setText(items.length === 0 ? 'Nothing needs attention' : describeItems(items));
  }, [state, ids]);
  return (
    <div class="visually-hidden" role="status">
      {text}
    </div>
  );
}

/** `3 items need attention. The first: No worker is running` */
function describeItems(items: readonly AttentionItem[]): string {
  const count = `${pluralize(items.length, 'item')} ${items.length === 1 ? 'needs' : 'need'} attention`;
  return `${count}${items.length === 1 ? ': ' : '. The first: '}${items[0]!.title}`;
}
