import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { endpointTable } from '#service/contract/endpoints.ts';
import { type Ending, summariseEnd, isPagedKind, decideEndState } from '#service/kinds/decide-end.ts';
import { KIND_NAMES, kindTable } from '#service/kinds/kinds.ts';

/**
 * What each kind of crawl ends as, by invariants 4 and 5: complete takes a list that the specification pages and that the
 * service ended, or a single object. Endpoints without a documented cursor prove no end, and neither do empty pages.
 */
const EXPECTED: readonly (readonly [kinds: string, ending: Ending, state: 'complete' | 'capped'])[] = [
  ['profile', 'served', 'complete'],
  ['timeline followers following', 'served', 'complete'],
  ['timeline followers following', 'inferred', 'capped'],
  ['timeline', 'since', 'complete'],
  ['timeline', 'joined', 'complete'],
  ['timeline', 'joined_inferred', 'capped'],
  ['tweet', 'served', 'complete'],
  ['tweet', 'one_page', 'capped'],
  ['tweet', 'inferred', 'capped'],
  ['replies community list search', 'served', 'capped'],
  ['replies community list search', 'one_page', 'capped'],
  ['replies community list search', 'inferred', 'capped'],
  ['replies community', 'since', 'capped'],
  ['replies community', 'joined', 'capped'],
  ['replies community', 'joined_inferred', 'capped'],
  ['search', 'halved', 'capped'],
];

describe('the table of end states', () => {
  it.each(EXPECTED)('%s that ended %s: %s', (kinds, ending, state) => {
    for (const kind of kinds.split(' ')) expect(decideEndState(kind, ending), kind).toBe(state);
  });

  it.each([
    ['timeline', 'no_tweets', 'complete'],
    ['replies', 'no_tweets', 'complete'],
    ['tweet', 'deleted', 'complete'],
    ['profile', 'unavailable', 'complete'],
    ['timeline', 'unavailable', 'complete'],
    ['profile', 'seen_lately', 'complete'],
    ['followers', 'list_closed', 'capped'],
    ['following', 'list_cut_short', 'capped'],
  ])('%s with the reason %s: %s', (kind, reason, state) => {
    expect(decideEndState(kind, 'served', reason)).toBe(state);
  });

  it('has every kind, and pages those that the specification pages', () => {
    const paged = KIND_NAMES.filter((kind) => endpointTable[kindTable[kind].endpoint].cursor !== 'none');
    expect(KIND_NAMES.filter(isPagedKind)).toEqual(paged);
    expect(paged).toEqual(['timeline', 'followers', 'following']);
    for (const kind of ['profile', ...paged]) expect(decideEndState(kind, 'served')).toBe('complete');
  });

  it.each([
    ['complete', 'served', { isComplete: true, isResumable: false, exitCode: 0 }],
    ['capped', 'one_page', { isComplete: false, isResumable: false, exitCode: 0 }],
    ['partial', null, { isComplete: false, isResumable: true, exitCode: 3 }],
    ['partial', 'served', { isComplete: false, isResumable: false, exitCode: 3 }],
    ['failed', null, { isComplete: false, isResumable: true, exitCode: 1 }],
    ['cancelled', null, { isComplete: false, isResumable: true, exitCode: 3 }],
  ])('%s (%s)', (state, ending, facts) => {
    expect(summariseEnd({ state, ending })).toEqual(facts);
  });

  it('is the one in docs/completeness.md', () => {
    const page = readFileSync(join(import.meta.dirname, '../../docs/completeness.md'), 'utf8');
    const section = page.split('\n## How crawls end\n')[1]!.split('\n## ')[0]!;
    const rows = section.split('\n').filter((line) => /^\| (`|a )/.test(line));
    const cells = rows.map((line) =>
      line
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.trim()),
    );
    const told = cells.flatMap(([kinds, ending, state, isComplete, resumed, code]) =>
      [...kinds!.matchAll(/`(\w+)`/g)].map(([, kind]) => {
        const [first, second] = [.../^`(\w+)`(?:, `(\w+)`)?/.exec(ending!)!].slice(1);
        const [by, reason] = first === 'seen_lately' ? [undefined, first] : [first, second];
        return { kind: kind!, by: by as Ending, reason, state, isComplete, resumed, code };
      }),
    );
    expect(new Set(told.map(({ kind }) => kind))).toEqual(new Set(KIND_NAMES));
    for (const { kind, by, reason, state, ...facts } of told) {
      expect(decideEndState(kind, by, reason), `${kind} ${by} ${reason}`).toBe(state);
      const is = summariseEnd({ state: state!, ending: by });
      expect(facts).toEqual({
        isComplete: is.isComplete ? 'yes' : 'no',
        resumed: is.isResumable ? 'yes' : 'no',
        code: String(is.exitCode),
      });
    }
    for (const [kinds, ending, state] of EXPECTED)
      for (const kind of kinds.split(' '))
        expect(
          told.filter((row) => row.kind === kind && row.by === ending && !row.reason),
          `${kind} ${ending}`,
        ).toMatchObject([{ state }]);
  });
});
