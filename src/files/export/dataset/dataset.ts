import type { EvidenceAge } from '#analysis/recheck/evidence-age.ts';
import { readCollectionSummary } from '#files/export/collection.ts';
import { pseudonymiseOrigin, withoutCommand, describePseudonyms } from '#files/export/pseudonyms/pseudonyms.ts';
import type { Selection } from '#files/export/row-selection.ts';
import { readProvenance } from '#files/export/sidecar.ts';
import type { Snapshot } from '#files/export/snapshot.ts';
import { countHiddenRows, type HiddenRows, readDeletionEvidence } from '#files/export/table-query.ts';
import { exportTables } from '#files/export/tables/export-tables.ts';
import { countLists } from './count-lists.ts';
import type { DatasetRequest } from './dataset-request.ts';
import { findDatasetTable, readDatasetTable } from './dataset-tables.ts';
import { describeDataset } from './documents/readme.ts';
import { chooseStatements } from './metadata.ts';
import { openDatasetTarget } from './targets/open-dataset-target.ts';
import type { DatasetFile } from './written-file.ts';

/** A written dataset. */
export interface Dataset {
  /** Where it is, without a password. */
  readonly address: string;
  readonly files: readonly DatasetFile[];
  /** The tweets and accounts that are left out, unless the selection includes them. */
  readonly hidden: HiddenRows;
  /** How old the evidence of deletions is. */
  readonly deletions: EvidenceAge;
}

/**
 * Writes a dataset, which readers see when it is complete.
 * @throws UsageError if the place is taken, TrawlError if it cannot be written, or the reason of the signal
 */
export async function writeDataset(request: DatasetRequest): Promise<Dataset> {
  const { snapshot, selection, command, pseudonyms, signal } = request;
  await using target = await openDatasetTarget(request);
  const isIdsOnly = request.format === 'ids';
  const hidden = countHidden(snapshot, selection);
  const deletions = readDeletionEvidence(snapshot, selection);
  const crawls = readDatasetTable(snapshot, findDatasetTable('crawls'), selection);
  const collection = readCollectionSummary(snapshot.db, { ...crawls, sql: `select id from (${crawls.sql})` });
  const statements = chooseStatements(request.metadata.statements, pseudonyms ? [] : collection.jobs);
  const metadata = { ...request.metadata, statements };
  const provenance = readProvenance(snapshot, command);
  const files = await target.writeTables(request, provenance);
  const readme = {
    metadata,
    provenance,
    collection,
    selection,
    hidden,
    deletions,
    files,
    isIdsOnly,
    pseudonyms: pseudonyms && describePseudonyms(pseudonyms),
    lists: countLists(snapshot, readDatasetTable(snapshot, findDatasetTable('completeness'), selection)),
  };
  const { version, store, snapshotAt } = provenance;
  const dataPackage = {
    metadata,
    snapshotAt,
    hidden,
    files,
    description: describeDataset(readme),
    origin: isIdsOnly
      ? { version, store: { id: store.id } }
      : pseudonyms
        ? pseudonymiseOrigin(provenance, pseudonyms)
        : provenance,
    deletions: isIdsOnly || pseudonyms ? withoutCommand(deletions) : deletions,
  };
  await target.writeDocuments({ readme, dataPackage });
  signal?.throwIfAborted();
  await target.commit();
  return { address: target.address, files, hidden, deletions };
}

/** The numbers of tweets and of accounts that are left out. */
const countHidden = (snapshot: Snapshot, selection: Selection): HiddenRows => ({
  deletedTweets: countHiddenRows(snapshot, exportTables.tweets, selection).deletedTweets,
  unavailableAccounts: countHiddenRows(snapshot, exportTables.users, {
    ...selection,
    since: undefined,
    until: undefined,
  }).unavailableAccounts,
});
