import { stringify } from 'yaml';
import { formatDay } from '#base/units.ts';
import { type DatasetMetadata, TO_BE_ANNOUNCED } from '#files/export/dataset/metadata.ts';

/**
 * `CITATION.cff`, version 1.2.0: how to cite the dataset. With its preferred citation it has the mandatory properties of
 * DataCite but the identifier, which a repository assigns: creators, title, publisher, year, type and version.
 */
export function formatCitation(metadata: DatasetMetadata, snapshotAt: string): string {
  const { title, publisher = TO_BE_ANNOUNCED } = metadata;
  const authors = metadata.authors.length === 0 ? [{ name: TO_BE_ANNOUNCED }] : metadata.authors.map(toCreator);
  const document = {
    'cff-version': '1.2.0',
    message: 'If you use this dataset, please cite it as below.',
    type: 'dataset',
    title,
    authors,
    version: snapshotAt,
    'date-released': formatDay(snapshotAt),
    'preferred-citation': {
      type: 'data',
      title,
      authors,
      publisher: { name: publisher },
      year: Number(snapshotAt.slice(0, 4)),
      version: snapshotAt,
    },
  };
  return `${COMMENT}${stringify(document, FORM)}`;
}

/** All texts are quoted: some readers of YAML would take the version for a time. */
const FORM = {
  aliasDuplicateObjects: false,
  defaultKeyType: 'PLAIN',
  defaultStringType: 'QUOTE_DOUBLE',
  lineWidth: 0,
} as const;

const COMMENT = `# Edit this file before you publish the dataset: SHA256SUMS does not list it.
# Add the identifier that the repository assigns, as doi: 10.…; ${TO_BE_ANNOUNCED} marks what is not known yet.
`;

/** A person or an organisation of CFF. */
function toCreator(author: string): Readonly<Record<string, string>> {
  const [, family, given] = /^([^,]+),([^,]+)$/.exec(author) ?? [];
  if (family === undefined || given === undefined) return { name: author.trim() };
  return { 'family-names': family.trim(), 'given-names': given.trim() };
}
