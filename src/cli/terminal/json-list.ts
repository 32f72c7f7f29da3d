import { formatDocument } from '../../base/units.ts';
import { getContext } from '../context.ts';
import { print } from './output.ts';

/** A JSON document with one list, `{ "<name>": [ … ] }`, which is streamed to stdout. */
export interface JsonList {
  add(items: readonly object[]): void;
  /** Ends the document. */
  end(): void;
}

export function createJsonList(name: string): JsonList {
  let isEmpty = true;
  const begin = `{\n  ${JSON.stringify(name)}: [`;
  const indented = (item: object): string => formatDocument(item, 2).replaceAll('\n', '\n    ');
  return {
    add(items) {
      if (items.length === 0) return;
      getContext().streams.stdout.write(`${isEmpty ? begin : ','}\n    ${items.map(indented).join(',\n    ')}`);
      isEmpty = false;
    },
    end: () => print(isEmpty ? `${begin}]\n}` : '\n  ]\n}'),
  };
}
