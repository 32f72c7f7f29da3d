import type { QuotaSample } from '../../src/quota/policy.ts';

/** A service's own account of a key's quota, without the service. */
export interface ModelService {
  readonly limit: number;
  remaining: number;
  /** Requests that we sent, and how many of them found nothing left: the 429s. */
  sent: number;
  overdrawn: number;
  polls: number;
  send(): void;
  /** What strangers spend: at most so many between two answers of token-info. */
  strangersSpend(requests: number): void;
  answer(at: number): QuotaSample;
}

export function createModelService(options: { limit: number; strangersAtMost?: number }): ModelService {
  const { limit, strangersAtMost = 0 } = options;
  let strangers = 0;
  return {
    limit,
    remaining: limit,
    sent: 0,
    overdrawn: 0,
    polls: 0,
    send() {
      this.sent += 1;
      if (this.remaining === 0) this.overdrawn += 1;
      else this.remaining -= 1;
    },
    strangersSpend(requests) {
      const spent = Math.min(requests, strangersAtMost - strangers, this.remaining);
      strangers += spent;
      this.remaining -= spent;
    },
    answer(at) {
      this.polls += 1;
      strangers = 0;
      return { limit, remaining: this.remaining, resetAt: undefined, at };
    },
  };
}
