import { signal } from '@preact/signals';

/** The time of the server in milliseconds UTC, in steps of a second while the page is visible. The clocks may differ. */
export const now = signal(Date.now());

let offsetMs = 0;

/** Sets the time of the server, which has just sent it. */
export function setServerTime(at: number): void {
  offsetMs = at - Date.now();
  tick();
}

function tick(): void {
  if (!document.hidden) now.value = Date.now() + offsetMs;
}

setInterval(tick, 1000);
document.addEventListener('visibilitychange', tick);
