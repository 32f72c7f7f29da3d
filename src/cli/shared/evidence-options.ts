import { Option } from 'commander';
import type { EvidenceAge } from '#analysis/recheck/evidence-age.ts';
import { pronounOf } from '#base/text.ts';
import { printNote } from '#cli/terminal/output.ts';
import { hint } from './command-hints.ts';
import { EXIT, parseDuration } from './common-options.ts';

/** The option of commands that count deletions. */
export interface EvidenceOptions {
  /** Milliseconds; undefined unless it was given. */
  readonly olderThan?: number;
}

export const olderThanOption = (): Option =>
  new Option(
    '--older-than <age>',
    'count stored tweets that were not checked for this time (default: 30d); if it is given, such tweets cause exit code 3',
  ).argParser(parseDuration);

/** The sentence about the age of evidence, with the command that checks the tweets. */
export const formatEvidenceAge = ({ sentence, command, unchecked }: EvidenceAge): string =>
  command === null ? sentence : `${sentence}\n  ${hint(command)} checks ${pronounOf(unchecked)}`;

export const printEvidenceAge = (evidence: EvidenceAge): void => printNote(formatEvidenceAge(evidence));

/** The exit code of a command that counts deletions: 3 if an age was given, and tweets were not checked for so long. */
export const decideEvidenceCode = (
  { olderThan }: EvidenceOptions,
  ...evidence: readonly (EvidenceAge | undefined)[]
): number =>
  olderThan !== undefined && evidence.some((each) => each && each.unchecked > 0) ? EXIT.partial : EXIT.complete;

/** The part of the help of `query run`, and of each query, about missing data. */
export const MISSING_DATA_HELP = `It reports missing data to stderr:
  no results          nothing in the collected data matches
  not collected       the query needs data that has not been crawled
  collected in part   a crawl stopped early; more can be collected
  not available       the service does not show it, or no more of it
  not checked         stored tweets were not checked for 30 days, or the age
                      of --older-than

Exit codes: 1 failed, stopped at a limit, or the account is not in the database, 3 answered, but data was not
collected or only in part (with --older-than, also not checked).`;
