import pLimit from 'p-limit';
import { type Clock, DAY, MINUTE } from '#base/clock.ts';
import type { RedisClient } from '#base/redis-client.ts';
import { NO_OUTAGE, type OutageState, parseOutageState } from './breaker-policy.ts';

type ChangeState = (state: OutageState) => OutageState;

/**
 * ARGV the expected text, the new text, its life in ms. Replaces one by the other.
 * -> OK, or the present text
 */
const SWAP = `
local text = redis.call('GET', KEYS[1]) or ''
if text ~= ARGV[1] then return text end
redis.call('SET', KEYS[1], ARGV[2], 'PX', ARGV[3])
return 'OK'
`;
/** A text that no state has. */
const NONE = '?';
const COMMAND = 'trawlOutage_swap';
/** An older state of this process is not used. */
const STATE_MAX_AGE = 15 * MINUTE;
/** After so many lost races, this process goes on alone. */
const MAX_TRIES = 20;

/** Replaces the text of a key. Resolves with OK, or the present text. */
function prepareSwap(redis: RedisClient, key: string): (expected: string, text: string) => Promise<string> {
  if (!(COMMAND in redis)) redis.defineCommand(COMMAND, { numberOfKeys: 1, lua: SWAP });
  const commands = redis as unknown as Record<string, (...args: readonly unknown[]) => Promise<string>>;
  return (expected, text) => commands[COMMAND]!(key, expected, text, DAY);
}

/**
 * The state of the breaker in Redis, shared by all processes; in this process alone while Redis does not respond.
 * @param redis a connection whose commands fail without Redis, rather than wait.
 */
export function createSharedOutageState(redis: RedisClient, key: string, { now }: Pick<Clock, 'now'>) {
  const swap = prepareSwap(redis, key);
  let knownAt = -Infinity;
  /** The text in Redis that `known` was parsed from; undefined if unknown. */
  let text: string | undefined;
  /** One call at a time, so that a process does not race with itself. */
  const limit = pLimit(1);

  function setKnown(state: OutageState, found: string | undefined): void {
    shared.known = state;
    knownAt = now();
    text = found;
  }

  function adopt(found: string): void {
    // An empty Redis gets the state of this process, unless that is too old.
    const own = Math.abs(now() - knownAt) > STATE_MAX_AGE ? NO_OUTAGE : shared.known;
    setKnown(found === '' ? own : parseOutageState(found), found);
  }

  async function replace(change: ChangeState): Promise<{ readonly before: OutageState; readonly after: OutageState }> {
    for (let tries = 0; tries < MAX_TRIES; tries++) {
      try {
        if (text === undefined) adopt(await swap(NONE, ''));
        const before = shared.known;
        const after = change(before);
        if (after === before) return { before, after };
        const written = JSON.stringify(after);
        const found = await swap(text!, written);
        if (found === 'OK') {
          setKnown(after, written);
          return { before, after };
        }
        adopt(found);
      } catch {
        break;
      }
    }
    const before = shared.known;
    setKnown(change(before), undefined);
    return { before, after: shared.known };
  }

  const shared = {
    /** The state as last seen or written by this process. */
    known: NO_OUTAGE,
    /** Reads the state from Redis. */
    refresh: (): Promise<void> => limit(() => swap(NONE, '').then(adopt, () => void (text = undefined))),
    /**
     * Replaces the state by the result of `change`. `change` is called again if another process was faster; nothing is
     * written if it returns the same state. Resolves with the state before and after.
     */
    update: (change: ChangeState) => limit(() => replace(change)),
  };
  return shared;
}
