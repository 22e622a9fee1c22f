import type {
  DataTypeDefinition,
  FilterDefinition,
  PropertyDefinition,
  PropertyRole,
  SortDefinition,
  UniqueDefinition,
} from '../capability/definition.js';
import { formatNamed } from '../capability/formats/index.js';
import { holdsReferences, type Reference, referencesOf } from '../capability/named-references.js';
import { holdsBlobs, type Place, type PlaceStep } from '../capability/places.js';
import { isStored } from '../capability/stored-properties.js';
import { ownForm } from '../capability/text-forms.js';
import type { TextForm } from '../capability/text-rule.js';
import { emptyObject, type JsonObject, type JsonValue } from '../protocol/json.js';
import { snakeToCamel } from '../protocol/snake-case.js';
import { deriveOnce } from '../runtime/derive-once.js';
import {
  type AnsweredIndex,
  AskedNames,
  type AskedValues,
  indexAnswered,
} from './answered-index.js';
import { indexRules, type RuleIndex } from './rule-index.js';

/** A property whose values hold ids of blobs. */
export interface BlobProperty extends PropertyDefinition {
  readonly blobs: readonly Place[];
}

/** A reference of a type: a place in one of its properties. */
export type TypeReference = Reference<PropertyDefinition>;

/** A data type's definition, indexed by wire names. */
export interface TypeIndex {
  readonly type: DataTypeDefinition;
  /** The properties that clients may name: all but the internal ones. */
  readonly properties: ReadonlyMap<string, PropertyDefinition>;
  /** Names of all declared properties, also of those that clients may not name. */
  readonly names: Names;
  /** Stands for the properties that the type keeps without declaring them; null if it doesn't. */
  readonly unknown: PropertyDefinition | null;
  /** Names of those that a create must give. */
  readonly required: readonly string[];
  /** The properties that clients may read: neither internal nor secret. */
  readonly visible: readonly PropertyDefinition[];
  /** The properties that only the server and hooks know. */
  readonly internal: readonly PropertyDefinition[];
  /** The properties of which clients notice a change: the same, and internal ones of queries. */
  readonly watched: readonly PropertyDefinition[];
  /** The stored ones that a /get shows by itself: none on request, and undeclared ones. */
  readonly shown: readonly PropertyDefinition[];
  /** Properties that are computed when they are read; null if there are none. */
  readonly answered: AnsweredIndex | null;
  readonly filters: ReadonlyMap<string, FilterDefinition>;
  readonly sorts: ReadonlyMap<string, SortDefinition>;
  /** The names that members of a Comparator may have. */
  readonly comparatorMembers: Names;
  /** Properties whose values hold ids of blobs. */
  readonly blobs: readonly BlobProperty[];
  readonly references: readonly TypeReference[];
  readonly uniques: readonly UniqueDefinition[];
  /** A create without them stores the present time. */
  readonly defaultsToNow: readonly PropertyDefinition[];
  /** Whether a value that is no date may be stored in another form than it was sent. */
  readonly forms: boolean;
  /** Properties with names of members that are stored in one form each. */
  readonly formedKeys: readonly PropertyDefinition[];
  readonly secrets: readonly PropertyDefinition[];
  /** Computed from other properties of the object. */
  readonly computed: readonly PropertyDefinition[];
  /** Whether creates and updates have more rules than those of each object for itself. */
  readonly judges: boolean;
  /** Rules that depend on the values of an object; null if there are none. */
  readonly rules: RuleIndex | null;
  /** The properties to know of a destroyed object: they name blobs or objects. */
  readonly links: readonly PropertyDefinition[];
  /** The text by which users know an object of a shared type. */
  readonly title: PropertyDefinition | undefined;
  /** The properties to read of an object that is destroyed: for links, and notes of shares. */
  readonly keptOfDestroyed: readonly PropertyDefinition[];
  /** The properties to read of an object that a call destroys: for links, rules and groups. */
  readonly judgedOfDestroyed: readonly PropertyDefinition[];
  /** A type may go without `created` and `updated`, or declare its own without the role. */
  readonly roles: Readonly<Partial<Record<PropertyRole, PropertyDefinition>>> & {
    readonly id: PropertyDefinition;
  };
  /** All properties with their defaults, without those that may be absent. */
  readonly blank: JsonObject;
}

/** Returns the index of a type, the same one each time. */
export const indexOf = deriveOnce((type: DataTypeDefinition): TypeIndex => {
  const rules = indexRules(type);
  const unknown = type.properties.find(({ role }) => role === 'unknown') ?? null;
  const declared = type.properties.filter((property) => property !== unknown);
  const visible = declared.filter(isVisible);
  return Object.freeze({
    type,
    properties: new Map(
      declared
        .filter(({ access }) => access !== 'internal')
        .map((property) => [property.name, property]),
    ),
    names: new Set(declared.map(({ name }) => name)),
    unknown,
    required: type.properties.filter(({ required }) => required).map(({ name }) => name),
    visible,
    internal: declared.filter(({ access }) => access === 'internal'),
    watched: declared.filter((one) => isVisible(one) || isRead(type, one) || isSource(type, one)),
    shown: shownOf(visible, unknown),
    answered: type.answered === undefined ? null : indexAnswered(type.answered),
    filters: new Map(type.filters.map((filter) => [filter.name, filter])),
    sorts: new Map(type.sorts.map((sort) => [sort.name, sort])),
    comparatorMembers: new Set([
      ...['property', 'isAscending', 'collation'],
      ...type.sorts.flatMap(({ by }) => by?.argument ?? []),
    ]),
    blobs: type.properties.filter(holdsBlobs),
    references: referencesOf(type.properties),
    uniques: type.uniques ?? [],
    defaultsToNow: type.properties.filter(({ defaultNow }) => defaultNow === true),
    forms: type.properties.some(
      (property) =>
        property.role === 'shareWith' ||
        [ownForm(property) ?? {}, ...(property.texts ?? [])].some(isForm),
    ),
    formedKeys: type.properties.filter(hasFormedKeys),
    secrets: type.properties.filter(({ access }) => access === 'secret'),
    computed: type.properties.filter(({ computed }) => computed?.kind === 'from'),
    judges:
      type.properties.some((property) => isLink(property) || property.role === 'shareWith') ||
      (type.uniques ?? []).length > 0 ||
      type.limits !== undefined ||
      type.rules !== undefined,
    rules,
    links: type.properties.filter(isLink),
    title: titleOf(type),
    keptOfDestroyed: type.properties.filter((one) => isLink(one) || one === titleOf(type)),
    judgedOfDestroyed: type.properties.filter(
      (one) => isLink(one) || isNoted(type, one) || rules?.keepingProperties.includes(one) === true,
    ),
    roles: rolesOf(type),
    blank: Object.fromEntries(
      declared
        .filter((one) => one.optional !== true && isStored(one))
        .map((one) => [one.name, defaultOf(one)]),
    ),
  });
});

/** Returns whether a filter or a sort reads the property, or a part of it. */
function isRead({ filters, sorts, shadows }: DataTypeDefinition, one: PropertyDefinition): boolean {
  const columns = new Set([
    one.column,
    ...shadows.flatMap(({ column, property }) =>
      property === one || property.within?.property === one.name ? [column] : [],
    ),
  ]);
  return (
    filters.some(({ column, columns: all = [column] }) => all.some((each) => columns.has(each))) ||
    sorts.some(({ property }) => columns.has(property.column))
  );
}

/** Returns whether a value that /get computes follows the property. */
function isSource({ answered = [] }: DataTypeDefinition, { name }: PropertyDefinition): boolean {
  return answered.some(({ sources }) => sources.some((source) => source.name === name));
}

function shownOf(
  visible: readonly PropertyDefinition[],
  unknown: PropertyDefinition | null,
): readonly PropertyDefinition[] {
  const shown = visible.filter(({ onRequest }) => onRequest !== true);
  return unknown === null ? shown : [...shown, unknown];
}

/** Returns the value of a create without the property, which a null patch restores. */
export function defaultOf(property: PropertyDefinition): JsonValue {
  return property.default ?? null;
}

function isForm({ normalize, format }: TextForm): boolean {
  if (normalize !== undefined) return true;
  const known = formatNamed(format);
  return known !== undefined && known.canonical !== null && known.present === null;
}

function hasFormedKeys({ texts = [] }: PropertyDefinition): boolean {
  return texts.some(({ place }) => isKeyStep(place.at(-1)));
}

function isKeyStep(step: PlaceStep | undefined): boolean {
  return step !== undefined && 'each' in step && step.each === 'key';
}

/** Gives an object a value; null removes a property that may be absent and not null. */
export function putValue(
  object: Record<string, JsonValue>,
  { name, optional, nullable }: PropertyDefinition,
  value: JsonValue,
): void {
  if (value === null && optional === true && !nullable) delete object[name];
  else object[name] = value;
}

/** The names of properties that most likely hold the name of an object, the likeliest first. */
const TITLES: readonly string[] = ['name', 'title', 'subject', 'label'];

/** Returns the property by which users know an object: of a text that all its readers read. */
function titleOf({ share, properties }: DataTypeDefinition): PropertyDefinition | undefined {
  if (share === undefined) return undefined;
  const texts = properties.filter(
    (one) =>
      one.kind === 'string' &&
      isVisible(one) &&
      [one.role, one.format, one.readable].every((each) => each === undefined),
  );
  const named = TITLES.flatMap((name) => texts.find((text) => text.name === name) ?? []);
  return named[0];
}

/** Returns whether something is noted of a destroyed object by the property. */
function isNoted(type: DataTypeDefinition, property: PropertyDefinition): boolean {
  return property === titleOf(type) || property === type.query?.collapse?.by;
}

/** Returns true for a property that names blobs, objects or principals. */
function isLink(property: PropertyDefinition): boolean {
  return holdsBlobs(property) || holdsReferences(property);
}

/** Returns true for a property whose value an object keeps for life. */
export function isImmutable(property: PropertyDefinition): boolean {
  return property.access === 'immutable' || property.role === 'id' || property.role === 'created';
}

/** Returns true for a property that is on the wire when an object is read. */
export function isVisible({ access }: PropertyDefinition): boolean {
  return access !== 'internal' && access !== 'secret';
}

function rolesOf(type: DataTypeDefinition): TypeIndex['roles'] {
  const roles = type.properties.flatMap((property) =>
    property.role === undefined ? [] : [[property.role, property] as const],
  );
  const { id, ...times } = Object.fromEntries(roles) as TypeIndex['roles'];
  if (id === undefined) throw new Error(`The type ${type.name} has no id property.`);
  return { id, ...times };
}

/** A set of declared names: a Set or the keys of a Map. */
export interface Names {
  has(name: string): boolean;
}

/** Returns the declared name that a client means; turns snake_case into camelCase if accepted. */
export function declaredName(name: string, declared: Names, acceptSnakeCase: boolean): string {
  if (!acceptSnakeCase || declared.has(name)) return name;
  const camel = snakeToCamel(name);
  return camel !== null && declared.has(camel) ? camel : name;
}

export interface DeclaredMembers {
  /** Declared names are in camelCase, others as they came; the object itself where all are so. */
  readonly object: JsonObject;
  /** Declared names that came in both spellings. */
  readonly doubled: readonly string[];
}

const NONE: readonly string[] = Object.freeze([]);

/**
 * Gives the members of an object the names that are declared. `prefix` tells which part of a
 * member's name is to be looked up: all of it, or for a PatchObject what stands before the first
 * slash.
 */
export function declaredMembers(
  object: JsonObject,
  declared: Names,
  acceptSnakeCase: boolean,
  prefix: (member: string) => string = whole,
): DeclaredMembers {
  if (!acceptSnakeCase || hasOnly(object, declared, prefix)) return { object, doubled: NONE };
  const renamed = emptyObject();
  const spelling = new Map<string, string>();
  const doubled = new Set<string>();
  for (const member of Object.keys(object)) {
    const sent = prefix(member);
    const name = declaredName(sent, declared, true);
    // Other names have one spelling; there may be thousands of them.
    if (declared.has(name)) {
      const earlier = spelling.get(name);
      if (earlier !== undefined && earlier !== sent) doubled.add(name);
      spelling.set(name, sent);
    }
    const spelt = name === sent ? member : name + member.slice(sent.length);
    renamed[spelt] = object[member] ?? null;
  }
  return { object: renamed, doubled: [...doubled] };
}

function hasOnly(object: JsonObject, declared: Names, prefix: (member: string) => string): boolean {
  for (const name in object) if (!declared.has(prefix(name))) return false;
  return true;
}

/** Returns the first reference token of a PatchObject's key, still escaped. */
export function firstToken(pointer: string): string {
  const slash = pointer.indexOf('/');
  return slash === -1 ? pointer : pointer.slice(0, slash);
}

function whole(member: string): string {
  return member;
}

/**
 * Names that no property has, after which no further name is looked at: an error tells a few of
 * them.
 */
export const MAX_UNKNOWN = 1000;

/** The properties that a client names. */
export interface NamedProperties {
  /** Stored ones, with the id. */
  readonly properties: readonly PropertyDefinition[];
  /** The properties that a hook computes; null for none. */
  readonly asked: AskedValues | null;
  /** Names of no property, each with what is wrong with it in its family ("" for none). */
  readonly unknown: ReadonlyMap<string, string>;
}

/** Returns the properties that a /get shows for these names (5.1), with the id, and other names. */
export function propertiesNamed(index: TypeIndex, names: readonly string[]): NamedProperties {
  const { visible, type, answered } = index;
  const known = new Set(visible.map(({ name }) => name));
  const seen = new Set<string>();
  const shownNames = new Set<string>();
  const unknown = new Map<string, string>();
  const others = answered === null ? null : new AskedNames(answered);
  const whyUnknown = (text: string): string | null =>
    answered === null || others === null
      ? ''
      : others.add(text, declaredName(text, answered.plain, type.acceptSnakeCase));
  for (const text of names) {
    if (seen.has(text)) continue;
    seen.add(text);
    const name = declaredName(text, index.properties, type.acceptSnakeCase);
    // A client asks for all that the type has, and gets all that its user may read.
    if (type.hidden?.has(declaredName(text, type.hidden, type.acceptSnakeCase))) continue;
    const why = known.has(name) ? null : whyUnknown(text);
    if (known.has(name)) shownNames.add(name);
    else if (why !== null) unknown.set(text, why);
    if (unknown.size === MAX_UNKNOWN) break;
  }
  return {
    properties: visible.filter(({ name, role }) => role === 'id' || shownNames.has(name)),
    asked: others?.asked ?? null,
    unknown,
  };
}
