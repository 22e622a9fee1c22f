import type { Prisma } from '../../../build/prisma/engine-sqlite/client.js';
import { inChunks } from '../../database/in-chunks.js';
import { type IdGenerator, isId } from '../../protocol/ids.js';
import type { JsonValue } from '../../protocol/json.js';
import {
  type DirectoryCreation,
  type DirectoryObject,
  type DirectoryUpdate,
  RefusedError,
  wrongValue,
} from '../admin-port.js';
import { type Change, DirectoryError, type TransactionClient } from '../change.js';

/** A list of ids, or how many to read in order of id. */
export type Which = readonly string[] | { readonly first: number };

/** The parts that changes of the directory need beside their transaction. */
export interface DirectoryServices {
  readonly ids: IdGenerator;
  /** Kinds of tasks to store with a new account (listAccountCreatedKinds). */
  readonly tasks: readonly string[];
}

/** A change by the API: who asks for it, and for what it needs besides. */
export interface DirectoryScene extends DirectoryServices {
  readonly change: Change;
  readonly actorId: string;
}

/** The objects of one type: how they are read and changed. The changes throw RefusedError. */
export interface DirectoryKind {
  read(client: TransactionClient, which: Which): Promise<readonly DirectoryObject[]>;
  create(scene: DirectoryScene, object: DirectoryObject): Promise<string | CreatedWithSecrets>;
  update(scene: DirectoryScene, update: DirectoryUpdate): Promise<void>;
  destroy(scene: DirectoryScene, object: DirectoryObject): Promise<void>;
}

/** A created object whose creator is told more of it than anybody later. */
export interface CreatedWithSecrets extends Pick<DirectoryCreation, 'secrets'> {
  readonly id: string;
}

/** The part of a Prisma query that chooses rows by their id. */
export interface Choice {
  readonly where: { readonly id?: { readonly in: string[] } };
  readonly orderBy?: { readonly id: 'asc' };
  readonly take?: number;
}

/** Reads rows with an id by queries that have such a part. */
export async function readChosen<Row>(
  which: Which,
  read: (choice: Choice) => Promise<readonly Row[]>,
): Promise<readonly Row[]> {
  if ('first' in which) return read({ where: {}, orderBy: { id: 'asc' }, take: which.first });
  return inChunks(which, (chunk) => read({ where: { id: { in: chunk } } }));
}

/** Returns the row of the user that a property names. */
export async function userOf(
  { transaction }: Change,
  property: string,
  id: JsonValue | undefined,
): Promise<Prisma.JmapUserGetPayload<object>> {
  // A text that is no id may be one that the database doesn't take.
  const isText = typeof id === 'string' && isId(id);
  const user = isText ? await transaction.jmapUser.findUnique({ where: { id } }) : null;
  if (user === null) throw wrongValue(property, `is the id of no user: ${JSON.stringify(id)}`);
  return user;
}

/** Runs what judges a property's value by DirectoryError, and refuses the value so. */
export async function judged<T>(property: string, work: () => T | Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof DirectoryError)) throw error;
    throw new RefusedError('invalidProperties', error.message, { properties: [property] });
  }
}

/** Refuses an update: none of the type's properties can change. */
export function immutable(): never {
  throw new RefusedError('forbidden', 'Nothing of such an object can change.');
}
