import { basename } from 'node:path';
import { VERSION } from '../../base/package-root.ts';
import { toIso } from '../../base/units.ts';
import type { Provenance } from './sidecar.ts';
import type { Snapshot } from './snapshot.ts';

/** Returns what the files of a command were made from. @param command the command line, without the API key */
export const readProvenance = ({ path, storeId, takenAt }: Snapshot, command: string): Provenance => ({
  version: VERSION,
  command,
  store: { id: storeId, file: basename(path) },
  snapshotAt: toIso(takenAt),
});
