import type { ComponentChildren } from 'preact';
import type { FollowerCounts } from '../../../../dashboard/api/account-history.ts';
import { formatCount } from '../../../../text.ts';

/** The most periods that a table lists. */
const LISTED = 60;

type Period = FollowerCounts['period'];

/** A column of numbers. */
interface PeriodColumn<T> {
  readonly title: string;
  readonly render: (row: T) => ComponentChildren;
}

/** The numbers behind a plot by period, the latest first, on request. */
export const PeriodTable = <T extends { readonly start: string; readonly isPartial?: boolean }>(props: {
  readonly caption: string;
  readonly period: Period;
  /** Oldest first. */
  readonly rows: readonly T[];
  readonly columns: readonly PeriodColumn<T>[];
  /** How the numbers are to be read. */
  readonly note: string;
}) => {
  const { caption, period, rows, columns, note } = props;
  return (
    <details>
      <summary>
        Numbers by {period}: {formatCount(rows.length)}
      </summary>
      <table>
        <caption class="visually-hidden">
          {caption} by {period}, the latest first
        </caption>
        <thead>
          <tr>
            <th scope="col">{TITLES[period]}</th>
            {columns.map(({ title }) => (
              <th key={title} scope="col" class="number">
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows
            .toReversed()
            .slice(0, LISTED)
            .map((row) => (
              <tr key={row.start}>
                <th scope="row">
                  <span class="nowrap">{toPeriodName(row.start, period)}</span>
                  {row.isPartial && ' (in part)'}
                </th>
                {columns.map(({ title, render }) => (
                  <td key={title} class="number">
                    {render(row)}
                  </td>
                ))}
              </tr>
            ))}
        </tbody>
      </table>
      <p class="more">{note}</p>
      {rows.length > LISTED && <p class="more">The latest {formatCount(LISTED)} are listed.</p>}
    </details>
  );
};

const TITLES: Readonly<Record<Period, string>> = { day: 'Day', week: 'Week from', month: 'Month' };

/** The first day of a day or a week; the year and the month of a month. */
const toPeriodName = (start: string, period: Period): string => (period === 'month' ? start.slice(0, 7) : start);

/** `the week of 2026-01-05`, in a sentence. */
export const describePeriod = (start: string, period: Period): string =>
  period === 'week' ? `the week of ${start}` : toPeriodName(start, period);

/** `+3`, `−3` or `±0`. */
export const formatChange = (value: number): string =>
  value === 0 ? '±0' : `${value > 0 ? '+' : '−'}${formatCount(Math.abs(value))}`;

/** The day of a time; a dash if it is unknown. */
export const toDay = (time: string | null): string => time?.slice(0, 10) ?? '–';
