/** Returns the chunks in one buffer that owns its memory and so can be transferred to another thread. */
export function concatBuffers(chunks: readonly Buffer[]): Buffer {
  const size = chunks.reduce((sum, { length }) => sum + length, 0);
  const whole = Buffer.allocUnsafeSlow(size);
  let at = 0;
  for (const chunk of chunks) at += chunk.copy(whole, at);
  return whole;
}
