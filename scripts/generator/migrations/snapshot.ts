import type { JSONSchema7 } from 'json-schema';
import type { ReferenceDefinition, SortCondition } from '../../../src/capability/definition.js';
import type { Place } from '../../../src/capability/places.js';
import { BOUNDS } from '../../../src/descriptor/bounds.js';
import { sha256 } from '../../../src/descriptor/model/hash.js';
import { mapInner } from '../../../src/descriptor/model/inner-schemas.js';
import { evolutionsIn } from '../../../src/descriptor/model/types-in.js';
import type {
  KeptProperty,
  Model,
  ModelProperty,
  ModelType,
  ModelUnique,
} from '../../../src/descriptor/model.js';
import { byCodeUnit } from '../../../src/descriptor/order.js';
import { isKeyOrdered } from '../emit/key-ordered.js';

/** Descriptions and places are not in it. The forms of texts follow from the schema. */
export type SnapshotProperty = KeptProperty;

/**
 * `hasPieces`: on SQLite the index has tables for pieces of long texts. Older migrations lack it.
 */
export type SnapshotSearch = NonNullable<ModelType['search']> & { readonly hasPieces?: boolean };

export interface SnapshotType {
  readonly name: string;
  readonly table: string;
  readonly properties: readonly SnapshotProperty[];
  readonly filters: readonly {
    readonly name: string;
    readonly property: string;
    readonly operator: string;
    /** Every value of a part must match. */
    readonly all?: true;
    readonly indexed: boolean;
  }[];
  readonly sorts: readonly {
    /** Absent where it is the property's. */
    readonly name?: string;
    readonly property: string;
    readonly by?: SortCondition;
    readonly indexed: boolean;
  }[];
  readonly shadows: readonly {
    readonly column: string;
    readonly property: string;
    readonly transform: string;
  }[];
  readonly uniques: readonly (readonly string[])[];
  /** Those of `uniques` for which null equals null; absent where there is none. */
  readonly nullsEqual?: readonly (readonly string[])[];
  readonly singleton: boolean;
  readonly keepsUnknown?: true;
  readonly methods: readonly string[];
  readonly search?: SnapshotSearch;
  /**
   * On SQLite the table is in the order of its key. Absent where the migration is older than that.
   */
  readonly keyOrdered?: boolean;
}

/**
 * The parts of a table that a migration on PostgreSQL leaves for the previous version; the next one
 * takes them away. No lists for none.
 */
export interface Leftover {
  readonly table: string;
  /** Nothing reads the table any more. */
  readonly whole?: true;
  /** Columns that nothing reads any more. */
  readonly columns?: readonly string[];
  /**
   * Keys of references that are none any more, in these columns and others: they have rows in
   * JmapReference.
   */
  readonly references?: readonly string[];
  /** One or more hold blobs no longer, and have rows in JmapBlobReference. */
  readonly blobs?: true;
  /** Names in the values of users that nothing reads any more. */
  readonly values?: readonly string[];
  /** Columns that still take null, though the property does not. */
  readonly nullable?: readonly string[];
}

/**
 * A column of a property that is gone. It stays for the files of `evolve/` that read it: those of
 * the migration that took the property away (`since`), and of earlier migrations.
 */
export interface HeldColumn {
  readonly table: string;
  readonly column: string;
  readonly since: number;
}

/** `model.json` beside a migration: the model after it, and the state that it was made from. */
export interface ModelSnapshot {
  /** The hash of the state before; null for the first. */
  readonly parent: string | null;
  readonly capabilities: readonly {
    readonly urn: string;
    readonly types: readonly SnapshotType[];
  }[];
  /** Absent for nothing. */
  readonly left?: readonly Leftover[];
  /** The conversions that files of `evolve/` make, by migration and table. Absent for none. */
  readonly evolves?: readonly { readonly migration: number; readonly table: string }[];
  /** Absent for nothing. */
  readonly held?: readonly HeldColumn[];
}

export function takeSnapshot(
  model: Model,
  parent: string | null,
  { left = [], held = [] }: Partial<Pick<ModelSnapshot, 'left' | 'held'>> = {},
): ModelSnapshot {
  const evolves = evolutionsIn(model).map(({ migration, table }) => ({ migration, table }));
  return {
    parent,
    capabilities: model.capabilities
      .filter(({ types }) => types.length > 0)
      .map(({ urn, types }) => ({ urn, types: types.map((type) => snapshotType(type)) })),
    ...(left.length === 0 ? {} : { left }),
    ...(evolves.length === 0 ? {} : { evolves }),
    ...(held.length === 0 ? {} : { held }),
  };
}

export function printSnapshot(snapshot: ModelSnapshot): string {
  return `${JSON.stringify(snapshot, null, 2)}\n`;
}

/** Parses a snapshot; undefined where the text is none that the generator wrote. */
export function parseSnapshot(text: string): ModelSnapshot | undefined {
  try {
    const value = JSON.parse(text) as Partial<ModelSnapshot> | null;
    const fine =
      (value?.parent === null || typeof value?.parent === 'string') &&
      Array.isArray(value.capabilities);
    return fine ? withPlaces(value as ModelSnapshot) : undefined;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/**
 * Before blobs could stand within values, `blob` said that the value itself is one's id. Before
 * references could, a property was one of three forms of a reference.
 */
type FormerProperty = Omit<SnapshotProperty, 'blobs' | 'references'> & {
  readonly blobs?: SnapshotProperty['blobs'];
  readonly blob?: boolean;
  readonly references?: SnapshotProperty['references'];
  readonly reference?: Omit<ReferenceDefinition, 'place'> & {
    readonly form: keyof typeof PLACES_OF_FORMS;
  };
};

const PLACES_OF_FORMS = Object.freeze({
  single: [],
  list: [{ each: 'item' }],
  set: [{ each: 'key' }],
}) satisfies Readonly<Record<string, Place>>;

function referencesOf({ reference, references }: FormerProperty): SnapshotProperty['references'] {
  if (reference === undefined) return references ?? [];
  const { form, type, onDestroy, acyclic } = reference;
  return [{ type, place: PLACES_OF_FORMS[form], onDestroy, acyclic }];
}

function withPlaces(snapshot: ModelSnapshot): ModelSnapshot {
  const property = (former: FormerProperty): SnapshotProperty => {
    const { blob, reference: _form, ...own } = former;
    const rest = { ...own, references: referencesOf(former) };
    if (blob !== true) return { ...rest, blobs: rest.blobs ?? [] };
    const { maxLength, ...schema } = rest.schema;
    const bound = maxLength === undefined || maxLength === BOUNDS.stringLength ? {} : { maxLength };
    return { ...rest, schema: { ...schema, ...bound, format: 'id' }, blobs: [[]] };
  };
  return {
    ...snapshot,
    capabilities: snapshot.capabilities.map((capability) => ({
      ...capability,
      types: capability.types.map((type) => ({
        ...type,
        properties: type.properties.map(property),
      })),
    })),
  };
}

/**
 * Returns what the next migration names as its parent; line ends are the checkout's, and count
 * nothing.
 */
export function hashOf(text: string): string {
  return `sha256-${sha256(text.replaceAll('\r\n', '\n'))}`;
}

/** Returns a type as a migration keeps it: with the properties of which something is stored. */
export function snapshotType(type: ModelType): SnapshotType {
  const nullsEqual = type.uniques.filter((unique) => unique.nullsEqual === true).map(namesOf);
  return {
    name: type.name,
    table: type.table,
    properties: type.properties.filter(({ role }) => role !== 'myRights').map(snapshotProperty),
    filters: type.filters.map(({ name, property, operator, many, indexed }) => ({
      name,
      property: property.name,
      operator,
      ...(many === 'all' ? { all: true as const } : {}),
      indexed: indexed === true,
    })),
    sorts: type.sorts.map(({ name, property, by, indexed }) => ({
      ...(name === property.name ? {} : { name }),
      property: property.name,
      ...(by === undefined ? {} : { by }),
      indexed,
    })),
    shadows: type.shadows.map(({ column, property, transform }) => ({
      column,
      property: property.name,
      transform,
    })),
    uniques: type.uniques.map(namesOf),
    ...(nullsEqual.length === 0 ? {} : { nullsEqual }),
    singleton: type.singleton,
    ...(type.keepsUnknown === true ? { keepsUnknown: true as const } : {}),
    methods: type.methods.map(({ name }) => name),
    ...(type.search === undefined ? {} : { search: { ...type.search, hasPieces: true } }),
    keyOrdered: isKeyOrdered(type),
  };
}

function namesOf({ properties }: ModelUnique): readonly string[] {
  return properties.map(({ name }) => name);
}

/** Returns a property as a migration keeps it. */
export function snapshotProperty({
  at: _at,
  description: _words,
  deprecated: _why,
  renamedFrom: _old,
  texts: _rules,
  ...rest
}: ModelProperty): SnapshotProperty {
  const schema = withoutWords(byMemberName(rest.schema)) as SnapshotProperty['schema'];
  // Neither a table nor a client's cache depends on how a destroy is refused.
  const references = rest.references.map(({ error: _error, ...reference }) => reference);
  return { ...rest, references, schema };
}

/** Returns the schema with the members of every object type in order of their names. */
function byMemberName(schema: JSONSchema7): JSONSchema7 {
  const { properties } = schema;
  const sorted =
    properties === undefined
      ? schema
      : {
          ...schema,
          properties: Object.fromEntries(
            Object.entries(properties).sort(([a], [b]) => byCodeUnit(a, b)),
          ),
        };
  return mapInner(sorted, byMemberName);
}

/**
 * Returns a schema without descriptions. A property of that name has an object there, not words.
 */
function withoutWords(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutWords);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key, inner]) => key !== 'description' || typeof inner !== 'string')
      .map(([key, inner]) => [key, withoutWords(inner)]),
  );
}
