export type ResourceStack = ReturnType<typeof createResourceStack>;

/**
 * Disposes of resources in reverse order, also when building fails half-way. All are disposed of; the first failure is
 * thrown at the end. (A part of AsyncDisposableStack, which Node 20 does not have.)
 */
export function createResourceStack() {
  let resources: AsyncDisposable[] = [];
  const dispose = async (owned: AsyncDisposable[]): Promise<void> => {
    const failures: unknown[] = [];
    for (const resource of owned.toReversed()) {
      // A resource that stays open would keep the process alive.
      await resource[Symbol.asyncDispose]().then(undefined, (error: unknown) => failures.push(error));
    }
    if (failures.length > 0) throw failures[0];
  };
  return {
    use<T extends AsyncDisposable>(resource: T): T {
      resources.push(resource);
      return resource;
    },
    /** Moves all resources to the result; this stack is then empty. */
    move(): AsyncDisposable {
      const owned = resources;
      resources = [];
      return { [Symbol.asyncDispose]: () => dispose(owned) };
    },
    [Symbol.asyncDispose]: (): Promise<void> => dispose(resources.splice(0)),
  };
}
