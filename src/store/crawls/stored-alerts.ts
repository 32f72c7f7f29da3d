import { and, eq } from 'drizzle-orm';
import type { AlertAttempt, AlertKey, AlertState, StoredAlert } from '#store/schema/job-messages.ts';
import { alerts } from '#store/schema/tables.ts';
import type { Db } from '#store/sqlite/database.ts';

/** All alerts that were raised. */
export function readAlerts(db: Db): StoredAlert[] {
  const rows = db.select().from(alerts).orderBy(alerts.alert, alerts.subject).all();
  return rows.map((row) => ({ ...row, alert: row.alert as StoredAlert['alert'] }));
}

/** Writes the states of alerts and of their deliveries, inside the caller's transaction. */
export function prepareAlerts(db: Db) {
  const isAlert = ({ alert, subject }: AlertKey) => and(eq(alerts.alert, alert), eq(alerts.subject, subject));
  const isChange = (change: Omit<AlertAttempt, 'attempts'>) =>
    and(isAlert(change), eq(alerts.changedAt, change.changedAt));

  function setAlert({ alert, subject, isFiring, details }: AlertState, at: number): void {
    const row = db.select().from(alerts).where(isAlert({ alert, subject })).get();
    if ((row?.isFiring ?? false) === isFiring) return;
    if (!row || row.nextAttemptAt === null || row.attempts > 0) {
      const change = { isFiring, changedAt: at, details, attempts: 0, nextAttemptAt: at };
      db.insert(alerts)
        .values({ alert, subject, ...change })
        .onConflictDoUpdate({ target: [alerts.alert, alerts.subject], set: change })
        .run();
      return;
    }
    // The previous change was never sent: receivers know the state before it, which is the new one.
    if (isFiring) db.update(alerts).set({ isFiring, nextAttemptAt: null }).where(isAlert({ alert, subject })).run();
    else db.delete(alerts).where(isAlert({ alert, subject })).run();
  }

  return {
    /** Stores the current states of alerts. A change is due for delivery at once, unless it cancels one that was never sent. */
    setAlerts(states: readonly AlertState[], at: number): void {
      for (const state of states) setAlert(state, at);
    },
    /**
     * Claims the next attempt to deliver a change; `retryAt` is that of the next one. Returns false if another process has
     * claimed it, or if the state has changed since.
     */
    claimAlert({ attempts, ...change }: AlertAttempt, retryAt: number): boolean {
      const claimed = db
        .update(alerts)
        .set({ attempts: attempts + 1, nextAttemptAt: retryAt })
        .where(and(isChange(change), eq(alerts.attempts, attempts)))
        .run();
      return claimed.changes === 1;
    },
    /** Ends the delivery of a change: it was delivered, or it is given up. */
    settleAlert(change: Omit<AlertAttempt, 'attempts'>): void {
      db.update(alerts).set({ nextAttemptAt: null }).where(isChange(change)).run();
    },
  };
}
