import { performance } from 'node:perf_hooks';
import { Histogram, type Registry } from 'prom-client';

const INTERVAL_MS = 100;

/** Registers a histogram of the lag of this process's event loop, measured ten times a second until disposal. */
export function measureEventLoopLag(registry: Registry): Disposable {
  const lag = new Histogram({
    name: 'trawl_event_loop_lag_seconds',
    help: 'Delay of timers of the event loop.',
    buckets: [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5],
    registers: [registry],
  });
  let last = performance.now();
  const timer = setInterval(() => {
    const now = performance.now();
    lag.observe(Math.max(0, now - last - INTERVAL_MS) / 1000);
    last = now;
  }, INTERVAL_MS);
  timer.unref();
  return { [Symbol.dispose]: () => clearInterval(timer) };
}
