import type { Writable } from 'node:stream';
import { TrawlError } from '#base/errors.ts';
import type { Sink } from './formats/output-format.ts';

/**
 * Lets `write` write to a stream with back-pressure, so that a result of any size needs little memory. A reader that closes
 * the pipe (`| head`) ends the writing and is no error. @throws TrawlError for any other error of the stream
 */
export async function writeStream(out: Writable, write: (sink: Sink) => Promise<unknown>): Promise<void> {
  // Errors after the last chunk come from a reader that has gone.
  out.on('error', () => {});
  try {
    await write({ write: (chunk) => writeChunk(out, chunk) });
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (error instanceof TrawlError || code === undefined) throw error;
    if (code !== 'EPIPE') throw new TrawlError(`cannot write the result: ${message}`, { cause: error });
  }
}

/** Resolves when the chunk has left the process: a write may fail after it was accepted. */
const writeChunk = (out: Writable, chunk: string | Uint8Array): Promise<void> =>
  new Promise((resolve, reject) => {
    out.write(chunk, (error) => (error ? reject(error) : resolve()));
  });
