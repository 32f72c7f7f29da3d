/** The first bytes of a body; the rest is not waited for. */
export async function readStart(body: AsyncIterable<Buffer>, most: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of body) {
      chunks.push(chunk);
      size += chunk.length;
      if (size >= most) break;
    }
  } catch {
    // What came is enough.
  }
  return Buffer.concat(chunks).subarray(0, most);
}
