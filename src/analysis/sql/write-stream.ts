import { Readable, type Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { TrawlError } from '../../errors.ts';

const PIECE = 64 * 1024;

/**
 * Writes text as fast as the reader takes it, so that an answer of any size needs little memory. A reader that has
 * seen enough (`| head`) ends it without an error.
 */
export async function writeStream(pieces: Iterable<string>, out: Writable): Promise<void> {
  // What the stream says later still, when nobody waits for it, is about a reader that has gone.
  out.on('error', () => {});
  try {
    await pipeline(Readable.from(gather(pieces)), out, { end: false });
    await flush(out);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (error instanceof TrawlError || code === undefined) throw error;
    if (code !== 'EPIPE') throw new TrawlError(`cannot write the answer: ${message}`, { cause: error });
  }
}

/** Resolves when everything was written, which may fail after the last write was accepted. */
const flush = (out: Writable): Promise<void> =>
  new Promise((resolve, reject) => {
    out.write('', (error) => (error ? reject(error) : resolve()));
  });

/** Larger pieces: a write per row would cost more than the row. */
function* gather(pieces: Iterable<string>): Generator<string> {
  let gathered = '';
  for (const piece of pieces) {
    gathered += piece;
    if (gathered.length < PIECE) continue;
    yield gathered;
    gathered = '';
  }
  if (gathered) yield gathered;
}
