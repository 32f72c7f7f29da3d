/**
 * A signal that follows the caller's, and a timer. The timer is the real one even where tests own the clock: it guards
 * a real socket. (AbortSignal.any would leave something behind on a signal that outlives many requests.)
 */
export function deadline(ms: number, signal: AbortSignal | undefined): Disposable & { readonly signal: AbortSignal } {
  const controller = new AbortController();
  const stop = (): void => controller.abort();
  const timer = setTimeout(stop, ms);
  signal?.addEventListener('abort', stop, { once: true });
  return {
    signal: controller.signal,
    [Symbol.dispose]: () => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', stop);
    },
  };
}
