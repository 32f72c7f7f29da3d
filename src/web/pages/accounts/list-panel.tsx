import type { AccountListCoverageData } from '../../../dashboard/api/accounts.ts';
import { toSentence, formatCount } from '../../../text.ts';
import { FACTS } from '../../app/facts.ts';
import { Panel } from '../../components/panel.tsx';
import { TimeAgo } from '../../components/time-ago.tsx';
import { formatUtc } from '../../format.ts';
import { BackfillButton } from './backfill-button.tsx';

interface ListProps {
  readonly list: AccountListCoverageData;
  readonly restId: string;
}

/** A list of an account: stored beside reported with the reasons for the difference, and its coverage. */
export const ListPanel = ({ list, restId }: ListProps) => (
  <Panel
    id={list.kind}
    title={list.title}
    note={
      <>
        {list.state}
        {list.asOf !== null && (
          <>
            , as of <TimeAgo at={list.asOf} />
          </>
        )}
      </>
    }
  >
    <Counts list={list} />
    {list.difference.length > 0 && (
      <ul class="differences" aria-label="Why the numbers differ">
        {list.difference.map((reason) => (
          <li key={reason}>{toSentence(reason)}.</li>
        ))}
      </ul>
    )}
    {list.command !== null && (
      <p class="more">
        <code>{list.command}</code> collects it.
      </p>
    )}
    {list.axis && <Axis axis={list.axis} title={list.title} />}
    {list.periods.length > 0 && <Periods list={list} restId={restId} />}
  </Panel>
);

const Counts = ({ list: { stored, isCompared, reported, reportedAt } }: { readonly list: AccountListCoverageData }) => (
  <dl class="account-counts">
    <div>
      <dt>Stored</dt>
      <dd>{formatCount(stored)}</dd>
    </div>
    {isCompared && (
      <div>
        <dt>
          Reported
          {reportedAt !== null && (
            <>
              {' '}
              <TimeAgo at={reportedAt} />
            </>
          )}
        </dt>
        <dd>{reported === null ? '–' : formatCount(reported)}</dd>
      </div>
    )}
  </dl>
);

const toUrl = (svg: string): string => `data:image/svg+xml,${encodeURIComponent(svg)}`;

/** The content policy allows no markup of the server in the page, so that the drawing is an image. */
const Axis = ({ axis, title }: { readonly axis: { wide: string; narrow: string }; readonly title: string }) => (
  <picture class="coverage-axis">
    <source media="(max-width: 42rem)" srcset={toUrl(axis.narrow)} />
    <img src={toUrl(axis.wide)} alt={`${title}: coverage on an axis of time; the periods below are the same`} />
  </picture>
);

/** `2026-01-31 12:00`. */
const toMinute = (at: number): string => formatUtc(at).slice(0, 16);

const Periods = ({ list: { title, periods, periodCount }, restId }: ListProps) => (
  // What is missing is what somebody looks for, and where its backfill is.
  <details class="coverage-periods" open={periods.some(({ isComplete }) => !isComplete)}>
    <summary>Periods: {formatCount(periodCount)}</summary>
    <table>
      <caption class="visually-hidden">{title}: periods, the latest first</caption>
      <thead>
        <tr>
          <th scope="col">From (UTC)</th>
          <th scope="col">To (UTC)</th>
          <th scope="col">State</th>
        </tr>
      </thead>
      <tbody>
        {periods.map(({ from, to, state, isComplete, isBackfillable, crawlId }) => (
          <tr key={from} class={isComplete ? '' : 'incomplete'}>
            <td>{toMinute(from)}</td>
            <td>{toMinute(to)}</td>
            <td>
              {state}
              {crawlId !== null && (
                <>
                  {' '}
                  (<a href={`/crawls/${crawlId}`}>crawl {crawlId}</a>)
                </>
              )}
              {isBackfillable && FACTS.isWritable && (
                <>
                  {' '}
                  <BackfillButton restId={restId} from={from} to={to} />
                </>
              )}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
    {periods.length < periodCount && <p class="more">The latest {formatCount(periods.length)} are listed.</p>}
  </details>
);
