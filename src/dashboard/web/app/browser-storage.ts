/** Values as JSON in the storage of the browser. */

type StorageName = 'localStorage' | 'sessionStorage';

/** Returns a stored value; `initial` if there is none, if it is damaged, or if the browser blocks its storage. */
export function readStored<T>(name: StorageName, key: string, initial: T): T {
  try {
    return JSON.parse(window[name].getItem(key) ?? '') as T;
  } catch {
    return initial;
  }
}

/** Stores a value, unless the storage is full or blocked. */
export function storeValue(name: StorageName, key: string, value: unknown): void {
  try {
    window[name].setItem(key, JSON.stringify(value));
  } catch {
    // The page works with the value until it is loaded again.
  }
}
