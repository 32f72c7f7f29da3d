import { createHash } from 'node:crypto';

/** One of several parts of a list of targets, from 1: a host's share. */
export interface TargetPart {
  readonly part: number;
  readonly of: number;
}

const MAX_PARTS = 1000;

/** Parses a part such as `2/3`; undefined for anything else. */
export function parsePart(text: string): TargetPart | undefined {
  const [part, of] = (/^([1-9]\d{0,3})\/([1-9]\d{0,3})$/.exec(text) ?? []).slice(1).map(Number);
  return part === undefined || of === undefined || part > of || of > MAX_PARTS ? undefined : { part, of };
}

/**
 * Whether a target is in a part: by a hash of its canonical form and nothing else, so that all hosts agree, whatever their
 * stores know. All spellings of a handle are in one part; the id of the account may be in another. Every target is in
 * exactly one part.
 */
export function isInPart(target: string, { part, of }: TargetPart): boolean {
  return createHash('sha256').update(target).digest().readUIntBE(0, 6) % of === part - 1;
}
