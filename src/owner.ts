/**
 * Owns what is built one after the other and disposes of it in reverse, also when building fails half-way. (The
 * language's AsyncDisposableStack, which Node 20 does not have.)
 */
export interface Owner extends AsyncDisposable {
  use<T extends AsyncDisposable>(resource: T): T;
  /** Hands everything over to the result: this owner disposes of nothing any more. */
  handOver(): AsyncDisposable;
}

export function createOwner(): Owner {
  let resources: AsyncDisposable[] = [];
  const dispose = async (owned: AsyncDisposable[]): Promise<void> => {
    for (const resource of owned.toReversed()) await resource[Symbol.asyncDispose]();
  };
  return {
    use(resource) {
      resources.push(resource);
      return resource;
    },
    handOver() {
      const owned = resources;
      resources = [];
      return { [Symbol.asyncDispose]: () => dispose(owned) };
    },
    [Symbol.asyncDispose]: () => dispose(resources.splice(0)),
  };
}
