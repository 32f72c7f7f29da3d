import type { CommandHint } from '../../base/errors.ts';

/** What people have to know about an answer, and what helps. */
export interface SearchNote {
  /** A line, without a full stop unless it has several sentences. */
  readonly text: string;
  /** The option that shows more. */
  readonly option?: 'limit' | 'includeDeleted' | undefined;
  /** The number of results that `includeDeleted` shows. */
  readonly count?: number | undefined;
  /** The command that collects what is missing. */
  readonly command?: CommandHint | undefined;
}
