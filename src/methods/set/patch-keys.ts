import type { PropertyDefinition } from '../../capability/definition.js';
import { keyOnPath, type MemberAt } from '../../capability/places.js';
import { formedText } from '../../capability/text-forms.js';
import { emptyObject, isJsonObject, type JsonObject, type JsonValue } from '../../protocol/json.js';
import { escapeToken, parsePointer } from '../../protocol/json-pointer.js';
import { type Steps, Strides } from '../../runtime/paused-work.js';

/** Returns the patch with other pointers. Null where that makes two pointers one. */
export function* withPointers(
  patch: JsonObject,
  targetOf: (pointer: string) => string,
): Steps<JsonObject | null> {
  const changed = emptyObject();
  const strides = new Strides();
  for (const pointer of Object.keys(patch)) {
    if (strides.isOver()) yield;
    const target = targetOf(pointer);
    if (Object.hasOwn(changed, target)) return null;
    changed[target] = patch[pointer] ?? null;
  }
  return changed;
}

/**
 * Returns the patch with each key on its paths as it is stored: `tags/Red` points to `tags/red`.
 * Null where that makes two pointers one.
 */
export function formKeys(
  properties: readonly PropertyDefinition[],
  current: JsonObject,
  patch: JsonObject,
): Steps<JsonObject | null> {
  const named = new Map(properties.map((property) => [property.name, property]));
  return withPointers(patch, (pointer) => formPointer(named, pointer, { current, patch }));
}

/** An object and the patch that is applied to it. */
export interface Patched {
  readonly current: JsonObject;
  readonly patch: JsonObject;
}

/**
 * Returns a function that finds members within the value that a property has behind the patch: they
 * tell the branches of unions apart.
 */
export function membersAfter({ current, patch }: Patched, name: string): MemberAt {
  return (tokens, member) => {
    const pointer = [name, ...tokens, member].map(escapeToken).join('/');
    if (Object.hasOwn(patch, pointer)) return patch[pointer] ?? undefined;
    let value: JsonValue | undefined = current;
    for (const token of [name, ...tokens, member])
      value = isJsonObject(value) && Object.hasOwn(value, token) ? value[token] : undefined;
    return value;
  };
}

function formPointer(
  named: ReadonlyMap<string, PropertyDefinition>,
  pointer: string,
  patched: Patched,
): string {
  const [name = '', ...path] = parsePointer(`/${pointer}`) ?? [];
  const { texts = [] } = named.get(name) ?? {};
  if (path.length === 0 || texts.length === 0) return pointer;
  const tokens = [...path];
  const memberAt = membersAfter(patched, name);
  for (const rule of texts) {
    const at = keyOnPath(rule.place, tokens, memberAt);
    if (at !== -1) tokens[at] = formedText(rule, path[at] ?? '');
  }
  return [name, ...tokens].map(escapeToken).join('/');
}
