/**
 * The chunks in one buffer with memory of its own, so that all of it can be given to another thread: neither a part of
 * the pool that small buffers share, nor of a larger buffer that was filled in part.
 */
export function concatBuffers(chunks: readonly Buffer[]): Buffer {
  const size = chunks.reduce((sum, { length }) => sum + length, 0);
  const whole = Buffer.allocUnsafeSlow(size);
  let at = 0;
  for (const chunk of chunks) at += chunk.copy(whole, at);
  return whole;
}
