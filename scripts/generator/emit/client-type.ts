import type { JSONSchema7 } from 'json-schema';
import type { FilterOperator } from '../../../src/capability/definition.js';
import type { Place } from '../../../src/capability/places.js';
import { isGiven, isShown, isWrittenByClients } from '../../../src/descriptor/model/access.js';
import { addedArguments } from '../../../src/descriptor/model/further-members.js';
import { withTarget } from '../../../src/descriptor/model/id-schemas.js';
import type {
  ModelCapability,
  ModelFilter,
  ModelProperty,
  ModelType,
} from '../../../src/descriptor/model.js';
import { OPERATORS } from '../../../src/descriptor/operators.js';
import { canonicalJson } from '../../../src/protocol/canonical-json.js';
import {
  describeAnswered,
  familyNames,
  familyTypes,
  listFamilies,
  listPlainAnswered,
  valueName,
} from './answered-types.js';
import { addClientTypes } from './client-definitions.js';
import { CLIENT, clientSource, moduleNameOf } from './client-source.js';
import { filled, literal } from './code.js';
import { deprecatedWords, type GeneratedModule, type Member } from './generated-module.js';
import {
  comparatorTypes,
  describedOf,
  errorTypes,
  filterSchema,
  furtherTypes,
  isAlwaysThere,
  objectOf,
} from './type-schemas.js';
import type { NamedSchema } from './wire-types.js';

/** The methods of a type that decide which types it has. */
interface Uses {
  readonly creates: boolean;
  readonly updates: boolean;
  readonly queries: boolean;
  readonly sorts: boolean;
}

/** Adds the interfaces of a data type as clients see it, and its shape. */
export async function addTypeInterfaces(
  module: GeneratedModule,
  capability: ModelCapability,
  type: ModelType,
): Promise<void> {
  const { name } = type;
  const uses = usesOf(type);
  const families = listFamilies(type);
  const types: readonly NamedSchema[] = [
    [name, objectSchema(type)],
    ...familyTypes(type),
    ...(uses.creates ? [[`${name}Create`, createSchema(type)] as const] : []),
    ...(uses.updates ? [[`${name}Update`, updateSchema(type)] as const] : []),
    ...(uses.queries ? [[`${name}Filter`, conditionsOf(type)] as const] : []),
    ...(uses.creates || uses.updates ? errorTypes(type) : []),
    ...furtherTypes(type, (each) => addedArguments(type, each)),
  ];
  const bases = families.length === 0 ? new Map() : new Map([[name, `${name}Families`]]);
  await addClientTypes(module, capability, types, bases);
  if (families.length > 0)
    module.addInterface({
      name: `${name}Families`,
      words: `The families of properties of ${name}, which are there on request.`,
      members: [],
      indexes: families.map((family) => ({
        names: familyNames(family),
        type: valueName(type, family),
      })),
    });
  if (uses.updates) addPatch(module, type);
  addShape(module, type, uses);
}

/** Adds the interface of PatchObjects: whole values, and pointers to members of objects. */
function addPatch(module: GeneratedModule, type: ModelType): void {
  const { name } = type;
  const written = type.properties.filter(isWrittenByClients);
  const plain = written.filter((property) => tokenOf(property) === property.name);
  const others = written.filter((property) => !plain.includes(property));
  const update = others.length === 0 ? `${name}Update` : `Omit<${name}Update, ${namesOf(others)}>`;
  const base = `${module.type(CLIENT, 'Patch')}<${update}, ${namesOf(plain.filter(mayBeNull))}>`;
  module.addInterface({
    name: `${name}Patch`,
    words: `A PatchObject of ${name} (RFC 8620 5.3): whole values, and members by JSON Pointer.`,
    extends: filled(base, `export interface ${name}Patch extends `.length),
    members: others.map((property): Member => {
      const value = `${name}Update[${literal(property.name)}]`;
      const type = mayBeNull(property) ? `${value} | null` : value;
      return { name: tokenOf(property), type, isOptional: true };
    }),
    indexes: written
      .filter(({ schema }) => [schema.type].flat().includes('object'))
      .map((property) => ({ names: pointersIn(property), type: 'unknown' })),
  });
}

/** Returns whether an update may give null where the value is none: for the default, or nothing. */
function mayBeNull({ required, optional }: ModelProperty): boolean {
  return !required || optional === true;
}

function namesOf(properties: readonly ModelProperty[]): string {
  return properties.map(({ name }) => literal(name)).join(' | ') || 'never';
}

/** Returns the name as a JSON Pointer has it (RFC 6901 3). */
function tokenOf({ name }: ModelProperty): string {
  return name.replaceAll('~', '~0').replaceAll('/', '~1');
}

/** Returns the type of pointers to members of a value: `tags/${string}` in back quotes. */
function pointersIn(property: ModelProperty): string {
  return `\`${tokenOf(property).replace(/[\\`$]/g, '\\$&')}/\${string}\``;
}

function usesOf({ methods, singleton, sorts, properties }: ModelType): Uses {
  const has = (verb: string): boolean => methods.some(({ name }) => name === verb);
  const queries = has('query') || has('queryChanges');
  return {
    creates: !singleton && (has('set') || has('copy')),
    updates: has('set') && properties.length > 0,
    queries,
    sorts: queries && sorts.length > 0,
  };
}

/** Returns what /get answers. A property that is there on request alone may be absent. */
function objectSchema(type: ModelType): JSONSchema7 {
  const shown = type.properties
    .filter(isShown)
    .map((property) =>
      property.role === 'id'
        ? { ...property, schema: withTarget(property.schema, type.name) }
        : property,
    );
  const always = shown.filter((each) => isAlwaysThere(each) && each.onRequest !== true);
  const words = deprecatedWords(type.description, type.deprecated);
  const stored = objectOf(words, shown, always, describedOf(type));
  const answered = listPlainAnswered(type);
  return {
    ...stored,
    properties: {
      ...stored.properties,
      ...Object.fromEntries(answered.map((each) => [each.name, describeAnswered(each)])),
    },
    required: [
      ...(stored.required ?? []),
      ...answered.flatMap(({ name, optional, onRequest }) =>
        optional === true || onRequest === true ? [] : [name],
      ),
    ],
  };
}

function createSchema(type: ModelType): JSONSchema7 {
  const given = type.properties.filter(isGiven);
  const required = given.filter((property) => property.required);
  const words = `A new ${type.name} as a client gives it.`;
  return objectOf(words, given, required, describedOf(type), type.keepsUnknown);
}

function updateSchema(type: ModelType): JSONSchema7 {
  const written = type.properties.filter(isWrittenByClients);
  const words = `The properties of ${type.name} that an update may change: a patch has some.`;
  return objectOf(words, written, written, describedOf(type), type.keepsUnknown);
}

/** Returns the schema of a FilterCondition, with the ids that conditions compare. */
function conditionsOf(type: ModelType): JSONSchema7 {
  const filters = type.filters.map((filter) => ({
    ...filter,
    schema: withComparedIds(type, filter),
  }));
  return filterSchema(type.name, filters);
}

/** Returns the schema of a condition's value. Ids in it have the type that the property has. */
function withComparedIds(
  type: ModelType,
  { property, operator, schema }: ModelFilter,
): JSONSchema7 {
  const step = comparedStep(operator);
  if (step === undefined) return schema;
  const { within } = property;
  const root = type.properties.find(({ name }) => name === (within?.property ?? property.name));
  const place = canonicalJson([...(within?.place ?? []), ...step]);
  const isThere = (each: Place): boolean => canonicalJson(each) === place;
  const reference = root?.references.find((each) => isThere(each.place));
  const ofObject = root?.role === 'id' ? type.name : reference?.type;
  const target = ofObject ?? (root?.blobs.some(isThere) ? null : undefined);
  const { items } = schema;
  return typeof items === 'object' && !Array.isArray(items)
    ? { ...schema, items: withTarget(items, target) }
    : withTarget(schema, target);
}

/** Returns the step to what an operator compares; undefined where it compares no whole texts. */
function comparedStep(operator: FilterOperator): Place | undefined {
  switch (OPERATORS[operator].value) {
    case 'key':
    case 'keys':
      return [{ each: 'key' }];
    case 'item':
      return [{ each: 'item' }];
    case 'property':
    case 'list':
      return [];
    default:
      return undefined;
  }
}

/** Adds the interface that joins the types under one name. */
function addShape(module: GeneratedModule, type: ModelType, uses: Uses): void {
  const { name } = type;
  const parts: Readonly<Record<string, string>> = {
    name: literal(name),
    object: name,
    create: uses.creates ? `${name}Create` : 'never',
    update: uses.updates ? `${name}Update` : 'never',
    patch: uses.updates ? `${name}Patch` : 'never',
    filter: uses.queries ? `${name}Filter` : 'never',
    sort: uses.sorts ? comparatorTypes(module.type(CLIENT, 'Comparator'), type.sorts) : 'never',
    error: errorType(module, type, uses),
    ...includesOf(module, type),
  };
  module.addInterface({
    name: `${name}Shape`,
    words: `The types of ${name}, for inference.`,
    members: Object.entries(parts).map(([part, its]): Member => {
      const type = filled(its, `  readonly ${part}: `.length);
      return { name: part, type };
    }),
  });
}

/** Returns the shapes of the objects that properties refer to, by the names of `include`. */
function includesOf(module: GeneratedModule, type: ModelType): { readonly includes?: string } {
  const names = new Set(type.properties.map(({ name }) => name));
  const members = type.properties.flatMap(({ name, references }) => {
    const [, stem, many] = /^(.+)Id(s?)$/.exec(name) ?? [];
    const [reference] = references;
    if (stem === undefined || reference === undefined || names.has(stem)) return [];
    // Further in, a property has references for which its name doesn't stand.
    if (reference.place.length !== (many === 's' ? 1 : 0)) return [];
    const shape = `${reference.type}Shape`;
    const its =
      reference.type === type.name
        ? shape
        : module.type(clientSource(moduleNameOf(reference.type)), shape);
    const member = /^[A-Za-z_$][\w$]*$/.test(stem) ? stem : literal(stem);
    return [`readonly ${member}: ${many === 's' ? `readonly ${its}[]` : its}`];
  });
  return members.length === 0 ? {} : { includes: `{ ${members.join('; ')} }` };
}

/** Returns the SetErrors: the standard ones, and those of the type's own. */
function errorType(module: GeneratedModule, type: ModelType, uses: Uses): string {
  if (!uses.creates && !uses.updates) return 'never';
  const { name, errors } = type;
  const given = `${name}${uses.creates ? 'Create' : 'Update'}`;
  const names = type.keepsUnknown === true ? 'string' : `keyof ${given}`;
  const standard = `${module.type(CLIENT, 'StandardSetError')}<${literal(name)}, ${names}>`;
  if (errors === undefined) return standard;
  return `${standard} | ${module.type(CLIENT, 'OwnSetError')}<${name}Errors>`;
}
