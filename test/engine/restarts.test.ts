import { expect, test } from 'vitest';
import { restartFromTop } from '#crawl/pagination/cursor-hints.ts';
import { NEW_CHECKPOINT } from '#service/kinds/checkpoint.ts';

/** Returns for each refused cursor whether the crawl ends. */
function refuse(cursors: readonly string[]): boolean[] {
  let checkpoint = NEW_CHECKPOINT;
  return cursors.map((cursor) => {
    const restart = restartFromTop(cursor, checkpoint);
    checkpoint = restart.checkpoint;
    return restart.end !== undefined;
  });
}

test.each([
  ['two restarts', ['a', 'b', 'c'], [false, false, true]],
  ['none for a cursor that was refused before', ['a', 'a'], [false, true]],
  ['as many again after somebody resumed it', ['a', 'b', 'c', 'd', 'e', 'f'], [false, false, true, false, false, true]],
])('a crawl with refused cursors has %s', (_, cursors, ends) => {
  expect(refuse(cursors)).toEqual(ends);
});
