import { ByteWriter } from 'hyparquet-writer';
import type { Sink } from '../output-format.ts';

/** Creates a buffer that is emptied into the sink after each row group. */
export function createByteWriter(sink: Sink): ByteWriter {
  const writer = new ByteWriter();
  const flush = async (): Promise<void> => {
    await sink.write(writer.getBytes());
    writer.index = 0;
  };
  return Object.assign(writer, { flush, finish: flush });
}
