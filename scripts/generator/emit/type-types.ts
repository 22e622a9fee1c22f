import type { JSONSchema7 } from 'json-schema';
import { EVOLVED } from '../../../src/capability/evolution.js';
import { isGiven, isShown } from '../../../src/descriptor/model/access.js';
import type { ModelCapability, ModelProperty, ModelType } from '../../../src/descriptor/model.js';
import {
  ANSWERED_SUFFIXES,
  addAnswered,
  answeredTypes,
  isWhollyKept,
  keptName,
} from './answered-types.js';
import { filled, literal } from './code.js';
import { deprecatedWords, type GeneratedModule } from './generated-module.js';
import {
  type ImportName,
  importsOf,
  schemasOfType,
  sharedSchemas,
  withShared,
} from './shared-schemas.js';
import { JMAP } from './sources.js';
import {
  comparatorTypes,
  described,
  describedOf,
  errorTypes,
  filterSchema,
  furtherTypes,
  isAlwaysThere,
  objectOf,
} from './type-schemas.js';
import { addWireTypes, type NamedSchema } from './wire-types.js';

/**
 * Adds the types of a data type: what is on the wire (what /get answers, what /set takes, the
 * FilterCondition), and what the server stores.
 */
export async function addTypesOf(
  module: GeneratedModule,
  { sharedTypes }: Pick<ModelCapability, 'sharedTypes'>,
  type: ModelType,
): Promise<void> {
  const { name } = type;
  const imports = importsOf(module, sharedTypes);
  const types = withShared(
    [...ownTypes(type), ...secretsOf(type), ...answeredTypes(type), ...rightsOf(type)],
    sharedOnWire(type),
    imports,
  );
  await addWireTypes(module, types.slice(0, 1));
  const create = filled(createType(type), `export type ${name}Create = `.length);
  module.addTypeAlias(`${name}Create`, create, `A new ${name} as a client gives it.`);
  const patch = `${module.type(JMAP, 'PatchObject')}<${name}Create>`;
  module.addTypeAlias(`${name}Patch`, patch, 'Changes of one, as a client gives them.');
  await addWireTypes(module, types.slice(1));
  addComparator(module, type);
  addAnswered(module, type);
  await addErrors(module, type);
  await addStored(module, type, imports);
}

/** Adds the Comparators by a type's sorts. */
function addComparator(module: GeneratedModule, { name, sorts }: ModelType): void {
  if (sorts.length === 0) return;
  const parts = comparatorTypes(module.type(JMAP, 'Comparator'), sorts);
  const type = filled(parts, `export type ${name}Comparator = `.length);
  module.addTypeAlias(`${name}Comparator`, type, `A Comparator of ${name}/query.`);
}

/** Adds the SetErrors of a type that declares some of its own: these and the standard ones. */
async function addErrors(module: GeneratedModule, { name, errors }: ModelType): Promise<void> {
  if (errors === undefined) return;
  await addWireTypes(module, errorTypes({ name, errors }));
  const jmap = (type: string) => module.type(JMAP, type);
  module.addTypeAlias(
    `${name}SetError`,
    `${jmap('StandardSetError')}<keyof ${name}Errors> | ${jmap('OwnSetError')}<${name}Errors>`,
    `Why ${name}/set refuses an object.`,
  );
}

/** Returns the `$defs` that types on the wire use, by name. */
function sharedOnWire(type: ModelType): ReadonlyMap<string, JSONSchema7> {
  const seen = type.properties.filter((property) => isShown(property) || isGiven(property));
  return sharedSchemas(schemasOfType(type, seen), namesOf(type));
}

function namesOf(type: ModelType): readonly string[] {
  const { name } = type;
  const own = ['Create', 'Patch', 'Comparator', 'Secrets', 'Stored', 'Shape', 'Errors', 'SetError'];
  const further = [...own, ...ANSWERED_SUFFIXES];
  return [
    name,
    ...ownTypes(type).map(([title]) => title),
    ...further.map((part) => `${name}${part}`),
  ];
}

/**
 * Adds the type that hooks see: the object on the wire, and the properties that never leave the
 * server.
 */
async function addStored(
  module: GeneratedModule,
  type: ModelType,
  imports: ImportName,
): Promise<void> {
  const { name } = type;
  const words = 'The stored object, as the server and its hooks see it.';
  const hidden = type.properties.filter(
    (property) => !isShown(property) && property.name !== EVOLVED,
  );
  if (hidden.length === 0) {
    module.addTypeAlias(`${name}Stored`, storedBase(type), words);
    return;
  }
  const onWire = sharedOnWire(type);
  const shared = sharedSchemas(
    hidden.filter(({ access }) => access !== 'secret').map(({ schema }) => schema),
    namesOf(type),
  );
  const own = objectOf(
    `${words} It has internal and secret properties too.`,
    hidden,
    hidden.filter(isAlwaysThere),
    stored,
  );
  const types = withShared([[`${name}Stored`, own]], shared, imports);
  await addWireTypes(
    module,
    types.filter(([title]) => !onWire.has(title)),
    new Map([[`${name}Stored`, storedBase(type)]]),
  );
}

/** Returns what hooks see of the type on the wire: no values that each user has of its own. */
function storedBase(type: ModelType): string {
  const own = type.properties.filter(({ perUser }) => perUser === true);
  if (own.length === 0) return keptName(type);
  return `Omit<${keptName(type)}, ${own.map((one) => literal(one.name)).join(' | ')}>`;
}

/** Returns the type of a create: the object's properties, and secrets, which are never shown. */
function createType(type: ModelType): string {
  const { name, properties } = type;
  const shown = properties.filter((property) => isGiven(property) && isShown(property));
  const pick = (isRequired: boolean): string | undefined => {
    const names = shown.filter(({ required }) => required === isRequired).map((each) => each.name);
    if (names.length === 0) return undefined;
    return `Pick<${name}, ${names.map((each) => literal(each)).join(' | ')}>`;
  };
  const others = pick(false);
  const parts = [
    pick(true),
    others === undefined ? undefined : `Partial<${others}>`,
    secretsOf(type).length === 0 ? undefined : `${name}Secrets`,
    type.keepsUnknown === true ? '{ readonly [name: string]: unknown }' : undefined,
  ].filter((part) => part !== undefined);
  return parts.length === 0 ? 'Readonly<Record<never, never>>' : parts.join(' & ');
}

/** Returns the type of what a client gives and never sees again. */
function secretsOf(type: ModelType): readonly NamedSchema[] {
  const secrets = type.properties.filter((property) => isGiven(property) && !isShown(property));
  if (secrets.length === 0) return [];
  const required = secrets.filter((property) => property.required);
  const words = 'The secrets that a client gives and never sees again.';
  return [[`${type.name}Secrets`, objectOf(words, secrets, required, describedOf(type))]];
}

/** Returns whether the engine finds the value for the user who reads a shared object. */
function isOfReader({ role }: ModelProperty): boolean {
  return role === 'myRights';
}

/** Returns the type of what the engine finds for the user who reads a shared object. */
function rightsOf(type: ModelType): readonly NamedSchema[] {
  const rights = type.properties.filter(isOfReader);
  if (rights.length === 0) return [];
  const words = 'The rights at an object of the user who reads it.';
  return [[`${type.name}Rights`, objectOf(words, rights, rights, describedOf(type))]];
}

function ownTypes(type: ModelType): readonly NamedSchema[] {
  const { name, properties } = type;
  const shown = properties.filter((property) => isShown(property) && !isOfReader(property));
  return [
    [
      keptName(type),
      objectOf(
        isWhollyKept(type)
          ? deprecatedWords(type.description, type.deprecated)
          : `The stored properties of ${name} that clients read.`,
        shown,
        shown.filter(isAlwaysThere),
        describedOf(type),
        type.keepsUnknown,
      ),
    ],
    [`${name}Filter`, filterSchema(name, type.filters)],
    ...furtherTypes(type),
  ];
}

/** Returns the schema of what hooks get of a secret: a hash or ciphertext. */
function stored(property: ModelProperty): JSONSchema7 {
  if (property.access !== 'secret') return described(property);
  const description =
    property.secret === 'encrypt' ? 'The encrypted text of the secret.' : 'A hash of the secret.';
  return { type: property.nullable ? ['string', 'null'] : 'string', description };
}
