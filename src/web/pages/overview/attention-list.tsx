import type { AttentionItem } from '../../../dashboard/api/overview.ts';
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
  <section class={`attention ${items.length === 0 ? 'quiet' : ''}`} aria-labelledby="attention">
    <h2 id="attention" class={items.length === 0 ? 'visually-hidden' : ''}>
      Needs attention
    </h2>
    {items.length === 0 ? (
      <p>{isEmpty ? 'No crawls yet: nothing needs attention.' : 'Nothing needs attention.'}</p>
    ) : (
      <ul>
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
    <Icon severity={severity} />
    <div>
      <p class="attention-title">
        <span class="visually-hidden">{LABELS[severity]}: </span>
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
        <p class="attention-detail">
          <bdi>{detail}</bdi>
        </p>
      )}
    </div>
    <p class="attention-advice">
      {until !== null && until > now.value && (
        <span>
          {untilLabel} in {formatRest(until, now.value)}
        </span>
      )}
      {advice !== null && (advice.startsWith('trawl ') ? <code>{advice}</code> : <span>{advice}</span>)}
    </p>
  </li>
);

const Icon = ({ severity }: { readonly severity: AttentionItem['severity'] }) => (
  <svg viewBox="0 0 20 20" aria-hidden="true">
    {severity === 'error' ? (
      <path d="M10 2a8 8 0 1 0 0 16a8 8 0 1 0 0-16M10 5.700v5.300M10 14.100v.1" />
    ) : (
      <path d="M10 2.500L18.500 17h-17zM10 8v4.500M10 14.700v.1" />
    )}
  </svg>
);
