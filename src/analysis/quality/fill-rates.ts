/** How many items of a period have a value in a field. */
export interface FillRates {
  /** The periods, oldest first: a day `2025-01-31` or a month `2025-01`. */
  readonly periods: readonly FillPeriod[];
  /** By field, the share of items with a value in each period; null if nothing was inspected. */
  readonly fields: readonly { readonly field: string; readonly rates: readonly (number | null)[] }[];
}

export interface FillPeriod {
  readonly period: string;
  /** The most items that were inspected for one field. */
  readonly items: number;
}

export type FillPeriodName = 'day' | 'month';

/** The latest periods that are read. */
export const SHOWN_PERIODS: Readonly<Record<FillPeriodName, number>> = { day: 14, month: 12 };

/** The characters of a day that name its period. */
export const PERIOD_LENGTH: Readonly<Record<FillPeriodName, number>> = { day: 10, month: 7 };
