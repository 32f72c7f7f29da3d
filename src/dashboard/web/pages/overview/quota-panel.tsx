import { formatCount, toSentence } from '../../../../base/text.ts';
import type { PriorityAnswer, QuotaData } from '../../../server/api/overview.ts';
import { EmptyState } from '../../components/empty-state.tsx';
import { LinePlot } from '../../components/line-plot.tsx';
import { Panel } from '../../components/panel.tsx';
import { TimeAgo } from '../../components/time-ago.tsx';
import { formatRest } from '../../format-numbers.ts';
import { now } from '../../live/now.ts';

/** Workers ask twice a minute: a number that is older is a lower bound, since the service may have freed requests. */
const FRESH_MS = 60_000;

/** What is left of the quota, and where each priority stops. */
export function QuotaPanel({ quota }: { readonly quota: QuotaData | null }) {
  if (!quota)
    return (
      <Panel id="quota" title="Quota">
        <EmptyState title="The quota is unknown" command="quota">
          No crawl has asked the service yet.
        </EmptyState>
      </Panel>
    );
  const { limit, left, sampledAt, note } = quota;
  const isOld = sampledAt === null || now.value - sampledAt > FRESH_MS;
  return (
    <Panel
      id="quota"
      title="Quota"
      note={
        sampledAt !== null && (
          <>
            Quota checked <TimeAgo at={sampledAt} />
          </>
        )
      }
    >
      <p class="figure">
        {isOld && <span class="unit">at least</span>} {formatCount(left)}{' '}
        <span class="unit">of {formatCount(limit)} requests left</span>
      </p>
      <Gauge quota={quota} isOld={isOld} />
      <p class="quota-reset muted">
        <Reset quota={quota} />
      </p>
      {note !== null && <p class="muted">{toSentence(note)}.</p>}
      <QuotaPlot quota={quota} />
    </Panel>
  );
}

const Gauge = ({
  quota: { limit, left, priorities, reserve },
  isOld,
}: {
  readonly quota: QuotaData;
  readonly isOld: boolean;
}) => (
  <>
    <meter
      aria-label="Quota left"
      max={limit}
      low={reserve}
      value={Math.min(left, limit)}
      aria-valuetext={`${isOld ? 'at least ' : ''}${formatCount(left)} of ${formatCount(limit)} requests left`}
    />
    <ul class="ticks" aria-label="Where each priority stops">
      {Object.entries(priorities).map(([name, priority]) => (
        <li key={name} class={priority.hold === null ? 'muted' : 'warn'}>
          <b>{name}</b> stops at {formatCount(priority.headroom ?? 0)}, {describePriority(priority)}
        </li>
      ))}
    </ul>
  </>
);

function describePriority({ spendable, hold }: PriorityAnswer): string {
  if (hold === null) return `may send ${formatCount(spendable)}`;
  const { until, cause } = hold;
  return `paused${until !== null && until > now.value ? ` for ${formatRest(until, now.value)}` : ''}: ${cause}`;
}

/** When the service frees requests. */
function Reset({ quota: { resetAt, left, limit } }: { readonly quota: QuotaData }) {
  if (resetAt === null) return <>The service does not say when it resets.</>;
  if (resetAt > now.value) return <>Resets in {formatRest(resetAt, now.value)}</>;
  if (left >= limit) return <>Nothing is used now.</>;
  return (
    <>
      Reset <TimeAgo at={resetAt} />, not checked since
    </>
  );
}

/** The quota over time, with the reserve. The line is broken where nobody asked the service. */
function QuotaPlot({ quota: { samples, limit, reserve } }: { readonly quota: QuotaData }) {
  const known = samples.flatMap(([, left]) => left ?? []);
  if (known.length < 2) return null;
  return (
    <LinePlot
      description={`Requests left: from ${formatCount(known[0]!)} to ${formatCount(known.at(-1)!)}, at least ${formatCount(Math.min(...known))}; the reserve is ${formatCount(reserve)} of ${formatCount(limit)}`}
      times={samples.map(([time]) => time)}
      lines={[
        { label: 'Requests left', color: 'accent', values: samples.map(([, left]) => left) },
        { label: 'Reserve', color: 'muted', values: reserve },
      ]}
    />
  );
}
