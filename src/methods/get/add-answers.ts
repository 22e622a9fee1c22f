import type { PropertyDefinition } from '../../capability/definition.js';
import { emptyObject, type JsonObject } from '../../protocol/json.js';
import type { StoredObject } from '../../store/port.js';
import { typeOf } from '../accounts.js';
import type { AskedValues } from '../answered-index.js';
import type { CallContext } from '../context.js';
import { indexOf, type TypeIndex } from '../type-index.js';

/** The properties that a /get shows: stored ones, and those that a hook computes. */
export interface Requested {
  readonly properties: readonly PropertyDefinition[];
  /** Null for none. */
  readonly asked: AskedValues | null;
}

/** Returns the properties to read: what the answer shows, and what the hook sees. */
export function withSources(
  { answered }: TypeIndex,
  properties: readonly PropertyDefinition[],
): readonly PropertyDefinition[] {
  return [...new Set([...properties, ...(answered?.sources ?? [])])];
}

/** Returns the objects with what the hook of the type answers, and without what it alone sees. */
export async function addAnswers(
  objects: readonly StoredObject[],
  { properties, asked }: Requested & { readonly asked: AskedValues },
  context: CallContext,
): Promise<readonly StoredObject[]> {
  const type = typeOf(context);
  const { hooks } = context;
  if (hooks === null) throw new Error(`No hook answers the properties of ${type.name}.`);
  if (objects.length === 0) return objects;
  const sources = indexOf(type).answered?.sources ?? [];
  const hidden = sources.filter((one) => one.role !== 'id' && !properties.includes(one));
  const seen = objects.map((object) => pick(object, sources));
  const answers = await hooks.answer(type, asked, seen);
  return objects.map((object, at) => {
    const shown = { ...object, ...answers[at] } as Record<string, JsonObject[string]>;
    for (const { name } of hidden) delete shown[name];
    return shown as StoredObject;
  });
}

/** Returns the id and the properties that a hook sees. */
function pick(object: StoredObject, properties: readonly PropertyDefinition[]): StoredObject {
  const seen = emptyObject();
  seen['id'] = object.id;
  for (const { name } of properties) {
    const value = object[name];
    if (value !== undefined) seen[name] = value;
  }
  return seen as StoredObject;
}
