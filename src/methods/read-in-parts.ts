import type { DataTypeDefinition, PropertyDefinition } from '../capability/definition.js';
import { MethodError } from '../protocol/errors.js';
import type { Snapshot, StoredObject } from '../store/port.js';

/** The objects to read, and the octets of them that may be in memory at once. */
export interface PartsToRead {
  readonly type: DataTypeDefinition;
  readonly ids: readonly string[];
  readonly properties: readonly PropertyDefinition[];
  readonly maxOctets: number;
}

/**
 * Reads objects in parts, in order of their ids' list. A part has all of them, or the half of what
 * was too large together. An object that is too large by itself is a part of its own.
 */
export async function* readInParts(
  snapshot: Pick<Snapshot, 'get'>,
  { ids, ...read }: PartsToRead,
): AsyncGenerator<readonly StoredObject[]> {
  if (ids.length === 0) return;
  const { type, properties, maxOctets } = read;
  const limit = ids.length === 1 ? Number.POSITIVE_INFINITY : maxOctets;
  const objects = await readUpTo(() => snapshot.get(type, ids, properties, limit));
  if (objects !== null) {
    yield objects;
    return;
  }
  const middle = ids.length >> 1;
  yield* readInParts(snapshot, { ...read, ids: ids.slice(0, middle) });
  yield* readInParts(snapshot, { ...read, ids: ids.slice(middle) });
}

/** Returns null where the objects are too large. */
async function readUpTo(
  read: () => Promise<readonly StoredObject[]>,
): Promise<readonly StoredObject[] | null> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof MethodError && error.type === 'requestTooLarge') return null;
    throw error;
  }
}
