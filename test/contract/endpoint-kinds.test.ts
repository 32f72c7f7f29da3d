import { expect, test } from 'vitest';
import { endpointTable } from '#service/contract/endpoints.ts';
import { ACCOUNT_KINDS } from '#service/kinds/crawl-spec.ts';
import { KIND_NAMES, kindTable } from '#service/kinds/kinds.ts';
import type { AccountKind } from '../../src/library/types.ts';
import { ENDPOINTS } from '../twin/conformance/spec.ts';

test('the endpoints are those of the specification (test/twin/conformance/spec.ts)', () => {
  const specified = ENDPOINTS.map(([, path]) => path!.replaceAll('`', ''));
  expect(
    Object.values(endpointTable)
      .map(({ path }) => path)
      .toSorted(),
  ).toEqual(specified.toSorted());
});

test('each endpoint that counts against the quota has one kind (service/kinds/kinds.ts)', () => {
  const metered = Object.values(endpointTable).flatMap(({ name, metered }) => (metered ? name : []));
  expect(KIND_NAMES.map((kind) => kindTable[kind].endpoint).toSorted()).toEqual(metered.toSorted());
});

test('the library has each kind that a snowball can crawl (AccountKind in library/types.ts)', () => {
  const kinds: Readonly<Record<AccountKind, true>> = {
    profile: true,
    timeline: true,
    replies: true,
    followers: true,
    following: true,
  };
  expect(Object.keys(kinds).toSorted()).toEqual(ACCOUNT_KINDS.toSorted());
});
