import type { QueueReading } from '#crawl/queue/queue-snapshot.ts';
import type { HeadroomShares } from '#service/quota/priorities.ts';
import type { Reserve } from '#service/quota/quota-policy.ts';
import type { Db } from '#store/sqlite/database.ts';
import type { MinFreeSpace } from '#store/sqlite/disk-space.ts';

/** The settings of the command that reads need. They are clonable and contain no secret. */
export interface ReadSettings {
  /** The file of the store. */
  readonly path: string;
  readonly minFree: MinFreeSpace | undefined;
  readonly reserve: Reserve;
  readonly headroomShares: HeadroomShares;
  /** The option `--db` of commands to type; empty if they need none. */
  readonly databaseOption: string;
  /** The folders of the user's saved queries. */
  readonly queryFolders: readonly string[];
}

/** What a client asks for. All values are texts of users. */
export interface ReadRequest {
  readonly parameters: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string>>;
  /** The queue at the time of the request. */
  readonly queue: QueueReading;
}

export interface ReadContext {
  readonly db: Db;
  readonly settings: ReadSettings;
  readonly now: number;
  /** Returns the value of `compute`, or an earlier one that is not older than `ms`. */
  readonly remember: <T>(key: string, ms: number, compute: () => T) => T;
}

/** A result that is sent as a file to download. */
export class ReadFile {
  readonly name: string;
  readonly mediaType: string;
  readonly text: string;

  constructor(name: string, mediaType: string, text: string) {
    this.name = name;
    this.mediaType = mediaType;
    this.text = text;
  }
}

/**
 * Reads the data of a page. It runs in a reader process, so that it may take long. Its result is sent as JSON, unless it is a
 * `ReadFile`. Undefined if there is no such thing (404). @throws UsageError for a wrong parameter (400)
 */
export type Read = (context: ReadContext, request: ReadRequest) => unknown;
