import { UsageError } from '#base/errors.ts';
import { type Lake, createLake } from './lake.ts';
import { formatS3Address, parseS3Address, type LakeVariables } from './s3-settings.ts';

/** Addresses of both kinds of lakes, for messages. */
export const LAKE_EXAMPLES = './lake, s3://bucket/prefix';

const readScheme = (address: string): string | undefined =>
  /^([a-z][a-z\d+.-]*):\/\//i.exec(address)?.[1]?.toLowerCase();

/** Whether an address is a path of this machine. */
export const isFolderAddress = (address: string): boolean => readScheme(address) === undefined;

/**
 * Returns an address with a scheme as it is stored: complete, in one form, and without secrets.
 * @throws UsageError for an unknown scheme, or a wrong address
 */
export function formatLakeAddress(text: string): string {
  const scheme = readScheme(text);
  if (scheme === 's3') return formatS3Address(text);
  // The rest of an address may have a password.
  throw new UsageError(`there are no targets with ${scheme}://`, { hint: `Targets: ${LAKE_EXAMPLES}.` });
}

/** Opens a lake. Its code is loaded with its client. @param address as it is stored @throws UsageError */
export async function openLake(address: string, variables: LakeVariables): Promise<Lake> {
  if (isFolderAddress(address)) return createLake((await import('./lake-folder.ts')).openLakeFolder(address));
  const { openBucket } = await import('./bucket.ts');
  return createLake(openBucket(parseS3Address(formatLakeAddress(address)), variables));
}
