import type { Snapshot } from '../ledger/ledger-state.ts';
import type { Judged } from '../ledger/ledger.ts';
import { fallback, POLL_GAP } from '../policy.ts';
import { byClass, QUOTA_CLASSES } from '../priorities.ts';
import { calmMs, firstMarks, type Learnt, type Mark, stepUp } from './limit-estimation.ts';

/** How all go on while token-info is out, by what the ledger has of it and of refusals. All pure. */

/** What was learnt, as fields of the ledger. */
export const asFields = ({ limit, windowMs }: Learnt) => ({ learntLimit: limit, learntMs: Math.round(windowMs) });

/** What token-info said while it could be asked: the window was seen some time after it had begun. */
export function toldOf({ toldLimit, windowMs }: Snapshot['fields']): Learnt | undefined {
  return toldLimit && windowMs ? { limit: toldLimit, windowMs: Math.round(windowMs * 1.02) + POLL_GAP } : undefined;
}

/** What was sent before token-info was out, as far as the last sample tells. */
export function marksBefore({ fields, marks }: Snapshot): readonly Mark[] {
  const { limit, remaining, sampledAt, ceiling } = fields;
  if (marks.length > 0) return marks;
  if (limit === undefined || remaining === undefined || sampledAt === undefined || ceiling === undefined) return [];
  return firstMarks({ limit, remaining, at: sampledAt }, ceiling - remaining);
}

/** After a calm time in which somebody had to wait for what was learnt, it is tried with a little more. */
export function tryMore(learnt: Learnt, { fields, classes }: Snapshot, now: number) {
  const { learntAt, care = 0, toldLimit } = fields;
  const isBinding = QUOTA_CLASSES.some((one) => classes[one].pausedSince !== undefined);
  if (learntAt === undefined) return { learnt, fields: { ...asFields(learnt), learntAt: now, care: 0 } };
  if (!isBinding || now - learntAt < calmMs(learnt.windowMs, care)) return { learnt, fields: {} };
  const more = stepUp(learnt, toldLimit);
  return { learnt: more, fields: { ...asFields(more), learntAt: now } };
}

/** How all go on when nothing is known. What the last sample left to the upper classes, the others leave to them still. */
export function withoutAny(now: number, { fields, classes, usable }: Snapshot): Judged {
  const { nextPollAt, blindUntil, lookAt } = fallback({
    ...{ now, resetAt: fields.resetAt, usable: usable.interactive },
    pausedSince: classes.interactive.pausedSince,
  });
  return {
    all: { nextPollAt, blindUntil },
    classes: byClass((one) => {
      if (usable[one]) return {};
      if (!usable.interactive) return { lookAt, endsAt: lookAt };
      return { lookAt: nextPollAt, endsAt: nextPollAt, pausedSince: classes[one].pausedSince ?? now };
    }),
  };
}
