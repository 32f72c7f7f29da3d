const NOBODY = 65_534;

/** Runs `fn` as a user who may do only what all may: file modes do not hold for root. */
export async function asNobody(fn: () => void | Promise<void>): Promise<void> {
  const isRoot = process.getuid?.() === 0;
  if (isRoot) process.seteuid!(NOBODY);
  try {
    await fn();
  } finally {
    if (isRoot) process.seteuid!(0);
  }
}
