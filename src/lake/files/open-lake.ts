import { UsageError } from '#base/errors.ts';
import { isFolderAddress, readScheme } from '#base/target-address.ts';
import { formatS3Address, parseS3Address, type S3Variables } from '#files/s3/s3-settings.ts';
import { type Lake, createLake } from './lake.ts';

/** Addresses of both kinds of lakes, for messages. */
export const LAKE_EXAMPLES = './lake, s3://bucket/prefix';

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
export async function openLake(address: string, variables: S3Variables): Promise<Lake> {
  if (isFolderAddress(address)) return createLake((await import('./lake-folder.ts')).openLakeFolder(address));
  const { openLakeBucket } = await import('./lake-bucket.ts');
  return createLake(openLakeBucket(parseS3Address(formatLakeAddress(address)), variables));
}
