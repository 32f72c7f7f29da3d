import { runWriterThread } from '../writer/run-writer-thread.ts';
import { createStagedPages } from './staged-pages.ts';
import { buffersOf, type PageToStage, type StagingLease } from './staging-messages.ts';

/** The writer thread of a store: it parses pages, keeps their rows until their commit, and stores them. */

const { resolvePage, removePage, stagePage, discardPages } = createStagedPages();

runWriterThread({
  resolvePage,
  removePage,
  directCalls: {
    stagePage(page: PageToStage) {
      const reply = stagePage(page);
      return reply.is === 'staged' ? { value: reply } : { value: reply, transfer: buffersOf(reply) };
    },
    discardPages: (lease: StagingLease) => ({ value: discardPages(lease) }),
  },
});
