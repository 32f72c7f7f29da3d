import { print } from '../shared/common-options.ts';

/** A JSON document with one list, `{ "<name>": [ … ] }`, printed item by item: it may be too long to be held. */
export interface JsonList {
  add(items: readonly object[]): void;
  /** Ends the document; without items, it has an empty list. */
  end(): void;
}

export function createJsonList(name: string): JsonList {
  let isEmpty = true;
  const begin = `{\n  ${JSON.stringify(name)}: [`;
  const indented = (item: object): string => JSON.stringify(item, null, 2).replaceAll('\n', '\n    ');
  return {
    add(items) {
      if (items.length === 0) return;
      process.stdout.write(`${isEmpty ? begin : ','}\n    ${items.map(indented).join(',\n    ')}`);
      isEmpty = false;
    },
    end: () => print(isEmpty ? `${begin}]\n}` : '\n  ]\n}'),
  };
}
