import type { CollectionSummary } from '../../export/collection.ts';
import { TO_BE_ANNOUNCED } from '../../export/dataset/metadata.ts';
import { capitalise } from '../../text.ts';
import type { Section, Text } from '../content.ts';
import type { ReportOrigin } from '../report.ts';

/** What a report is about, as a citation names it. */
export interface CitedSubject {
  /** `Tweets and followers of the account @nasa (id 11348282)`. */
  readonly title: string;
  /** A key for BibTeX: letters, digits and hyphens. */
  readonly key: string;
  /** What was requested: kinds and targets. */
  readonly queries: string;
}

/** How to cite the data, and how to verify it. */
export function describeCitation(
  subject: CitedSubject,
  { sources, firstRequestAt, lastRequestAt }: CollectionSummary,
  { provenance, collectors, dataSha256, sidecar }: ReportOrigin,
): Section {
  const day = provenance.snapshotAt.slice(0, 10);
  const year = provenance.snapshotAt.slice(0, 4);
  const collector = collectors.length === 0 ? TO_BE_ANNOUNCED : collectors.join('; ');
  const services =
    unique(sources.map(({ serviceHost }) => serviceHost)).join(', ') || 'a service that was not recorded';
  const versions =
    unique(sources.map(({ trawlVersion }) => trawlVersion)).join(', ') || 'a version that was not recorded';
  const accessed =
    firstRequestAt === null || lastRequestAt === null
      ? 'never accessed'
      : firstRequestAt.slice(0, 10) === lastRequestAt.slice(0, 10)
        ? `accessed on ${firstRequestAt.slice(0, 10)}`
        : `accessed from ${firstRequestAt.slice(0, 10)} to ${lastRequestAt.slice(0, 10)}`;
  const how = `Collected from ${services} with trawl ${versions} (${accessed}); report of ${day} with trawl ${provenance.version}`;
  const facts: (readonly [string, Text])[] = [
    ['Collector', collectors.length === 0 ? `${TO_BE_ANNOUNCED} (name it with --author)` : { name: collector }],
    ['Service', { name: services }],
    ['Queries', { name: subject.queries }],
    ['Access', capitalise(accessed)],
    ['Software', `trawl ${versions}; this report: trawl ${provenance.version}`],
    ['Data SHA-256', { code: dataSha256 }],
  ];
  const names = collectors.length === 0 ? `{${TO_BE_ANNOUNCED}}` : collectors.map(toBibtexName).join(' and ');
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
      { type: 'facts', facts },
      {
        type: 'code',
        label: 'BibTeX',
        text: `@misc{trawl-${subject.key}-${day},
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

const unique = (texts: readonly string[]): string[] => [...new Set(texts)];

/** `Family, Given` is a person; any other text an organisation, in braces of its own. */
const toBibtexName = (name: string): string => (/^[^,]+,[^,]+$/.test(name) ? toBibtex(name) : `{${toBibtex(name)}}`);

/** Escapes the characters that LaTeX reads as commands. */
const toBibtex = (text: string): string => text.replaceAll(/[\\{}]/g, '').replaceAll(/[&%$#_]/g, (each) => `\\${each}`);
