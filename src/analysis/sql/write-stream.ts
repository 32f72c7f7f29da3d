import { Readable, type Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { TrawlError } from '../../errors.ts';

const CHUNK_LENGTH = 64 * 1024;

/**
 * Writes text chunks with back-pressure, so that a result of any size needs little memory. A reader that closes the pipe
 * (`| head`) is no error. @throws TrawlError for any other error of the stream.
 */
export async function writeStream(pieces: Iterable<string>, out: Writable): Promise<void> {
  // Errors after the pipeline has ended come from a reader that has gone.
  out.on('error', () => {});
  try {
    await pipeline(Readable.from(gather(pieces)), out, { end: false });
    await flush(out);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (error instanceof TrawlError || code === undefined) throw error;
    if (code !== 'EPIPE') throw new TrawlError(`cannot write the result: ${message}`, { cause: error });
  }
}

/** Resolves when everything is written. A write may fail after it was accepted. */
const flush = (out: Writable): Promise<void> =>
  new Promise((resolve, reject) => {
    out.write('', (error) => (error ? reject(error) : resolve()));
  });

/** Joins small pieces: a write per row would cost more than the row. */
function* gather(pieces: Iterable<string>): Generator<string> {
  let gathered = '';
  for (const piece of pieces) {
    gathered += piece;
    if (gathered.length < CHUNK_LENGTH) continue;
    yield gathered;
    gathered = '';
  }
  if (gathered) yield gathered;
}
