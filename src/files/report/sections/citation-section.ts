import { formatDay } from '#base/units.ts';
import type { CollectionSummary } from '#files/export/collection.ts';
import { TO_BE_ANNOUNCED } from '#files/export/dataset/metadata.ts';
import type { Section, ReportOrigin } from '#files/report/report.ts';

/** What a report is about, as a citation names it. */
export interface CitedSubject {
  /** `Tweets and followers of the account @nasa (id 11348282)`. */
  readonly title: string;
  /** A key for BibTeX, of which letters and digits are used. */
  readonly key: string;
  /** What was requested: kinds and targets. */
  readonly queries: string;
}

/** How to cite the data, and how to verify it. */
export function describeCitation(subject: CitedSubject, collection: CollectionSummary, origin: ReportOrigin): Section {
  const { provenance, collectors, dataSha256, sidecar } = origin;
  const day = formatDay(provenance.snapshotAt);
  const year = provenance.snapshotAt.slice(0, 4);
  const collector = collectors.length === 0 ? TO_BE_ANNOUNCED : collectors.join('; ');
  const how = describeOrigin(collection, `report of ${day} with trawl ${provenance.version}`);
  const names = collectors.length === 0 ? `{${TO_BE_ANNOUNCED}}` : collectors.map(toBibtexName).join(' and ');
  const key = subject.key.replaceAll(/[^A-Za-z0-9]+/g, '-').replaceAll(/^-+|-+$/g, '') || 'data';
  return {
    id: 'citation',
    title: 'How to cite this',
    blocks: [
      {
        type: 'quotation',
        text: [
          { name: collector },
          ` (${year}). `,
          { name: subject.title },
          ` [Data set]. ${how}. SHA-256 of the data: `,
          { code: dataSha256 },
          '.',
        ],
      },
      { type: 'facts', facts: [['Queries', { name: subject.queries }]] },
      {
        type: 'code',
        label: 'BibTeX',
        text: `@misc{trawl-${key}-${day},
  author = {${names}},
  title = {{${toBibtex(subject.title)}}},
  year = {${year}},
  howpublished = {Data set},
  note = {${toBibtex(how)}. SHA-256 of the data: ${dataSha256}},
}`,
      },
      { type: 'heading', text: 'Verify the data' },
      {
        type: 'paragraph',
        text: [
          'The sidecar ',
          { code: sidecar },
          ' has every figure of this page under ',
          { code: 'data' },
          '. The checksum above is the SHA-256 of that value as canonical JSON (RFC 8785), so that it identifies the data, ' +
            'not the page: a report of the same data has the same checksum. The sidecar also has the SHA-256 of this file, and ' +
            'the statement of each query.',
        ],
      },
    ],
  };
}

/** Where, with what and when the data was collected. */
function describeOrigin({ sources, firstRequestAt, lastRequestAt }: CollectionSummary, report: string): string {
  const join = (texts: readonly string[], none: string): string => [...new Set(texts)].join(', ') || none;
  const services = join(
    sources.map(({ serviceHost }) => serviceHost),
    'a service that was not recorded',
  );
  const versions = join(
    sources.map(({ trawlVersion }) => trawlVersion),
    'a version that was not recorded',
  );
  const accessed =
    firstRequestAt === null || lastRequestAt === null
      ? 'never accessed'
      : `accessed from ${formatDay(firstRequestAt)} to ${formatDay(lastRequestAt)}`;
  return `Collected from ${services} with trawl ${versions} (${accessed}); ${report}`;
}

/** `Family, Given` is a person; any other text an organisation, in braces of its own. */
const toBibtexName = (name: string): string => (/^[^,]+,[^,]+$/.test(name) ? toBibtex(name) : `{${toBibtex(name)}}`);

/** Escapes the characters that LaTeX reads as commands. */
const toBibtex = (text: string): string => text.replaceAll(/[\\{}]/g, '').replaceAll(/[&%$#_]/g, (each) => `\\${each}`);
