import { typesIn } from '../../../src/descriptor/model/types-in.js';
import type { Model, ModelProperty, ModelType, Problem } from '../../../src/descriptor/model.js';
import type { Snapshot } from './history.js';
import {
  predecessorOf,
  type ReleasedProperty,
  type ReleasedType,
  releasedTypes,
} from './lineage.js';
import { narrowed } from './narrowed.js';
import { narrowedProblem } from './narrowing.js';
import { alteredProperty, removedProperty } from './refusals.js';

/**
 * The values that each user has of its own lie in rows of the engine, by the columns that their
 * properties would have. No table shows what becomes of them, and no file of `evolve/` gets them.
 */

/** Returns the names of a type in the values of users that nothing reads any more. */
export function valuesLeft(snapshot: Snapshot, type: ModelType): readonly string[] {
  const released = releasedTypes(snapshot).get(type.table);
  return released === undefined ? [] : goneOf(released, type).map(({ column }) => column);
}

function goneOf({ properties }: ReleasedType, type: ModelType): readonly ReleasedProperty[] {
  const kept = new Set(ownOf(type).map(({ column }) => column));
  return properties.filter(({ known, column }) => known?.perUser === true && !kept.has(column));
}

function ownOf({ properties }: ModelType): readonly ModelProperty[] {
  return properties.filter(({ perUser }) => perUser === true);
}

/** Returns the problems of values that would go, or that would not be legal any more. */
export function ownValueProblems(snapshot: Snapshot, model: Model): readonly Problem[] {
  return typesIn(model).flatMap((type) => {
    const released = releasedTypes(snapshot).get(type.table);
    if (released === undefined) return [];
    const isAccepted = ({ name }: { readonly name: string }) =>
      type.drops.some((drop) => drop.name === name);
    const gone = goneOf(released, type).filter((old) => !isAccepted(old));
    const kept = ownOf(type).filter((property) => !isAccepted(property));
    return [
      ...gone.map((old) => goneProblem(type, old)),
      ...kept.flatMap((property) => {
        const before = predecessorOf(released, type, property);
        if (before?.known?.perUser !== true || before.column !== property.column) return [];
        const what = narrowed(before.known.schema, property.schema, '');
        return what === undefined ? [] : narrowedProblem(type, property, what);
      }),
    ];
  });
}

function goneProblem(type: ModelType, { name, known }: ReleasedProperty): Problem {
  const where = `${type.name}.${name}`;
  const now = type.properties.find((property) => property.name === name);
  if (now === undefined) return removedProperty(where, name, type.at);
  const after = now.perUser === true ? now.kind : 'one value for all users';
  return alteredProperty(where, name, `${known?.kind} of each user`, after, now.at);
}
