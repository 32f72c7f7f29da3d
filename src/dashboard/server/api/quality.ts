/** What the page Quality shows: `/api/quality`. Times are milliseconds UTC, days are texts in UTC. */
export interface QualityData {
  readonly at: number;
  /** What a person should know first, in sentences: fields that the service no longer sends, and cursors that end lists. */
  readonly changes: readonly string[];
  readonly rejects: {
    /** The unresolved ones, and those of them whose bodies are stored, so that they can be read again. */
    readonly items: number;
    readonly readable: number;
    readonly groups: readonly RejectGroupData[];
    readonly groupCount: number;
  };
  /** Fields of stored items that could not be read. */
  readonly dropped: { readonly groups: readonly RejectGroupData[]; readonly groupCount: number };
  readonly drift: {
    readonly fields: readonly DriftData[];
    readonly fieldCount: number;
  };
  /** Whether any page was inspected. */
  readonly hasPages: boolean;
}

/** Items or values with the same endpoint, field and reason. */
export interface RejectGroupData {
  readonly endpoint: string;
  readonly field: string;
  readonly reason: string;
  readonly n: number;
  readonly firstAt: number;
  readonly lastAt: number;
  readonly sample: string;
  /** The crawl of the sample. */
  readonly crawlId: number;
}

/** A field or form that the specification does not have. */
export interface DriftData {
  readonly endpoint: string;
  readonly field: string;
  /** What it means; null for a field that is stored in bodies only. */
  readonly meaning: string | null;
  readonly pages: number;
  readonly firstAt: number;
  readonly lastAt: number;
  readonly sample: string | null;
}

/** The share of items that have a value in each field: `/api/quality/fields`. */
export interface FieldRatesData {
  /** What can be chosen: an endpoint, or a table of the store. */
  readonly sources: readonly { readonly value: string; readonly label: string }[];
  readonly source: string;
  readonly by: 'day' | 'month';
  readonly periods: readonly { readonly period: string; readonly items: number }[];
  readonly fields: readonly { readonly field: string; readonly rates: readonly (number | null)[] }[];
  /** What was counted, in a sentence. */
  readonly basis: string;
}
