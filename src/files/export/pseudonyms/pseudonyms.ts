import type { ColumnContent } from './column-contents.ts';
import { createPseudonymiser, isIdentity } from './pseudonymiser.ts';
import { redactText } from './redact-text.ts';

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
