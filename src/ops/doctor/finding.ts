import { describeError } from '../../base/errors.ts';

/** The result of a check: in order, to be known, or to be mended. */
export interface CheckResult {
  readonly status: 'ok' | 'note' | 'wrong';
  readonly message: string;
  readonly figures?: object;
}

/** Formats a command of trawl for a message, with the options that it needs. */
export type FormatHint = (name: string, args?: string) => string;

export const ok = (message: string): CheckResult => ({ status: 'ok', message });
export const note = (message: string): CheckResult => ({ status: 'note', message });
export const wrong = (message: string): CheckResult => ({ status: 'wrong', message });

/** The result of a check that threw an error. */
export const failCheck = (error: unknown, hint: FormatHint): CheckResult => wrong(describeError(error, hint));
