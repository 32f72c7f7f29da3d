import type { Pseudonyms } from './pseudonyms.ts';

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
