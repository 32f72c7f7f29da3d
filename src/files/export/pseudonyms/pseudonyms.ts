import type { EvidenceAge } from '#analysis/recheck/evidence-age.ts';
import type { FileFacts, ListCompleteness, Provenance } from '#files/export/sidecar.ts';
import type { ColumnContent } from './column-contents.ts';
import { createPseudonymiser, isIdentity, redactText } from './pseudonymiser.ts';

/** How an export is pseudonymised. */
export interface PseudonymSettings {
  readonly key: Uint8Array;
  /** Whether texts are exported, redacted. */
  readonly keepsText: boolean;
}

/** Replaces the values of columns. */
export interface Pseudonyms {
  readonly fingerprint: string;
  readonly keepsText: boolean;
  /** Whether columns with this content are left out. */
  omits(content: ColumnContent): boolean;
  /**
   * Returns what is exported of a value of a column that is not left out; null remains null.
   * @param kind of the crawl or list, for a `target`
   */
  replace(content: ColumnContent, value: string, kind: string): string;
}

/** The kinds of crawls whose targets are no accounts. */
const OTHER_TARGETS = ['tweet', 'community', 'list', 'search'] as const;

export function createPseudonyms({ key, keepsText }: PseudonymSettings): Pseudonyms {
  const pseudonymiser = createPseudonymiser(key);
  const { fingerprint } = pseudonymiser;
  return {
    fingerprint,
    keepsText,
    omits: (content) => content === 'private' || content === 'mixed' || (content === 'text' && !keepsText),
    replace(content, value, kind) {
      if (content === 'hashtag' && keepsText && redactText(value, pseudonymiser) === value) return value;
      if (isIdentity(content)) return pseudonymiser.of(content, value);
      if (content === 'targetId' || content === 'targetHandle') return replaceTarget(content, value, kind);
      return content === 'text' ? redactText(value, pseudonymiser) : value;
    },
  };

  /** An account that is named by its id is `id:1` where others are handles, and a handle may begin with an @. */
  function replaceTarget(content: 'targetId' | 'targetHandle', target: string, kind: string): string {
    const [identity] = OTHER_TARGETS.filter((each) => each === kind);
    if (identity !== undefined) return pseudonymiser.of(identity, target);
    if (content === 'targetId' || target.startsWith('id:'))
      return pseudonymiser.of('account', target.replace(/^id:/, ''));
    return pseudonymiser.of('handle', target.replace(/^@/, ''));
  }
}

/** What a sidecar says about pseudonyms. */
export interface PseudonymFacts {
  readonly method: string;
  /** Names the key. Exports with equal fingerprints can be joined. */
  readonly keyFingerprint: string;
  readonly texts: string;
  readonly risks: readonly string[];
}

const METHOD =
  'Ids of accounts, tweets, communities, lists and crawls, handles, searches, links, and names of jobs and panels are the ' +
  'first 96 bits of HMAC-SHA256, in the letters bcdfghjklmnpqrst after a letter for what they name and _. The key is not part of the export.';

/** What pseudonyms do not prevent. */
const RISKS: readonly string[] = [
  'Counts (followers, tweets, likes) and times to the millisecond identify accounts and tweets to anybody who can see the service or has other data about them.',
  'The structure of a network identifies its accounts: who knows some of the edges finds the others.',
  'Rare values, and rare combinations of values, identify: a creation time, the hours of activity, the hashtags of a tweet.',
  'Whoever has the key can compute the pseudonym of any known id or handle, and so find it in the export.',
  'Exports of the same rows with different keys can be matched by counts and times.',
];

const TEXT_RISKS: readonly string[] = [
  'Texts identify: a search for the words of a tweet finds the tweet. Names of people, places and rare words in them are not replaced, nor are handles without an @.',
];

export const describePseudonyms = ({ fingerprint, keepsText }: Pseudonyms): PseudonymFacts => ({
  method: METHOD,
  keyFingerprint: fingerprint,
  texts: keepsText
    ? 'Texts, biographies, locations and hashtags are kept: addresses and long numbers are removed, mentions are pseudonyms. Display names are left out.'
    : 'Texts, biographies, locations, names and addresses are left out; hashtags are pseudonyms.',
  risks: keepsText ? [...TEXT_RISKS, ...RISKS] : RISKS,
});

/**
 * Where pseudonymised rows come from. The command line, the statement, its parameters and the names of files may name
 * accounts: they are left out.
 */
export interface PseudonymisedOrigin extends Pick<Provenance, 'version' | 'snapshotAt'> {
  readonly store: Pick<Provenance['store'], 'id'>;
  readonly pseudonyms: PseudonymFacts;
}

/** The document of `<file>.meta.json` of a pseudonymised file. Lists have pseudonyms. */
export interface PseudonymisedSidecar
  extends PseudonymisedOrigin, Omit<FileFacts, keyof Provenance | 'name' | 'chart'> {}

/** Returns the part of an origin that names nobody: what is not listed here is left out. */
export const pseudonymiseOrigin = (
  { version, snapshotAt, store: { id } }: Provenance,
  pseudonyms: Pseudonyms,
): PseudonymisedOrigin => ({ version, store: { id }, snapshotAt, pseudonyms: describePseudonyms(pseudonyms) });

/** The command names accounts. */
export const withoutCommand = (evidence: EvidenceAge): EvidenceAge => ({ ...evidence, command: null });

export function pseudonymiseSidecar(sidecar: FileFacts, pseudonyms: Pseudonyms): PseudonymisedSidecar {
  const { mediaType, rows, bytes, sha256, columns, excluded, deletions, completeness } = sidecar;
  return {
    ...pseudonymiseOrigin(sidecar, pseudonyms),
    mediaType,
    rows,
    bytes,
    sha256,
    columns,
    excluded,
    deletions: deletions && withoutCommand(deletions),
    completeness: {
      lists: completeness.lists,
      details: completeness.details.map((list) => pseudonymiseList(list, pseudonyms)),
    },
  };
}

const pseudonymiseList = (list: ListCompleteness, { replace }: Pseudonyms): ListCompleteness => ({
  ...list,
  target: replace('targetId', list.target, list.kind),
  handle: list.handle === null ? null : replace('handle', list.handle, list.kind),
  ...(list.command !== undefined && { command: null }),
});
