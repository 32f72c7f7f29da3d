import { createHash } from 'node:crypto';
import { open } from 'node:fs/promises';

/** Returns the SHA-256 of a file that is on the disk afterwards. @throws the reason of the signal */
export async function hashFile(path: string, signal: AbortSignal): Promise<string> {
  const hash = createHash('sha256');
  const file = await open(path, 'r+');
  try {
    await file.sync();
    for await (const chunk of file.createReadStream({ autoClose: false, signal })) hash.update(chunk as Buffer);
  } finally {
    await file.close();
  }
  return hash.digest('hex');
}
