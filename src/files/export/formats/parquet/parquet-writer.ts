import { ByteWriter, ParquetWriter } from 'hyparquet-writer';
import type { Sink } from '../output-format.ts';
import type { Encoding } from './encodings.ts';
import { loadZstd } from './zstd.ts';

interface ParquetColumn {
  readonly name: string;
  readonly encoding: Encoding;
}

/** Creates a writer of nullable columns, compressed by zstd. Its buffer is emptied into the sink after each row group. */
export async function createParquetWriter(
  sink: Sink,
  columns: readonly ParquetColumn[],
  metadata: Readonly<Record<string, string>>,
): Promise<ParquetWriter> {
  const buffer = new ByteWriter();
  const flush = async (): Promise<void> => {
    await sink.write(buffer.getBytes());
    buffer.index = 0;
  };
  const elements = columns.map(({ name, encoding: { element } }) => ({
    name,
    repetition_type: 'OPTIONAL' as const,
    ...element,
  }));
  return new ParquetWriter({
    writer: Object.assign(buffer, { flush, finish: flush }),
    schema: [{ name: 'schema', num_children: elements.length }, ...elements],
    codec: 'ZSTD',
    compressors: { ZSTD: await loadZstd() },
    kvMetadata: Object.entries(metadata).map(([key, value]) => ({ key, value })),
  });
}
