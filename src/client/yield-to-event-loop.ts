/**
 * Turns of the event loop, one for each who waits: answers often come in crowds, and to read them all at once would hold
 * up timers and sockets for as long as that takes.
 */
export function createEventLoopYield(): () => Promise<void> {
  const waiting: (() => void)[] = [];
  function resolveNext(): void {
    waiting.shift()!();
    if (waiting.length > 0) setImmediate(resolveNext);
  }
  return () =>
    new Promise((resolve) => {
      waiting.push(resolve);
      if (waiting.length === 1) setImmediate(resolveNext);
    });
}
