import type { PropertyDefinition } from '../../capability/definition.js';
import { keyOnPath } from '../../capability/places.js';
import { formedText } from '../../capability/text-forms.js';
import { emptyObject, type JsonObject } from '../../protocol/json.js';
import { escapeToken, parsePointer } from '../../protocol/json-pointer.js';
import { type Steps, Strides } from '../../runtime/slices.js';

/**
 * Returns the patch with each key on its paths as it is stored: `tags/Red` points to `tags/red`.
 * Null where that makes two pointers one.
 */
export function* formKeys(
  properties: readonly PropertyDefinition[],
  patch: JsonObject,
): Steps<JsonObject | null> {
  const named = new Map(properties.map((property) => [property.name, property]));
  const formed = emptyObject();
  const strides = new Strides();
  for (const pointer of Object.keys(patch)) {
    if (strides.isOver()) yield;
    const target = formPointer(named, pointer);
    if (Object.hasOwn(formed, target)) return null;
    formed[target] = patch[pointer] ?? null;
  }
  return formed;
}

function formPointer(named: ReadonlyMap<string, PropertyDefinition>, pointer: string): string {
  const [name = '', ...path] = parsePointer(`/${pointer}`) ?? [];
  const { texts = [] } = named.get(name) ?? {};
  if (path.length === 0 || texts.length === 0) return pointer;
  const tokens = [...path];
  for (const rule of texts) {
    const at = keyOnPath(rule.place, path);
    if (at !== -1) tokens[at] = formedText(rule, path[at] ?? '');
  }
  return [name, ...tokens].map(escapeToken).join('/');
}
