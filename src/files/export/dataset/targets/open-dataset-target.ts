import { UsageError } from '#base/errors.ts';
import { readScheme } from '#base/target-address.ts';
import type { DatasetRequest } from '#files/export/dataset/dataset-request.ts';
import type { DatasetTarget } from './dataset-target.ts';
import { createFileTarget } from './file-target.ts';
import { createOutputFolder } from './output-folder.ts';

async function openPostgres(request: DatasetRequest): Promise<DatasetTarget> {
  const { openPostgresTarget } = await import('./postgres-target.ts');
  return await openPostgresTarget(request);
}

/** The targets by the scheme of their address. Their clients are loaded at their first use. */
const TARGETS: Readonly<Record<string, (request: DatasetRequest) => Promise<DatasetTarget>>> = {
  async s3(request) {
    const { createBucketFolder } = await import('./bucket-folder.ts');
    return createFileTarget(request.path, await createBucketFolder(request.path, request));
  },
  postgres: openPostgres,
  postgresql: openPostgres,
};

/** Opens the target of a dataset. @throws UsageError if the place is taken, or for an unknown scheme */
export async function openDatasetTarget(request: DatasetRequest): Promise<DatasetTarget> {
  const scheme = readScheme(request.path);
  if (scheme === undefined) return createFileTarget(request.path, createOutputFolder(request.path, request));
  const open = TARGETS[scheme];
  if (open) return await open(request);
  throw new UsageError(`datasets are not written to ${scheme}://`, {
    hint: 'Name a folder, s3://bucket/prefix or postgres://host/database.',
  });
}
