import { createForgottenNames, type ForgottenNames } from '../../store/erasure/incoming/forgotten-names.ts';
import { hashAccount, hashHandle, type MentionsPolicy, type Tombstones } from '../../store/erasure/tombstones.ts';
import { COMMON_COLUMNS, FACT_TABLES } from '../../store/outbox/fact-tables.ts';
import type { LakeContent } from '../files/lake-content.ts';

const COLUMNS = Object.keys({ ...COMMON_COLUMNS, ...FACT_TABLES.erasures.columns });
const [KEY, HASH, MENTIONS] = ['key', 'hash', 'mentions'].map((column) => COLUMNS.indexOf(column)) as [
  number,
  number,
  number,
];

/** Whom the stores of a lake have forgotten. Each store has a key of its own. */
export interface Forgotten {
  readonly names: ForgottenNames;
  /** The number of hashes. */
  readonly hashes: number;
}

/** Reads the erasures of all stores of a lake. If several name an account, mentions of it are redacted if one says so. */
export async function readForgotten(content: LakeContent): Promise<Forgotten> {
  const policies = new Map<string, MentionsPolicy>();
  const keys = new Set<string>();
  for (const part of await content.listParts('erasures')) {
    for await (const facts of part.read()) {
      for (const fact of facts) {
        const hash = fact[HASH] as string;
        keys.add(fact[KEY] as string);
        if (policies.get(hash) !== 'redact') policies.set(hash, (fact[MENTIONS] ?? 'keep') as MentionsPolicy);
      }
    }
  }
  const find = (hashOf: (key: string) => string): MentionsPolicy | undefined => {
    const found = [...keys].flatMap((key) => policies.get(hashOf(key)) ?? []);
    return found.includes('redact') ? 'redact' : found[0];
  };
  const tombstones: Tombstones = {
    isEmpty: () => policies.size === 0,
    hasRedaction: () => [...policies.values()].includes('redact'),
    isForgottenAccount: (restId) => find((key) => hashAccount(key, restId)) !== undefined,
    findHandle: (handle) => find((key) => hashHandle(key, handle)),
  };
  return { names: createForgottenNames(tombstones), hashes: policies.size };
}
