import type { AttentionItem } from '../../../server/api/overview.ts';
import { TimeAgo } from '../../components/time-ago.tsx';
import { formatRest } from '../../format.ts';
import { now } from '../../live/now.ts';

/** What a person should know or do, the most urgent first. */
export const AttentionList = ({
  items,
  isEmpty,
}: {
  readonly items: readonly AttentionItem[];
  readonly isEmpty: boolean;
}) => (
  <section class={`panel attention ${items.length === 0 ? 'quiet' : ''}`} aria-labelledby="attention">
    <h2 id="attention">Needs attention</h2>
    {items.length === 0 ? (
      <p>{isEmpty ? 'No crawls yet: nothing needs attention.' : 'Nothing needs attention.'}</p>
    ) : (
      <ul class="rows">
        {items.map((item) => (
          <Item key={item.id} item={item} />
        ))}
      </ul>
    )}
  </section>
);

const LABELS = { error: 'Error', warning: 'Warning' } as const;

const Item = ({
  item: { severity, title, detail, advice, link, since, until, untilLabel },
}: {
  readonly item: AttentionItem;
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
    </p>
  </li>
);
