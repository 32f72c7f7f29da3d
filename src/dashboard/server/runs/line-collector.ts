import { Writable } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';

/** Collects the lines of a result. */
export interface LineCollector {
  readonly out: Writable;
  /** Returns the lines so far, without line breaks, and whether there were more. */
  read(): { readonly lines: readonly string[]; readonly isCut: boolean };
}

/** @param onFull called once, when there are more lines or bytes than the limits; what follows is dropped */
export function createLineCollector(
  limits: { readonly lines: number; readonly bytes: number },
  onFull: () => void,
): LineCollector {
  const lines: string[] = [];
  const decoder = new StringDecoder('utf8');
  let rest = '';
  let bytes = 0;
  let isFull = false;
  const out = new Writable({
    write(chunk: Buffer, _, done) {
      if (!isFull) {
        const parts = (rest + decoder.write(chunk)).split('\n');
        rest = parts.pop()!;
        lines.push(...parts);
        bytes += chunk.length;
        isFull = lines.length > limits.lines || bytes > limits.bytes;
        if (isFull) onFull();
      }
      done();
    },
  });
  return { out, read: () => ({ lines: lines.slice(0, limits.lines), isCut: isFull }) };
}
