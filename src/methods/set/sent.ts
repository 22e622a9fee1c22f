import { isJsonObject, type JsonObject, type JsonValue } from '../../protocol/json.js';
import { declaredMembers, firstToken } from '../snake-case.js';
import type { TypeIndex } from '../type-index.js';

type Entries = Readonly<Record<string, JsonValue>> | null | undefined;

/*
 * RFC 8620 5.3 and 5.4: a response reports the values that its client can't know. If a hook has
 * replaced the arguments, it reports all values that differ from the client's own.
 */

/**
 * Returns the object that a client sent to create, names as declared; no members if it sent none.
 */
export function sentObject(index: TypeIndex, creates: Entries, key: string): JsonObject {
  return sentEntry(index, creates, key);
}

/** The PatchObject that a client sent, its pointers' first tokens as declared. */
export function sentPatch(index: TypeIndex, updates: Entries, key: string): JsonObject {
  return sentEntry(index, updates, key, firstToken);
}

const NOTHING: JsonObject = Object.freeze({});

function sentEntry(
  index: TypeIndex,
  entries: Entries,
  key: string,
  prefix?: (member: string) => string,
): JsonObject {
  const value = entries && Object.hasOwn(entries, key) ? entries[key] : null;
  if (!isJsonObject(value)) return NOTHING;
  return declaredMembers(value, index.properties, index.type.acceptSnakeCase, prefix).object;
}
