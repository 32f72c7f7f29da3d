import { UsageError } from '../../base/errors.ts';

/** A search has more terms than one may have. */
export class SearchError extends UsageError {
  override readonly name = 'SearchError';
}
