import type { DataTypeDefinition } from '../capability/definition.js';
import type { BackfillDatabase } from '../database/backfill-database.js';
import type { HookPrisma } from '../database/hook-client.js';
import type { PrismaClient } from '../database/sqlite/prisma.js';
import type { Hub } from '../push/hub/hub.js';
import type { PointStore } from '../runtime/rates/rate-counter.js';
import type { RateRule } from '../runtime/rates/rate-rules.js';
import type { Conductor } from '../runtime/slices.js';
import type { Store } from '../store/port.js';
import type { Logger } from './logging.js';
import type { Project } from './project.js';
import type { PushBus } from './push-bus.js';

/** The parts of a database that the composition root needs, whichever database it is. */
export interface Storage {
  readonly store: Store;
  /** Users, accounts and tokens. */
  readonly prisma: PrismaClient;
  /** The same to read alone: what requests wait for doesn't wait for changes. */
  readonly principals: PrismaClient;
  /**
   * Returns the committed version of the access tables, at each request: it may be a moment old, on
   * PostgreSQL a quarter of a second.
   */
  readonly accessVersion: () => string | Promise<string>;
  /** Has `accessVersion` read the version anew. */
  readonly forgetAccessVersion: () => void;
  /** The same, read for the caller alone. */
  readonly readAccessVersion: () => string | Promise<string>;
  /** For hooks: a client that only reads, and a way to read inside a work's transaction. */
  readonly hooks: HookPrisma;
  /** Opens what tells of commits of other processes. The caller closes it before the store. */
  readonly openHub: (settings: HubSettings) => Hub;
  /**
   * Opens what counts requests for all servers of the database: keys are hashed with `secret`.
   * Null where there is one server alone.
   */
  readonly openRatePoints: OpenRatePoints | null;
  /** For the work that migrations leave to the engine. */
  readonly backfill: BackfillDatabase;
  /** Other servers may have the database too, of the previous version among them. */
  readonly shared: boolean;
  /**
   * Throws UnavailableError where the database's files are no longer the open ones: data that this
   * database lacks may be in the one that took its place.
   */
  requireFiles(): void;
  /**
   * Returns whether something that nobody can stop keeps the process: its end waits for all
   * threads.
   */
  isHeld(): boolean;
}

export type OpenRatePoints = (secret: Uint8Array | null) => (rule: RateRule) => PointStore;

export interface HubSettings {
  /** How servers that share a database hear each other. */
  readonly bus: PushBus;
  /** The epoch of the database's states, now: known before the hub is opened. */
  readonly epoch: () => string;
  readonly log: Pick<Logger, 'info' | 'warn'>;
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
  /** Takes functions that close things at the end, last things first. */
  readonly opened: (() => Promise<void> | void)[];
}
