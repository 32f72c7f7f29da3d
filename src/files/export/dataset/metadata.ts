import type { CollectionJob } from '#files/export/collection.ts';

/** What people state about a dataset. The store cannot know it. */
export interface DatasetMetadata {
  readonly title: string;
  /** `Family, Given` for a person; any other text is an organisation. Empty if unknown. */
  readonly authors: readonly string[];
  /** Who publishes it; undefined if unknown. */
  readonly publisher: string | undefined;
  readonly statements: Statements;
}

/** Why the data was collected, who approved it, and how long it is kept. Empty if nobody stated it. */
export interface Statements {
  readonly purpose: readonly string[];
  readonly ethicsRef: readonly string[];
  readonly retention: readonly string[];
}

/** DataCite's standard value for information that is added later. */
export const TO_BE_ANNOUNCED = ':tba';

/** The statements of the options; without one, those of the jobs whose crawls are in the data, each once. */
export function chooseStatements(given: Partial<Statements>, jobs: readonly CollectionJob[]): Statements {
  const choose = (key: keyof Statements): readonly string[] =>
    given[key] ?? [...new Set(jobs.flatMap((job) => job[key] ?? []))];
  return { purpose: choose('purpose'), ethicsRef: choose('ethicsRef'), retention: choose('retention') };
}
