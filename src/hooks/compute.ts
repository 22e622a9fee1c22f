import type { DataTypeDefinition, PropertyDefinition } from '../capability/definition.js';
import { frozen } from '../capability/runtime.js';
import { namedFailure } from '../methods/hook-errors.js';
import type { Registry } from '../methods/registry.js';
import { putValue } from '../methods/type-index.js';
import { jsonEqual } from '../protocol/equal.js';
import { emptyObject } from '../protocol/json.js';
import type { StoredObject } from '../store/port.js';
import { computedValue } from './judge.js';

interface Compute {
  readonly what: string;
  readonly property: PropertyDefinition;
  readonly run: (object: never) => unknown;
}

/** The own-row computed properties of a registry's types: by type name, sources first. */
export class Computes {
  readonly #byType = new Map<string, readonly Compute[]>();

  constructor({ dataTypes, typeHooks }: Registry) {
    for (const [name, { compute = {} }] of typeHooks) {
      const ordered = [...inOrder(dataTypes.get(name)?.properties ?? [])];
      const computes = ordered.flatMap((property) => {
        const run = compute[property.name];
        const what = `compute of ${name}.${property.name}`;
        return run === undefined ? [] : [{ what, property, run }];
      });
      if (computes.length > 0) this.#byType.set(name, computes);
    }
  }

  /**
   * Returns the object with what its properties come to; the object itself where nothing changes.
   */
  apply(type: DataTypeDefinition, object: StoredObject): StoredObject {
    let result = object;
    for (const { what, property, run } of this.#byType.get(type.name) ?? []) {
      const value = computed(what, run, result);
      const before = result[property.name] ?? null;
      // Most objects keep their values: what is a simple value already needs no judging again.
      if ((value ?? null) === before) continue;
      const judged = computedValue(what, type, property, value);
      if (jsonEqual(judged, before)) continue;
      const changed = Object.assign(emptyObject(), result);
      putValue(changed, property, judged);
      result = changed as StoredObject;
    }
    return result;
  }
}

function computed(what: string, run: Compute['run'], object: StoredObject): unknown {
  try {
    return run(frozen(object) as never);
  } catch (error) {
    throw namedFailure(what, error);
  }
}

/** A property that is computed from another computed one comes after it; there are no cycles. */
function inOrder(properties: readonly PropertyDefinition[]): ReadonlySet<PropertyDefinition> {
  const byName = new Map(properties.map((property) => [property.name, property]));
  const ordered = new Set<PropertyDefinition>();
  const visit = (property: PropertyDefinition | undefined): void => {
    if (property?.computed?.kind !== 'from' || ordered.has(property)) return;
    for (const source of property.computed.properties) visit(byName.get(source));
    ordered.add(property);
  };
  for (const property of properties) visit(property);
  return ordered;
}
