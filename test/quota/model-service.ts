import type { QuotaSample } from '#service/quota/quota-policy.ts';

/** The quota of a key as the service counts it. */
export interface ModelService {
  readonly limit: number;
  remaining: number;
  /** Requests that were sent, and those beyond the quota (429). */
  sent: number;
  overdrawn: number;
  polls: number;
  send(): void;
  /** Requests of other clients, limited between two responses of token-info. */
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
