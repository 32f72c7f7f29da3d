import type { ComponentChildren } from 'preact';
import { formatCount } from '#base/text.ts';
import { type Column, DataTable } from '#dashboard/web/components/data-table.tsx';
import { StoreCommand } from '#dashboard/web/components/store-command.tsx';
import { TimeAgo } from '#dashboard/web/components/time-ago.tsx';

/** What the kinds of rejects, unreadable fields and drift have in common. */
interface FieldRow {
  readonly endpoint: string;
  readonly field: string;
  readonly firstAt: number;
  readonly lastAt: number;
  readonly sample: string | null;
  /** The crawl of the sample. */
  readonly crawlId?: number;
}

/** Fields with what is wrong with them, how often and since when. */
export const FieldTable = <T extends FieldRow>(props: {
  readonly caption: string;
  /** What is wrong with a field. */
  readonly reason: readonly [title: string, render: (row: T) => ComponentChildren];
  readonly count: readonly [title: string, render: (row: T) => number];
  readonly rows: readonly T[];
  /** The number of all rows, of which these are the first. */
  readonly total: number;
}) => {
  const [counted, count] = props.count;
  const columns: readonly Column<T>[] = [
    [
      'Field',
      ({ field, endpoint }) => (
        <>
          <bdi>{field === '' ? 'the whole item' : field}</bdi> <span class="muted">{endpoint}</span>
        </>
      ),
      'head',
    ],
    [...props.reason, 'bare'],
    [counted, (row) => formatCount(count(row)), 'number'],
    ['First', ({ firstAt }) => <TimeAgo at={firstAt} />, 'nowrap'],
    ['Last', ({ lastAt }) => <TimeAgo at={lastAt} />, 'nowrap'],
    [
      'Example',
      ({ sample, crawlId }) => (
        <>
          <bdi class="clamp-2 sample">{sample ?? 'not kept'}</bdi>{' '}
          {crawlId !== undefined && <a href={`/crawls/${crawlId}`}>crawl {crawlId}</a>}
        </>
      ),
      'bare',
    ],
  ];
  return (
    <>
      <DataTable caption={props.caption} columns={columns} rows={props.rows} keyOf={(_, index) => index} />
      {props.rows.length < props.total && (
        <p class="more">
          The first {formatCount(props.rows.length)} of {formatCount(props.total)}. <StoreCommand command="rejects" />{' '}
          lists more.
        </p>
      )}
    </>
  );
};
