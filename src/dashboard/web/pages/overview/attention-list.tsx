import type { AttentionItem } from '#dashboard/server/api/overview.ts';
import { TimeAgo } from '#dashboard/web/components/time-ago.tsx';
import { formatRest } from '#dashboard/web/format-numbers.ts';
import { attention, toggleAcknowledged } from '#dashboard/web/live/live-updates.ts';
import { now } from '#dashboard/web/live/now.ts';

/** What a person should know or do, the most urgent first, and below it what was acknowledged. */
export function AttentionList({ isEmpty }: { readonly isEmpty: boolean }) {
  const { open, acknowledged } = attention.value;
  return (
    <section class={`panel attention ${open.length === 0 ? 'quiet' : ''}`} aria-labelledby="attention">
      <h2 id="attention">Needs attention</h2>
      {open.length === 0 ? (
        <p>{isEmpty ? 'No crawls yet: nothing needs attention.' : 'Nothing needs attention.'}</p>
      ) : (
        <Items items={open} action="Acknowledge" />
      )}
      {acknowledged.length > 0 && (
        <details>
          <summary>Acknowledged: {acknowledged.length}</summary>
          <Items items={acknowledged} action="Show again" />
        </details>
      )}
    </section>
  );
}

const Items = ({ items, action }: { readonly items: readonly AttentionItem[]; readonly action: string }) => (
  <ul class="rows">
    {items.map((item) => (
      <Item key={item.id} item={item} action={action} />
    ))}
  </ul>
);

const LABELS = { error: 'Error', warning: 'Warning' } as const;

const Item = ({
  item,
  item: { severity, title, detail, advice, link, since, until, untilLabel },
  action,
}: {
  readonly item: AttentionItem;
  readonly action: string;
}) => (
  <li class={severity}>
    <div>
      <p class="attention-title">
        <strong class={severity === 'error' ? 'bad' : 'warn'}>{LABELS[severity]}:</strong>{' '}
        {link === null ? (
          <bdi>{title}</bdi>
        ) : (
          <a href={link}>
            <bdi>{title}</bdi>
          </a>
        )}
        {since !== null && (
          <span class="muted">
            {' '}
            <TimeAgo at={since} />
          </span>
        )}
      </p>
      {detail !== null && (
        <p class="muted clamp-2">
          <bdi>{detail}</bdi>
        </p>
      )}
    </div>
    <p class="row muted">
      {until !== null && until > now.value && (
        <span>
          {untilLabel} in {formatRest(until, now.value)}
        </span>
      )}
      {advice !== null && (advice.startsWith('trawl ') ? <code>{advice}</code> : <span>{advice}</span>)}
      <button class="link" onClick={() => toggleAcknowledged(item)}>
        {action}
        <bdi class="visually-hidden">: {title}</bdi>
      </button>
    </p>
  </li>
);
