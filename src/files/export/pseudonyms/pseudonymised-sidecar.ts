import type { EvidenceAge } from '../../../analysis/recheck/evidence-age.ts';
import type { FileFacts, ListCompleteness, Provenance } from '../sidecar.ts';
import { describePseudonyms, type PseudonymFacts, type Pseudonyms } from './pseudonyms.ts';

/**
 * Where pseudonymised rows come from. The command line, the statement, its parameters and the names of files may name
 * accounts: they are left out.
 */
export interface PseudonymisedOrigin extends Pick<Provenance, 'version' | 'snapshotAt'> {
  readonly store: Pick<Provenance['store'], 'id'>;
  readonly pseudonyms: PseudonymFacts;
}

/** The document of `<file>.meta.json` of a pseudonymised file. Lists have pseudonyms. */
export interface PseudonymisedSidecar
  extends PseudonymisedOrigin, Omit<FileFacts, keyof Provenance | 'name' | 'chart'> {}

/** Returns the part of an origin that names nobody: what is not listed here is left out. */
export const pseudonymiseOrigin = (
  { version, snapshotAt, store: { id } }: Provenance,
  pseudonyms: Pseudonyms,
): PseudonymisedOrigin => ({ version, store: { id }, snapshotAt, pseudonyms: describePseudonyms(pseudonyms) });

/** The command names accounts. */
export const withoutCommand = (evidence: EvidenceAge): EvidenceAge => ({ ...evidence, command: null });

export function pseudonymiseSidecar(sidecar: FileFacts, pseudonyms: Pseudonyms): PseudonymisedSidecar {
  const { mediaType, rows, bytes, sha256, columns, excluded, deletions, completeness } = sidecar;
  return {
    ...pseudonymiseOrigin(sidecar, pseudonyms),
    mediaType,
    rows,
    bytes,
    sha256,
    columns,
    excluded,
    deletions: deletions && withoutCommand(deletions),
    completeness: {
      lists: completeness.lists,
      details: completeness.details.map((list) => pseudonymiseList(list, pseudonyms)),
    },
  };
}

const pseudonymiseList = (list: ListCompleteness, { replace }: Pseudonyms): ListCompleteness => ({
  ...list,
  target: replace('targetId', list.target, list.kind),
  handle: list.handle === null ? null : replace('handle', list.handle, list.kind),
  ...(list.command !== undefined && { command: null }),
});
