import type { StoredCrawl } from '../../store/schema/query-results.ts';
import type { EngineDependencies } from '../slice/engine-dependencies.ts';
import { isDiskError } from '../slice/failures/error-classes.ts';
import type { Gate } from './gates.ts';
import type { BreakerSession } from './outage/breaker.ts';
import { toQuotaHold } from './request-gates.ts';

/** The gates of a slice: disk, quota and outage. They reserve nothing; the gates of its requests do. */
export const createSliceGates = (
  { disk, governor }: EngineDependencies,
  { priority }: StoredCrawl,
  session: BreakerSession,
  signal: AbortSignal,
): readonly Gate[] => [
  async () => disk.admitCrawl() ?? (async (error) => (isDiskError(error) ? disk.reportFailure(error) : undefined)),
  async () => {
    const pause = await governor.checkPause(priority, signal);
    return pause ? toQuotaHold(pause) : async () => undefined;
  },
  async (endpoint) => (await session.checkEndpoint(endpoint)) ?? session.close,
];
