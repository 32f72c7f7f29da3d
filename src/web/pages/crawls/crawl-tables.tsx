import type { CrawlData } from '../../../dashboard/api/crawl.ts';
import { formatCount } from '../../../text.ts';
import { formatBytes, formatDuration } from '../../../units.ts';
import { EmptyState } from '../../components/empty-state.tsx';
import { StoreCommand } from '../../components/store-command.tsx';
import { TimeAgo } from '../../components/time-ago.tsx';
import { formatUtc } from '../../format.ts';

/** What happened, the latest first. */
export const Events = ({ events }: Pick<CrawlData, 'events'>) => (
  <ul class="events">
    {events.map(({ at, text, isProblem }, i) => (
      <li key={`${at} ${i}`} class={isProblem ? 'problem' : ''}>
        <time dateTime={new Date(at).toISOString()}>{formatUtc(at).slice(5, 19)}</time>
        <bdi>{text}</bdi>
      </li>
    ))}
  </ul>
);

/** The requests by endpoint and status. */
export const Outcomes = ({ outcomes }: Pick<CrawlData, 'outcomes'>) =>
  outcomes.length === 0 ? (
    <EmptyState title="No request yet">Requests are counted when they are sent.</EmptyState>
  ) : (
    <table>
      <thead>
        <tr>
          <th scope="col">Endpoint</th>
          <th scope="col">Status</th>
          <th scope="col" class="number">
            Requests
          </th>
          <th scope="col" class="number">
            Bytes
          </th>
          <th scope="col" class="number">
            Mean time
          </th>
        </tr>
      </thead>
      <tbody>
        {outcomes.map(({ endpoint, status, requests, bytes, meanMs }) => (
          <tr key={`${endpoint} ${status}`}>
            <th scope="row">{endpoint}</th>
            <td class={status === 200 ? '' : 'problem'}>{status ?? 'no response'}</td>
            <td class="number">{formatCount(requests)}</td>
            <td class="number nowrap">{formatBytes(bytes)}</td>
            <td class="number nowrap">{formatDuration(meanMs)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );

/** Items that could not be stored. */
export const Rejects = ({ id, rejects }: { readonly id: number } & Pick<CrawlData, 'rejects'>) => (
  <>
    <ul class="events">
      {rejects.map(({ path, reason }) => (
        <li key={path}>
          <code>{path}</code>
          <bdi>{reason}</bdi>
        </li>
      ))}
    </ul>
    <p class="more">
      <StoreCommand command={`sql "select * from rejects where crawl_id = ${id}"`} /> shows them in full. After an
      update, <StoreCommand command="rejects retry" /> reads them again.
    </p>
  </>
);

/** Fields of an unexpected form, with the first value of each. */
export const DroppedFields = ({ fields }: { readonly fields: CrawlData['dropped'] }) => (
  <ul class="events">
    {fields.map(({ field, reason, values, sample }) => (
      <li key={`${field} ${reason}`}>
        <code>{field}</code>
        <span>
          {formatCount(values)} times: {reason}; first value <bdi class="sample">{sample.slice(0, 120)}</bdi>
        </span>
      </li>
    ))}
  </ul>
);

/** What it was crawled with. */
export const Sources = ({ sources }: Pick<CrawlData, 'sources'>) =>
  sources.length === 0 ? (
    <p class="muted">Nothing is recorded: no worker has taken this crawl, or an earlier version of trawl crawled it.</p>
  ) : (
    <ul class="events">
      {sources.map(({ serviceHost, trawlVersion, keyLabel, firstUsedAt, lastUsedAt }) => (
        <li key={`${serviceHost} ${trawlVersion} ${keyLabel}`}>
          <bdi>{serviceHost}</bdi>
          <span>
            trawl {trawlVersion}, key label <bdi>{keyLabel}</bdi>, first used <TimeAgo at={firstUsedAt} />, last{' '}
            <TimeAgo at={lastUsedAt} />
          </span>
        </li>
      ))}
    </ul>
  );
