import type { PropertySource } from '../../../src/capability/build-type.js';
import { EVOLVED } from '../../../src/capability/evolution.js';
import { sortColumn } from '../../../src/capability/shadow-transforms.js';
import { isOfEngine } from '../../../src/capability/stored-properties.js';
import { isGiven, isGivenByHooks } from '../../../src/descriptor/model/access.js';
import {
  addedArguments,
  hasFurther,
  standardMethodsOf,
} from '../../../src/descriptor/model/further-members.js';
import { typeHash } from '../../../src/descriptor/model/type-hash.js';
import type {
  ModelAnswered,
  ModelCapability,
  ModelFilter,
  ModelProperty,
  ModelSort,
  ModelType,
} from '../../../src/descriptor/model.js';
import { isSearched } from '../../../src/descriptor/operators.js';
import { METHOD_NAMES } from '../../../src/descriptor/standard-methods.js';
import { Call, Code, literal } from './code.js';
import { deprecatedWords, type GeneratedModule } from './generated-module.js';
import { charactersOfRow } from './key-ordered.js';
import { JMAP, STANDARD, validatorsOf } from './sources.js';
import { hasMembers } from './type-validators.js';

/** Returns the prefix of the names of a type's constants: `todo` for `Todo`. */
export function stemOf(typeName: string): string {
  return typeName.charAt(0).toLowerCase() + typeName.slice(1);
}

/** Adds the definition of a data type and its standard methods. */
export function addDefinition(
  module: GeneratedModule,
  capability: ModelCapability,
  type: ModelType,
): void {
  const { name } = type;
  const stem = stemOf(name);
  addShape(module, type);
  module.addConstant({
    name: `${stem}Type`,
    value: new Call(
      `${module.value(JMAP, 'dataType')}<${name}Shape>`,
      typeValue(capability, type, module),
    ),
    words: deprecatedWords(type.description, type.deprecated),
  });
  module.addConstant({
    name: `${stem}Methods`,
    value: new Call(
      module.value(JMAP, 'standardMethods'),
      new Code(`${stem}Type`),
      methodsValue(capability, type, module),
    ),
    words: `The standard methods of ${name}.`,
  });
}

/** Adds the interface that joins a type's TypeScript types under one name, for the handlers. */
function addShape(module: GeneratedModule, type: ModelType): void {
  const { name, errors, answered, share, sorts } = type;
  const optional = type.properties.filter(mayBeRemoved).map((each) => literal(each.name));
  const own = type.properties.filter(({ perUser }) => perUser).map((each) => literal(each.name));
  const parts = {
    object: name,
    create: `${name}Create`,
    patch: `${name}Patch`,
    filter: `${name}Filter`,
    sort: sorts.length === 0 ? 'never' : `${name}Comparator`,
    ...(optional.length === 0 ? {} : { optional: optional.join(' | ') }),
    stored: `${name}Stored`,
    ...(errors === undefined ? {} : { error: `${name}SetError` }),
    ...(answered === undefined ? {} : { answered: `${name}Answered` }),
    ...(share === undefined ? {} : { rights: `${name}Rights` }),
    ...(own.length === 0 ? {} : { own: own.join(' | ') }),
  };
  module.addInterface({
    name: `${name}Shape`,
    words: `The types of ${name}, for inference.`,
    members: Object.entries(parts).map(([part, its]) => ({ name: part, type: its })),
  });
}

/** Returns whether a client may ask for a copy without the property, which may not be null. */
function mayBeRemoved(property: ModelProperty): boolean {
  return property.optional === true && !property.nullable && isGiven(property);
}

/** Returns the argument of `jmap.dataType`; undefined members are left out of the text. */
function typeValue(
  capability: ModelCapability,
  type: ModelType,
  module: GeneratedModule,
): Record<string, unknown> {
  const characters = charactersOfRow(type);
  const validator = (name: string) =>
    new Code(module.value(validatorsOf(capability, type.name), name));
  return {
    name: type.name,
    capability: capability.urn,
    table: type.table,
    hash: typeHash(capability, type),
    characters: Number.isFinite(characters) ? characters : undefined,
    acceptSnakeCase: type.acceptSnakeCase,
    properties: mapByName(
      type.properties.filter(({ name }) => name !== EVOLVED),
      propertyValue,
    ),
    evolved: type.properties.find(({ name }) => name === EVOLVED)?.default,
    parts: type.parts === undefined ? undefined : mapByName(type.parts, propertyValue),
    filters: mapByName(type.filters, (filter) => describeFilter(filter, type)),
    sorts: type.sorts.map((sort) => describeSort(sort, type)),
    shadows: type.shadows.map(({ property, ...shadow }) => ({
      property: property.name,
      ...shadow,
    })),
    singleton: type.singleton || undefined,
    refuses: type.refuses,
    unknownProperties: type.keepsUnknown === true ? 'keep' : undefined,
    uniques:
      type.uniques.length === 0
        ? undefined
        : type.uniques.map(({ properties, nullsEqual }) => {
            const names = properties.map(({ name }) => name);
            return nullsEqual === undefined ? names : { properties: names, nullsEqual };
          }),
    search: type.search,
    query: type.query,
    limits: type.limits,
    rules: type.rules,
    access: type.access,
    share: type.share,
    errors: type.errors?.map((error) => error.name),
    answered: type.answered === undefined ? undefined : mapByName(type.answered, answeredValue),
    validate: {
      update: validator('update'),
      filter: validator('filter'),
      server: type.properties.some(isGivenByHooks) ? validator('server') : undefined,
      errors: hasMembers(type) ? validator('errors') : undefined,
      answered: type.answered === undefined ? undefined : validator('answered'),
    },
  };
}

/** Returns an object with a description of each, by name. */
function mapByName<Named extends { readonly name: string }>(
  all: readonly Named[],
  describe: (each: Named) => unknown,
): Record<string, unknown> {
  return Object.fromEntries(all.map((each) => [each.name, describe(each)]));
}

/** Every member of a property: a new one doesn't compile unless it is emitted. */
type PropertyValue = Record<Exclude<keyof PropertySource, 'nullColumn'>, unknown>;

/** Returns a property without the values that most properties have. */
function propertyValue(property: ModelProperty): PropertyValue {
  const { name, column, kind, nullable, optional, required, access, role, blobs } = property;
  const {
    format,
    normalize,
    texts,
    defaultNow,
    references,
    computed,
    secret,
    within,
    onRequest,
    readable,
    perUser,
    ownerDefault,
  } = property;
  return {
    kind,
    role,
    column: column === name ? undefined : column,
    required: required || undefined,
    nullable: nullable || undefined,
    optional,
    default: property.default ?? undefined,
    access: access === (isOfEngine(property) ? 'serverSet' : 'mutable') ? undefined : access,
    blobs: blobs.length === 0 ? undefined : blobs,
    format,
    normalize,
    texts: texts.length === 0 ? undefined : texts,
    defaultNow,
    references: references.length === 0 ? undefined : references,
    computed,
    secret,
    within,
    onRequest,
    readable,
    perUser,
    ownerDefault,
  };
}

/** Returns an answered property as the definition holds it. */
function answeredValue({ sources, nullable, optional, onRequest, parts }: ModelAnswered): object {
  return { sources, nullable, optional, onRequest, parts };
}

/** Returns a filter as the definition holds it. It counts as indexed if any index begins so. */
function describeFilter(filter: ModelFilter, type: ModelType): object {
  const { property, operator, column, columns, indexed, many } = filter;
  return {
    property: property.name,
    operator,
    column,
    columns,
    many,
    indexed: indexed ?? (isHeld(filter, type) ? true : undefined),
  };
}

/** Returns whether the key or an ordered index, also one of a sort or a unique, begins with it. */
function isHeld(
  { property, operator, column }: ModelFilter,
  { uniques, indexes, sorts }: ModelType,
): boolean {
  if (isSearched(operator)) return false;
  const first = [
    ...uniques.map(({ properties: [of] }) => of?.column),
    ...indexes.map(({ columns: [of] }) => of),
    ...sorts.map((sort) => (sort.indexed ? sortColumn(sort) : undefined)),
  ];
  return property.role === 'id' || first.includes(column);
}

/** Returns a sort as the definition holds it. */
function describeSort(sort: ModelSort, { indexes }: ModelType): object {
  const { name, property, by, casemapColumn, column, indexed } = sort;
  const isBehind =
    casemapColumn !== undefined &&
    indexes.some(({ columns }) => columns.lastIndexOf(casemapColumn) > 0);
  return {
    name: name === property.name ? undefined : name,
    property: property.name,
    by,
    casemapColumn,
    column,
    indexed: indexed || undefined,
    indexedBehind: isBehind || undefined,
  };
}

/** Returns the methods of `jmap.standardMethods`: all that there are, or those of the type. */
function methodsValue(
  capability: ModelCapability,
  type: ModelType,
  module: GeneratedModule,
): unknown {
  const methods = standardMethodsOf(type);
  // Asking adds the import, and a type may have no method as it is.
  const standard = (): string => `${module.all(STANDARD)}.methods`;
  const validators = validatorsOf(capability, type.name);
  const values = methods.map((each) => {
    const { row, method } = each;
    const { verb, account, arguments: args } = row;
    const validator = (part: string) => new Code(module.value(validators, `${verb}${part}`));
    const added = addedArguments(type, each);
    const hasArguments = hasFurther(added);
    const hasMembers = hasFurther(method.response);
    if (!hasArguments && !hasMembers) return [verb, new Code(`${standard()}.${verb}`)] as const;
    const further = hasFurther(method.arguments)
      ? Object.keys(method.arguments.properties ?? {})
      : undefined;
    const value = {
      account,
      argumentNames: [
        ...Object.keys(args.properties ?? {}),
        ...Object.keys(added?.properties ?? {}),
      ],
      furtherArguments: further,
      validateArguments: hasArguments
        ? validator('Arguments')
        : new Code(`${standard()}.${verb}.validateArguments`),
      validateResponse: hasMembers ? validator('Response') : undefined,
    };
    return [verb, value] as const;
  });
  const isWhole = values.length === METHOD_NAMES.length;
  const isPlain = values.every(([, value]) => value instanceof Code);
  return isWhole && isPlain ? new Code(standard()) : Object.fromEntries(values);
}
