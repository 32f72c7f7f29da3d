import {
  BadRequestError,
  ContractError,
  ForbiddenError,
  InvariantError,
  NotFoundError,
  TransientError,
  StoreError,
} from '#base/errors.ts';

/** Why a crawl fails, by the class of the error. */
const FAILURES = [
  [NotFoundError, 'not_found'],
  [BadRequestError, 'bad_request'],
  [ForbiddenError, 'forbidden'],
  [ContractError, 'contract_broken'],
  [TransientError, 'unreachable'],
] as const;

/** A bug of trawl: a retry fails again and costs requests. Other unexpected errors may pass. */
export const isBug = (error: unknown): error is Error =>
  [TypeError, RangeError, ReferenceError, SyntaxError, InvariantError].some((type) => error instanceof type);

/** Whether the disk is full or fails: what was to be written may be, later. */
export const isDiskError = (error: unknown): error is StoreError =>
  error instanceof StoreError && error.failure === 'disk';

/** Whether the fault is the disk's, the file's or a lock's, and not that of the data. */
export const isStoreAtFault = (error: unknown): boolean => error instanceof StoreError && error.failure !== 'data';

export const toFailureReason = (error: Error): string =>
  FAILURES.find(([type]) => error instanceof type)?.[1] ?? (isBug(error) ? 'bug' : 'impossible');
