/**
 * Owns what is built one after the other and disposes of it in reverse, also when building fails half-way, and of all of
 * it: the first failure is thrown at the end. (The language's AsyncDisposableStack, which Node 20 does not have.)
 */
export interface ResourceStack extends AsyncDisposable {
  use<T extends AsyncDisposable>(resource: T): T;
  /** Hands everything over to the result: this owner disposes of nothing any more. */
  move(): AsyncDisposable;
}

export function createResourceStack(): ResourceStack {
  let resources: AsyncDisposable[] = [];
  const dispose = async (owned: AsyncDisposable[]): Promise<void> => {
    const failures: unknown[] = [];
    for (const resource of owned.toReversed()) {
      // What stayed open for another's failure would keep the process from ending.
      await resource[Symbol.asyncDispose]().then(undefined, (error: unknown) => failures.push(error));
    }
    if (failures.length > 0) throw failures[0];
  };
  return {
    use(resource) {
      resources.push(resource);
      return resource;
    },
    move() {
      const owned = resources;
      resources = [];
      return { [Symbol.asyncDispose]: () => dispose(owned) };
    },
    [Symbol.asyncDispose]: () => dispose(resources.splice(0)),
  };
}
