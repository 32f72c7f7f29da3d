import { performance } from 'node:perf_hooks';
import { ServiceError } from '#base/errors.ts';
import type { Client } from '#service/client/client.ts';
import type { CommitResult, SubmittedPage } from '#store/schema/commit-messages.ts';
import type { WorkObserver } from './work-metrics.ts';

/** Returns a client that reports the requests that it sent. */
export function observeClient(client: Client, { recordRequest }: WorkObserver): Client {
  async function observe<T>(endpoint: string, request: Promise<T>, statusOf: (response: T) => number): Promise<T> {
    try {
      const response = await request;
      recordRequest(endpoint, statusOf(response));
      return response;
    } catch (error) {
      if (error instanceof ServiceError && error.sent) recordRequest(endpoint, error.status);
      throw error;
    }
  }
  return {
    ...client,
    fetch: (endpoint, ...rest) => observe(endpoint, client.fetch(endpoint, ...rest), ({ status }) => status),
    tokenInfo: (signal) => observe('token-info', client.tokenInfo(signal), () => 200),
  };
}

interface CommittingStore {
  readonly write: { readonly commitPage: (page: SubmittedPage) => Promise<CommitResult> };
}

/** Returns a store that reports its committed pages. */
export function observeStore<S extends CommittingStore>(store: S, { recordCommit }: WorkObserver): S {
  const commitPage = async (page: SubmittedPage): Promise<CommitResult> => {
    const start = performance.now();
    const result = await store.write.commitPage(page);
    recordCommit(page, result, (performance.now() - start) / 1000);
    return result;
  };
  return { ...store, write: { ...store.write, commitPage } };
}
