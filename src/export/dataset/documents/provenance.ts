import type { EvidenceAge } from '../../../analysis/recheck/evidence-age.ts';
import { pseudonymiseOrigin, withoutCommand } from '../../pseudonyms/pseudonymised-sidecar.ts';
import type { Pseudonyms } from '../../pseudonyms/pseudonyms.ts';
import type { Provenance } from '../../sidecar.ts';
import type { HiddenRows } from '../../table-query.ts';
import type { WrittenTable } from '../write-tables.ts';

interface ProvenanceFacts {
  readonly provenance: Provenance;
  readonly hidden: HiddenRows;
  readonly deletions: EvidenceAge;
  readonly pseudonyms: Pseudonyms | undefined;
}

/**
 * `provenance.json`: what the dataset was made from, and for each file the statement that returns the same rows from the
 * store, unless it has pseudonyms. Its keys are those of the sidecars of other exports.
 */
export function formatProvenance(
  tables: readonly WrittenTable[],
  { provenance, hidden, deletions, pseudonyms }: ProvenanceFacts,
): string {
  const files = tables.map(({ file, rows, bytes, sha256, sql, parameters }) => ({
    file,
    rows,
    bytes,
    sha256,
    ...(!pseudonyms && {
      sql,
      parameters,
    }),
  }));
  const origin = pseudonyms ? pseudonymiseOrigin(provenance, pseudonyms) : provenance;
  const evidence = pseudonyms ? withoutCommand(deletions) : deletions;
  return `${JSON.stringify({ ...origin, hidden, deletions: evidence, files }, null, 2)}\n`;
}
