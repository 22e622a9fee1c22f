import { SINGLETON_METHODS } from '../../../src/capability/build-methods.js';
import type * as builders from '../../../src/capability/build-property.js';
import type { PropertyKind, PropertyRole } from '../../../src/capability/definition.js';
import { METHOD_NAMES } from '../descriptor/meta-schema.js';
import { isSearched } from '../descriptor/operators.js';
import {
  hasFurther,
  type StandardMethodOfType,
  standardMethodsOf,
} from '../model/further-members.js';
import type {
  EmittedFiles,
  Model,
  ModelCapability,
  ModelFilter,
  ModelProperty,
  ModelSort,
  ModelType,
} from '../model.js';
import { Call, Code } from './code.js';
import { deprecatedWords, GeneratedModule } from './generated-module.js';
import { charactersOfRow } from './key-ordered.js';
import { fileOf, JMAP, STANDARD, validatorsOf, wireTypesOf } from './sources.js';
import { sourceOf } from './type-validators.js';

/** The definition of each data type and its standard methods. */
export function emitDefinitions(model: Model): EmittedFiles {
  const files = new Map<string, string>();
  for (const capability of model.capabilities) {
    for (const type of capability.types) {
      const path = `generated/${capability.name}/${type.name}.definition.ts`;
      files.set(path, definitionModule(path, capability, type));
    }
  }
  return files;
}

/** `todo` of `Todo`: what the names of a type's constants begin with. */
export function stemOf(typeName: string): string {
  return typeName.charAt(0).toLowerCase() + typeName.slice(1);
}

function definitionModule(path: string, capability: ModelCapability, type: ModelType): string {
  const module = new GeneratedModule(path, sourceOf(capability));
  const { name } = type;
  const stem = stemOf(name);
  addShape(module, capability, type);
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
      new Code(module.all(STANDARD)),
      ...methodOptions(capability, type, module),
    ),
    words: `The standard methods of ${name}.`,
  });
  return module.toString();
}

function addShape(module: GeneratedModule, capability: ModelCapability, type: ModelType): void {
  const { name } = type;
  const parts = { object: '', create: 'Create', patch: 'Patch', filter: 'Filter' };
  const wire = wireTypesOf(capability, name);
  module.addInterface({
    name: `${name}Shape`,
    words: `The types of ${name}, for inference.`,
    members: [
      ...Object.entries(parts).map(([part, suffix]) => ({
        name: part,
        type: module.type(wire, `${name}${suffix}`),
      })),
      { name: 'stored', type: module.type(fileOf(capability, `${name}.stored`), `${name}Stored`) },
    ],
  });
}

/** Prints the argument of `jmap.dataType`, without the members that the builder fills in. */
function typeValue(
  capability: ModelCapability,
  type: ModelType,
  module: GeneratedModule,
): Record<string, unknown> {
  const characters = charactersOfRow(type);
  return {
    name: type.name,
    capability: capability.urn,
    table: type.table === type.name ? undefined : type.table,
    characters: Number.isFinite(characters) ? characters : undefined,
    acceptSnakeCase: type.acceptSnakeCase || undefined,
    properties: byName(type.properties, (property) => propertyValue(property, module)),
    filters:
      type.filters.length === 0
        ? undefined
        : byName(type.filters, (filter) => filterValue(filter, type)),
    sorts: type.sorts.length === 0 ? undefined : type.sorts.map(sortValue),
    singleton: type.singleton || undefined,
    uniques:
      type.uniques.length === 0
        ? undefined
        : type.uniques.map(({ properties }) => properties.map(({ name }) => name)),
    search: type.search,
    limits: type.limits,
    validate: new Code(module.all(validatorsOf(capability, type.name))),
  };
}

function byName<Named extends { readonly name: string }>(
  all: readonly Named[],
  describe: (each: Named) => unknown,
): Record<string, unknown> {
  return Object.fromEntries(all.map((each) => [each.name, describe(each)]));
}

type Builder = keyof typeof builders;

/** The builder of each property: the standard ones have their own. */
const BUILDERS: Readonly<Record<PropertyKind | PropertyRole, Builder>> = Object.freeze({
  string: 'string',
  boolean: 'boolean',
  integer: 'integer',
  number: 'number',
  date: 'date',
  json: 'json',
  id: 'id',
  created: 'created',
  updated: 'updated',
});

/** Prints a property. The builder fills in the values that most properties have. */
function propertyValue(property: ModelProperty, module: GeneratedModule): Call {
  const { name, column, kind, nullable, required, access, role, blobs } = property;
  const { format, reference, computed, secret } = property;
  const options = {
    column: column === name ? undefined : column,
    required: required || undefined,
    nullable: nullable || undefined,
    default: property.default ?? undefined,
    access: access === (role === undefined ? 'mutable' : 'serverSet') ? undefined : access,
    blobs: blobs.length === 0 ? undefined : blobs,
    format,
    reference,
    computed,
    secret,
  };
  const isPlain = Object.values(options).every((value) => value === undefined);
  const builder = module.value(JMAP, BUILDERS[role ?? kind]);
  return new Call(builder, ...(isPlain ? [] : [options]));
}

function filterValue(filter: ModelFilter, type: ModelType): unknown {
  const { name, property, operator: is, properties } = filter;
  const indexed = filter.indexed ?? (isHeld(filter, type) ? true : undefined);
  if (properties !== undefined && properties.length > 1)
    return { properties: properties.map((each) => each.name), is, indexed };
  if (property.name === name && indexed === undefined) return is;
  return { property: property.name, is, indexed };
}

/** A condition reads an index that is there for whatever reason: it needn't have asked for it. */
function isHeld(
  { property, operator, column }: ModelFilter,
  { uniques, indexes, sorts }: ModelType,
): boolean {
  if (isSearched(operator)) return false;
  const first = [
    ...uniques.map(({ properties: [of] }) => of?.column),
    ...indexes.map(({ columns: [of] }) => of),
    ...sorts.map((sort) =>
      sort.indexed ? (sort.casemapColumn ?? sort.column ?? sort.property.column) : undefined,
    ),
  ];
  return property.role === 'id' || first.includes(column);
}

function sortValue({ property: { name }, indexed }: ModelSort): unknown {
  return indexed ? { property: name, indexed } : name;
}

/** Prints the options of `jmap.standardMethods`; none if the type has all methods as they are. */
function methodOptions(
  capability: ModelCapability,
  type: ModelType,
  module: GeneratedModule,
): readonly object[] {
  const methods = standardMethodsOf(type);
  const all = (type.singleton ? SINGLETON_METHODS : METHOD_NAMES).length;
  const further = methods.filter(
    ({ method }) => hasFurther(method.arguments) || hasFurther(method.response),
  );
  if (methods.length === all && further.length === 0) return [];
  return [
    {
      only: methods.length === all ? undefined : methods.map(({ row }) => row.verb),
      further:
        further.length === 0
          ? undefined
          : Object.fromEntries(
              further.map((one) => [one.row.verb, furtherValue(one, capability, type, module)]),
            ),
    },
  ];
}

function furtherValue(
  { row, method }: StandardMethodOfType,
  capability: ModelCapability,
  type: ModelType,
  module: GeneratedModule,
): object {
  const validators = validatorsOf(capability, type.name);
  const validator = (name: string) => new Code(module.value(validators, name));
  return {
    ...(hasFurther(method.arguments)
      ? {
          furtherArguments: Object.keys(method.arguments.properties ?? {}),
          validateArguments: validator(`${row.verb}Arguments`),
        }
      : {}),
    ...(hasFurther(method.response) ? { validateResponse: validator(`${row.verb}Response`) } : {}),
  };
}
