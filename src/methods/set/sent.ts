import { isJsonObject, type JsonObject, type JsonValue } from '../../protocol/json.js';
import { declaredMembers, firstToken } from '../snake-case.js';
import type { TypeIndex } from '../type-index.js';

type Entries = Readonly<Record<string, JsonValue>> | null | undefined;

/*
 * 5.3 and 5.4: a response reports what its client can't know. Where a hook has replaced the
 * arguments, that is all that differs from what the client itself sent.
 */

/**
 * What a client sent to create, names as declared; nothing where it sent no object under the key.
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
