import { isJsonObject, type JsonObject, type JsonValue } from '../../../src/protocol/json.js';
import type { Invocation } from '../../src/transport/transport.js';

/** Members that tell nothing here. */
const DULL = new Set(['accountId', '#ids', 'oldState', 'canCalculateChanges', 'position']);

/** Returns calls, or the answers to them, in a short form: long ids as their last letters. */
export function shorten(calls: readonly Invocation[]): string {
  const texts = calls.flatMap(([name, args, id]) => {
    const rest = JSON.stringify(prune(args));
    const isDull = /^\{(?:"(?:state|newState|queryState)":"[^"]*")?\}$/.test(rest);
    return isDull ? [] : [`${id.includes('-') ? shortenIds(id) : id} ${name} ${rest}`];
  });
  return shortenIds(texts.join('; '));
}

export function shortenIds(text: string): string {
  return text
    .replace(/\b(?:a|[A-Za-z])01[0-9a-z]{20}([0-9a-z]{4})\b/g, '$1')
    .replace(/\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{8}([0-9a-f]{4})\b/g, '$1');
}

/** Leaves out what is empty, and what a default is. */
function prune(value: JsonObject): JsonObject {
  const members = Object.entries(value).flatMap(([name, inner]): [string, JsonValue][] => {
    if (DULL.has(name) || isEmpty(inner)) return [];
    return [[name, pruneWithin(inner)]];
  });
  return Object.fromEntries(members);
}

function pruneWithin(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(pruneWithin);
  return isJsonObject(value) ? prune(value) : value;
}

function isEmpty(value: JsonValue | undefined): boolean {
  if (Array.isArray(value)) return value.length === 0;
  return (
    value == null || value === false || (isJsonObject(value) && Object.keys(value).length === 0)
  );
}
