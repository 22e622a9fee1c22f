import { isWholePlace, referencesOf } from '../../../src/capability/named-references.js';
import { isGiven } from '../../../src/descriptor/model/access.js';
import { typesIn } from '../../../src/descriptor/model/types-in.js';
import type { Model, ModelProperty, ModelType, Problem } from '../../../src/descriptor/model.js';
import { mayHaveText, pairAtPlaces, placesBeside } from '../../../src/descriptor/schema-places.js';
import { formsOf } from './effects.js';
import type { Snapshot } from './history.js';
import { predecessorOf, type Renamed, releasedTypes } from './lineage.js';
import { narrowed } from './narrowed.js';
import type { SnapshotProperty, SnapshotType } from './snapshot.js';

/**
 * Returns the problems of changes that the tables don't show: values that exist would not be legal
 * any more, or mean something else. `drops` at the type accepts the first: they stay readable.
 */
export function narrowings(
  snapshot: Snapshot,
  renames: readonly Renamed[],
  model: Model,
): readonly Problem[] {
  const types = typesIn(model);
  return types.flatMap((type) => {
    const released = releasedTypes(snapshot).get(type.table);
    if (released?.known === undefined) return [];
    return [
      ...singletonProblem(released.known, type),
      ...type.properties.flatMap((property): readonly Problem[] => {
        const before = predecessorOf(released, type, property)?.known;
        if (before?.kind !== property.kind || isOwn(before) || isOwn(property)) return [];
        const given = type.drops.some(({ name }) => name === property.name);
        const target = retargeted(before, property, renames);
        if (property.role === 'shareWith' && before.role === undefined)
          return given ? [] : [sharingProblem(type, property)];
        const isSealed = before.secret !== property.secret;
        const accepted = given || (type.converts === true && !isSealed);
        if (isSealed || target !== undefined) {
          if (!accepted)
            return [
              target === undefined
                ? secretProblem(type, property, before)
                : retargetedProblem(type, property, target),
            ];
          const { nullable, optional, default: value } = property;
          return nullable || optional === true || value !== undefined
            ? []
            : [emptiedProblem(type, property)];
        }
        if (accepted || property.computed !== undefined) return [];
        const named = namedNow(before, property);
        // A client can't fail to write a property again that it never writes.
        if (named !== undefined)
          return isGiven(property) ? [namingProblem(type, property, named)] : [];
        const what = narrowed(before.schema, property.schema, '');
        return what === undefined ? [] : [narrowedProblem(type, property, what)];
      }),
    ];
  });
}

/**
 * Returns the types whose properties take more or fewer values than the released state says. The
 * next state is told apart from this one, so it must be released too, though no table changes.
 */
export function redefined(snapshot: Snapshot, model: Model): readonly string[] {
  const types = typesIn(model);
  return types
    .filter((type) => {
      const released = releasedTypes(snapshot).get(type.table);
      if (nullsText(released?.known?.nullsEqual) !== nullsText(nullsEqualIn(type))) return true;
      return type.properties.some((property) => {
        const before = released && predecessorOf(released, type, property)?.known;
        // No table shows it, and the next state is compared with this one.
        if (released !== undefined && property.perUser !== before?.perUser) return true;
        if (before === undefined || before.kind !== property.kind) return false;
        const { schema } = property;
        return (
          formsOf(before.schema) !== formsOf(schema) ||
          (narrowed(before.schema, schema, '') ?? narrowed(schema, before.schema, '')) !== undefined
        );
      });
    })
    .map(({ name }) => name);
}

/** Each user has a value of its own (own-values.ts). */
function isOwn({ perUser }: Pick<ModelProperty, 'perUser'>): boolean {
  return perUser === true;
}

/** Returns the names of what is unique with null equal to null. */
function nullsEqualIn({ uniques }: ModelType): readonly (readonly string[])[] {
  return uniques
    .filter(({ nullsEqual }) => nullsEqual === true)
    .map(({ properties }) => properties.map(({ name }) => name));
}

function nullsText(lists: readonly (readonly string[])[] = []): string {
  return lists
    .map((names) => [...names].sort().join('+'))
    .sort()
    .join();
}

/** The types that a reference led to, under its new name, and leads to now. */
type Targets = readonly [old: string, now: string];

/** Returns the types of a place that led to objects of another type; undefined if none did. */
function retargeted(
  before: SnapshotProperty,
  { references }: ModelProperty,
  renames: readonly Renamed[],
): Targets | undefined {
  const nameNow = (type: string) => renames.find(({ from }) => from === type)?.to ?? type;
  return pairAtPlaces(before.references, references)
    .map(([old, now]): Targets => [nameNow(old.type), now.type])
    .find(([old, now]) => old !== now);
}

/** Returns the new meaning of a text that named nothing before: a reference or a blob, in words. */
function namedNow(before: SnapshotProperty, property: ModelProperty): string | undefined {
  const known = before.references.map(({ place }) => place);
  const fresh = referencesOf([property]).find(
    ({ place }) =>
      placesBeside([place], known).length > 0 &&
      (isWholePlace(place) || mayHaveText(before.schema, place)),
  );
  if (fresh !== undefined) return `refers to ${fresh.type} objects`;
  const places = placesBeside(property.blobs, before.blobs);
  return places.some((place) => mayHaveText(before.schema, place)) ? 'names blobs' : undefined;
}

function namingProblem(type: ModelType, property: ModelProperty, named: string): Problem {
  return {
    at: property.at,
    code: 'property-narrowed',
    message:
      `${type.name}.${property.name} ${named} now, and the ids that exist may name none: they ` +
      'would stay and be readable, and no client could write them again. Write `drops: ' +
      `[${property.name}]\` at the type to accept that; or declare a property of another name.`,
  };
}

/** Values that exist would get a meaning that nobody gave them. */
function sharingProblem({ name }: ModelType, { at, name: property }: ModelProperty): Problem {
  return {
    at,
    code: 'bad-share',
    message:
      `${name}.${property} was a property like others, and now says with whom an object is ` +
      'shared: the values that exist would share objects. Rename the old one in a release ' +
      `before this one; or write \`drops: [${property}]\` at the type to accept that.`,
  };
}

function retargetedProblem(type: ModelType, property: ModelProperty, [old, now]: Targets): Problem {
  return {
    at: property.at,
    code: 'property-retargeted',
    message:
      `${type.name}.${property.name} refers to ${old} objects and would now refer to ` +
      `${now}: the ids that are there would lead nowhere. Write \`drops: ` +
      `[${property.name}]\` at the type to give the values up, or declare a property of another ` +
      'name.',
  };
}

/** Refuses fewer values than were legal. */
export function narrowedProblem(type: ModelType, property: ModelProperty, what: string): Problem {
  return {
    at: property.at,
    code: 'property-narrowed',
    message:
      `${type.name}.${property.name}: ${what}. Objects that exist may have other values: they ` +
      'would stay and be readable, and no client could write them again. Write `drops: ' +
      `[${property.name}]\` at the type to accept that; or leave it as wide as it was.`,
  };
}

function secretProblem(
  type: ModelType,
  property: ModelProperty,
  { secret }: SnapshotProperty,
): Problem {
  const form = (how: string | undefined) =>
    how === undefined ? 'as text' : how === 'hash' ? 'as a hash' : 'encrypted';
  return {
    at: property.at,
    code: 'property-sealed-otherwise',
    message:
      `${type.name}.${property.name} was stored ${form(secret)} and would now be stored ` +
      `${form(property.secret)}: what is there would be taken for something else. Write \`drops: ` +
      `[${property.name}]\` at the type to give the values up, or declare a property of another ` +
      'name.',
  };
}

function emptiedProblem(type: ModelType, property: ModelProperty): Problem {
  return {
    at: property.at,
    code: 'property-without-default',
    message:
      `${type.name}.${property.name} gives its values up, and the objects that exist have no ` +
      'other: give it a default or make it nullable.',
  };
}

function singletonProblem(known: SnapshotType, type: ModelType): readonly Problem[] {
  if (known.singleton === type.singleton) return [];
  const [was, is] = known.singleton ? ['one object', 'many'] : ['many objects', 'one'];
  return [
    {
      at: type.at,
      code: 'singleton-changed',
      message:
        `${type.name} had ${was} in an account and would now have ${is}: what exists would have ` +
        'ids that nobody can name. Declare a type of another name, and give this one up in a ' +
        'later release.',
    },
  ];
}
