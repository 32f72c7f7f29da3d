import { formatDay } from '#base/units.ts';
import type { CollectionSummary } from '#files/export/collection.ts';
import type { PageContent, Section, Text, ReportOrigin } from './report.ts';
import { type CitedSubject, describeCitation } from './sections/citation-section.ts';
import { describeAccess, describeCollection } from './sections/collection-section.ts';
import { describeMethod } from './sections/method-section.ts';

/** What a page says of its subject alone. */
interface SubjectContent {
  /** `Account report`. */
  readonly kind: string;
  readonly name: string;
  /** The name in the title of the document. */
  readonly titleName: string;
  readonly lines: readonly Text[];
  readonly sections: readonly Section[];
  readonly cited: CitedSubject;
}

/** Returns the page of a report: its own sections, and those that all reports have. */
export const completePage = (
  { kind, name, titleName, lines, sections, cited }: SubjectContent,
  collection: CollectionSummary,
  origin: ReportOrigin,
): PageContent => ({
  title: `${titleName}: report of ${formatDay(origin.provenance.snapshotAt)}`,
  kind,
  heading: { name },
  lines: [...lines, describeAccess(collection, origin.provenance.snapshotAt)],
  sections: [
    ...sections,
    describeCollection(collection),
    describeMethod(collection, origin),
    describeCitation(cited, collection, origin),
  ],
  footer: [
    `Made by trawl ${origin.provenance.version} from a snapshot of `,
    { time: origin.provenance.snapshotAt },
    '.',
  ],
});
