import { readCatalogue } from '#analysis/queries/catalogue.ts';
import { openSnapshot } from '#files/export/snapshot.ts';
import { readAccountReport } from '#files/report/account/account-report.ts';
import { type WrittenReport, writeReport } from '#files/report/write-report.ts';
import { ADA } from '../export/support.ts';

/**
 * Writes the report of an account to a file, and calls `atHalf` when the page is on disk under its temporary name and the
 * sidecar is not: its data is formatted then, for the second time.
 */
export async function writeHalfwayReport(
  store: string,
  path: string,
  { atHalf, signal }: { readonly atHalf: () => void; readonly signal?: AbortSignal },
): Promise<WrittenReport> {
  using snapshot = openSnapshot(store);
  const report = readAccountReport(snapshot, ADA, { catalogue: readCatalogue(), includeDeleted: false })!;
  let formatted = 0;
  const data = {
    ...report.data,
    get last(): null {
      formatted += 1;
      if (formatted === 2) atHalf();
      return null;
    },
  };
  return await writeReport({
    snapshot,
    path,
    signal,
    report: {
      ...report,
      data,
    },
    command: 'trawl report',
    collectors: [],
    includeDeleted: false,
  });
}
