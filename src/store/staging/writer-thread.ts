import { runWriterThread } from '#store/writer/run-writer-thread.ts';
import { createStagedPages } from './staged-pages.ts';

/** The writer thread of a store: it parses pages, keeps their rows until their commit, and stores them. */

const { resolvePage, removePage, stagePage, discardPages } = createStagedPages();

runWriterThread({ resolvePage, removePage, directCalls: { stagePage, discardPages } });
