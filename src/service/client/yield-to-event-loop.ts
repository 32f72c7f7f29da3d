/**
 * Returns a function that waits for a turn of the event loop. Each waiting caller gets a turn of its own, so that
 * timers and sockets are served between responses that arrive together.
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
