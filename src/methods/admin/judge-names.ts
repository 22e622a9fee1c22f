import { type SetError, setError } from '../../protocol/errors.js';
import { isJsonObject, type JsonObject, type JsonValue } from '../../protocol/json.js';
import { resolveId } from '../creation-ids.js';
import { quoted } from '../issues.js';
import type { Registry } from '../registry.js';

/** The properties that name an object of the directory: a creation id may stand there. */
const REFERENCES: readonly string[] = ['owner', 'account', 'user'];

/** The properties whose members are named by such ids. */
const KEYED: readonly string[] = ['accounts'];

/** Puts ids in the place of creation ids of earlier calls. Others stay as they are. */
export function withIds(values: JsonObject, createdIds: ReadonlyMap<string, string>): JsonObject {
  const idOf = (text: string) => resolveId(text, createdIds) ?? text;
  const resolved: Record<string, JsonValue> = { ...values };
  for (const name of REFERENCES) {
    const value = values[name];
    if (typeof value === 'string') resolved[name] = idOf(value);
  }
  for (const name of KEYED) {
    const value = values[name];
    if (!isJsonObject(value)) continue;
    const members = Object.entries(value).map(([key, mode]) => [idOf(key), mode] as const);
    resolved[name] = Object.fromEntries(members);
  }
  return resolved;
}

/** Refuses names of capabilities and types that this server doesn't have. */
export function judgeNames(
  object: JsonObject,
  { capabilities, dataTypes }: Registry,
): SetError | null {
  return (
    judge('capabilities', object['capabilities'], capabilities) ??
    judge('types', object['types'], dataTypes)
  );
}

function judge(
  property: string,
  value: JsonValue | undefined,
  known: ReadonlyMap<string, unknown>,
): SetError | null {
  const unknown = namesIn(value).find((name) => !known.has(name));
  if (unknown === undefined) return null;
  const why = `"${property}" names ${quoted(unknown)}, which this server doesn't have.`;
  return setError('invalidProperties', why, { properties: [property] });
}

function namesIn(value: JsonValue | undefined): readonly string[] {
  if (Array.isArray(value)) return value.filter((name) => typeof name === 'string');
  return isJsonObject(value) ? Object.keys(value) : [];
}
