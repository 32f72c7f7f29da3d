import { StoreError, TrawlError } from '../../base/errors.ts';
import { toStoreError } from '../sqlite/database-errors.ts';
import type { CallThread } from '../writer/threaded-writer.ts';
import { buffersOf, type PageStaging, type StageReply } from './staging-messages.ts';

/** Stages pages in the writer thread of a store. */
export const createPageStaging = (callThread: CallThread): PageStaging => ({
  async stagePage(page) {
    try {
      return (await callThread('stagePage', page, buffersOf(page))) as StageReply;
    } catch (error) {
      const cause = toStoreError(error);
      const isThreadGone = cause instanceof TrawlError && !(cause instanceof StoreError);
      throw isThreadGone ? new StoreError(cause.message, { failure: 'unavailable', cause }) : cause;
    }
  },
  discardPages(lease) {
    // A closed store has no staged pages.
    void callThread('discardPages', lease).catch(() => undefined);
  },
});
