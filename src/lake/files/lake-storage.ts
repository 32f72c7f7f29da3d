/** An empty folder of this machine for files that are not in the lake yet. It is claimed until its disposal. */
export interface WorkFolder extends Disposable {
  readonly path: string;
}

/** The files of a lake by their paths: in a folder, or in object storage. Its functions throw TrawlError. */
export interface LakeStorage {
  /** Creates its place, unless it is there. @throws TrawlError if files cannot be written there */
  prepare(): Promise<void>;
  /** Returns the address of a file, for messages. */
  describe(path: string): string;
  /** Returns the paths that begin with a folder's path and a slash. */
  list(folder: string): Promise<readonly string[]>;
  /** Returns the content of a file; undefined if there is none. */
  read(path: string): Promise<Uint8Array | undefined>;
  /** Writes a file. Readers see either the old or the new one. */
  write(path: string, content: Uint8Array | string): Promise<void>;
  /** Moves a file of this machine there. Readers see either the old or the new one. */
  move(file: string, path: string): Promise<void>;
  /** Deletes a file, if it is there. */
  remove(path: string): Promise<void>;
  /**
   * Claims a name for this process; undefined if another process of this machine has it, as far as the storage knows.
   * @param scratch a path of this machine for the folder, unless the storage has a place for it
   */
  claim(name: string, scratch: string): WorkFolder | undefined;
}
