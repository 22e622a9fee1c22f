import type { DataTypeDefinition } from '../capability/definition.js';
import type { BackfillDatabase } from '../database/backfill-database.js';
import type { HookPrisma } from '../database/hook-client.js';
import type { PrismaClient } from '../database/sqlite/prisma.js';
import type { Conductor } from '../runtime/slices.js';
import type { Store } from '../store/port.js';
import type { Logger } from './logging.js';
import type { Project } from './project.js';

/** What the composition root needs of a database, whichever it is. */
export interface Storage {
  readonly store: Store;
  /** Users, accounts and tokens. */
  readonly prisma: PrismaClient;
  /**
   * The committed version of the access tables, asked at each request: as it was a moment ago at most, on PostgreSQL
   * a quarter of a second. `latest`: as it is now, where that is to be had.
   */
  readonly accessVersion: (latest?: boolean) => string | Promise<string>;
  /** For hooks: a client that only reads, and what has it read inside a work's transaction. */
  readonly hooks: HookPrisma;
  /** What migrations leave to the engine. */
  readonly backfill: BackfillDatabase;
  /** Other servers may have the database too, of the version before among them. */
  readonly shared: boolean;
  /**
   * Throws UnavailableError where the files of the database are no longer the open ones: what is
   * not in this database may be in the one that took its place.
   */
  requireFiles(): void;
  /** Something that nobody can stop would keep the process, whose end waits for all of its threads. */
  isHeld(): boolean;
}

export interface StorageOptions {
  /** The project's folder: its migrations. */
  readonly root: string;
  /** All data types that are served. */
  readonly types: readonly DataTypeDefinition[];
  /** The Prisma client that hooks get: the project's own module of it. */
  readonly hookClient: Project['hookClient'];
  readonly conductor: Conductor;
  readonly log: Logger;
  /** Takes what is to be closed at the end, last things first. */
  readonly opened: (() => Promise<void> | void)[];
}
