import { isJsonObject, type JsonObject, type JsonValue } from '../../../src/protocol/json.js';
import { escapeToken, unescapeToken } from '../../../src/protocol/json-pointer.js';
import { isEqual, mapTexts, withMember } from './values.js';

/**
 * Changes by pointer (RFC 8620 5.3). Null at a property restores its default, further in it takes
 * the member away.
 */
export type PatchObject = Readonly<Record<string, JsonValue>>;

/** Returns the default of a property; null where the client doesn't know it. */
export type Defaults = (property: string) => JsonValue;

/**
 * Returns an object with a patch applied. Parents that aren't there any more are made: the write
 * that is sent then has the whole property.
 */
export function applyPatch(object: JsonObject, patch: PatchObject, defaults: Defaults): JsonObject {
  let patched = object;
  for (const [pointer, value] of Object.entries(patch)) {
    const [property = '', ...tokens] = readTokens(pointer);
    const before = patched[property];
    const after =
      tokens.length > 0
        ? setWithin(before, tokens, value)
        : value === null
          ? defaults(property)
          : value;
    patched = withMember(patched, property, after);
  }
  return patched;
}

/** Returns one patch that does what two do, one after the other. */
export function mergePatches(first: PatchObject, second: PatchObject, defaults: Defaults) {
  const merged = new Map(Object.entries(first));
  for (const [pointer, value] of Object.entries(second)) {
    const above = [...merged.keys()].find((other) => pointer.startsWith(`${other}/`));
    if (above !== undefined) {
      const tokens = readTokens(pointer.slice(above.length + 1));
      const whole =
        merged.get(above) ?? (above.includes('/') ? {} : defaults(unescapeToken(above)));
      merged.set(above, setWithin(whole, tokens, value));
      continue;
    }
    for (const other of merged.keys()) if (other.startsWith(`${pointer}/`)) merged.delete(other);
    merged.set(pointer, value);
  }
  return Object.fromEntries(merged);
}

/**
 * Returns the least patch between two states of an object. Maps and sets are patched by their
 * members, arrays and plain values as a whole.
 */
export function findPatch(before: JsonObject, after: JsonObject): PatchObject {
  const patch = new Map<string, JsonValue>();
  for (const name of namesOf(before, after)) {
    findWithin(escapeToken(name), before[name], memberOf(after, name), patch);
  }
  return Object.fromEntries(patch);
}

function findWithin(
  pointer: string,
  before: JsonValue | undefined,
  after: JsonValue | undefined,
  patch: Map<string, JsonValue>,
): void {
  if (isEqual(before, after)) return;
  // A null within would take the member away: the object that has it is set as a whole.
  const isWhole = !isJsonObject(before) || !isJsonObject(after) || hasNewNull(before, after);
  if (isWhole) {
    patch.set(pointer, after ?? null);
    return;
  }
  for (const name of namesOf(before, after)) {
    const within = `${pointer}/${escapeToken(name)}`;
    findWithin(within, memberOf(before, name), memberOf(after, name), patch);
  }
}

function hasNewNull(before: JsonObject, after: JsonObject): boolean {
  return Object.keys(after).some((name) => after[name] === null && memberOf(before, name) !== null);
}

function memberOf(object: JsonObject, name: string): JsonValue | undefined {
  return Object.hasOwn(object, name) ? object[name] : undefined;
}

function namesOf(before: JsonObject, after: JsonObject): ReadonlySet<string> {
  return new Set([...Object.keys(before), ...Object.keys(after)]);
}

/** Returns a patch with each text in it replaced, in pointers and in values. */
export function mapPatch(patch: PatchObject, replace: (text: string) => string): PatchObject {
  const mapped = Object.entries(patch).map(([pointer, value]) => {
    const [property = '', ...tokens] = readTokens(pointer);
    const names = [property, ...tokens.map(replace)];
    return [names.map(escapeToken).join('/'), mapTexts(value, replace)] as const;
  });
  return Object.fromEntries(mapped);
}

/**
 * Returns a patch that a server can apply to an object (RFC 8620 5.3): a pointer through a parent
 * that isn't there becomes the whole property.
 */
export function completePatch(
  object: JsonObject,
  patch: PatchObject,
  defaults: Defaults,
): PatchObject {
  const after = applyPatch(object, patch, defaults);
  const complete = new Map<string, JsonValue>();
  for (const [pointer, value] of Object.entries(patch)) {
    const [property = '', ...tokens] = readTokens(pointer);
    if (hasParents(object[property], tokens)) complete.set(pointer, value);
    else complete.set(escapeToken(property), after[property] ?? null);
  }
  for (const pointer of complete.keys()) {
    const [property = ''] = pointer.split('/');
    if (pointer !== property && complete.has(property)) complete.delete(pointer);
  }
  return Object.fromEntries(complete);
}

/** Returns a patch of whole properties that makes of an object what another patch does. */
export function widenPatch(
  object: JsonObject,
  patch: PatchObject,
  defaults: Defaults,
): PatchObject {
  const after = applyPatch(object, patch, defaults);
  const names = [...propertiesOf(patch)];
  return Object.fromEntries(names.map((name) => [escapeToken(name), after[name] ?? null]));
}

function hasParents(value: JsonValue | undefined, tokens: readonly string[]): boolean {
  let parent = value;
  for (const token of tokens) {
    if (!isJsonObject(parent)) return false;
    parent = memberOf(parent, token);
  }
  return true;
}

/** Returns the properties that a patch touches. */
export function propertiesOf(patch: PatchObject): ReadonlySet<string> {
  return new Set(Object.keys(patch).map((pointer) => readTokens(pointer)[0] ?? ''));
}

function readTokens(pointer: string): readonly string[] {
  return pointer.split('/').map(unescapeToken);
}

/** Returns a value with another set at a place in it; null takes the member away. */
function setWithin(
  value: JsonValue | undefined,
  [token = '', ...further]: readonly string[],
  inner: JsonValue,
): JsonObject {
  const parent = isJsonObject(value) ? value : {};
  if (further.length > 0)
    return withMember(parent, token, setWithin(memberOf(parent, token), further, inner));
  return withMember(parent, token, inner === null ? undefined : inner);
}
