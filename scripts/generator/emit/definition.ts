import type { JsonValue } from '../../../src/protocol/json.js';
import { isSearched } from '../descriptor/operators.js';
import type { StandardMethodRow } from '../descriptor/standard-methods.js';
import { isGivenByHooks } from '../model/access.js';
import {
  hasFurther,
  hasStored,
  methodTypeName,
  standardMethodsOf,
} from '../model/further-members.js';
import type {
  EmittedFiles,
  Model,
  ModelCapability,
  ModelFilter,
  ModelProperty,
  ModelSort,
  ModelStandardMethod,
  ModelType,
} from '../model.js';
import { Code, quoted, Wrapped } from './code.js';
import { charactersOfRow } from './key-ordered.js';
import {
  constant,
  deprecatedWords,
  engineImports,
  handler,
  namespaceImport,
  printModule,
} from './module.js';
import type { InterfaceStructure } from './structures.js';
import { sourceOf } from './type-validators.js';

/** The definition of each data type and its standard methods with typed handlers. */
export function emitDefinitions(model: Model): EmittedFiles {
  const files = new Map<string, string>();
  for (const capability of model.capabilities) {
    for (const type of capability.types) {
      files.set(
        `generated/${capability.name}/${type.name}.definition.ts`,
        definitionModule(capability, type),
      );
    }
  }
  return files;
}

/** `todo` of `Todo`: what the names of a type's constants begin with. */
export function stemOf(typeName: string): string {
  return typeName.charAt(0).toLowerCase() + typeName.slice(1);
}

function definitionModule(capability: ModelCapability, type: ModelType): string {
  const stem = stemOf(type.name);
  const methods = standardMethodsOf(type);
  return printModule(sourceOf(capability), [
    ...engineImports(),
    ...(methods.length === 0 ? [] : [namespaceImport('standard', '../standard/validators.js')]),
    namespaceImport('wire', `./${type.name}.types.js`, true),
    namespaceImport('validators', `./${type.name}.validators.js`),
    shapeInterface(type),
    `\ntype PropertyName =\n${type.properties
      .map(({ name }) => `  | ${quoted(name)}\n`)
      .join('')
      .trimEnd()};`,
    constant({
      name: 'properties',
      value: new Wrapped('frozen(', propertiesValue(type), ')'),
      type: `Record<PropertyName, jmap.PropertyDefinition>`,
      exported: false,
    }),
    constant({
      name: `${stem}Type`,
      type: `jmap.DataTypeDefinition<${type.name}Shape>`,
      value: new Wrapped('frozen(', typeValue(capability, type), ')'),
      words: deprecatedWords(type.description, type.deprecated),
    }),
    constant({
      name: `${stem}Methods`,
      type: 'readonly jmap.MethodDefinition[]',
      value: new Wrapped(
        'frozen(',
        methods.map(({ row, method }) => methodValue(row, method, capability, type)),
        ')',
      ),
      words: `The standard methods of ${type.name}.`,
    }),
  ]);
}

function shapeInterface(type: ModelType): InterfaceStructure {
  const { name } = type;
  const parts = {
    object: '',
    create: 'Create',
    patch: 'Patch',
    filter: 'Filter',
    ...(hasStored(type) ? { stored: 'Stored' } : {}),
  };
  return {
    leadingTrivia: '\n',
    isExported: true,
    name: `${name}Shape`,
    docs: [`The wire types of ${name}, for inference.`],
    properties: Object.entries(parts).map(([part, suffix]) => ({
      name: part,
      isReadonly: true,
      type: `wire.${name}${suffix}`,
    })),
  };
}

function propertiesValue(type: ModelType): Record<string, object> {
  return Object.fromEntries(
    type.properties.map((property) => [property.name, propertyValue(property)]),
  );
}

function propertyValue(property: ModelProperty): object {
  const { name, column, kind, nullable, required, access, role, blob } = property;
  const { format, reference, computed, secret } = property;
  return {
    name,
    column,
    kind,
    nullable,
    required,
    ...(property.default === undefined ? {} : { default: defaultValue(property.default) }),
    access,
    ...(role === undefined ? {} : { role }),
    blob,
    ...(format === undefined ? {} : { format }),
    ...(reference === undefined ? {} : { reference }),
    ...(computed === undefined ? {} : { computed }),
    ...(secret === undefined ? {} : { secret }),
  };
}

/**
 * The objects of a list get one inferred type, in which each lacks the members of the others; no
 * object lacks a `toString`, so that a list where one has it as a key must not be inferred.
 */
function defaultValue(value: JsonValue): unknown {
  const isCompound = typeof value === 'object' && value !== null && Object.keys(value).length > 0;
  return isCompound ? new Wrapped('frozen<jmap.JsonValue>(', value, ')') : value;
}

function typeValue(capability: ModelCapability, type: ModelType): Record<string, unknown> {
  const characters = charactersOfRow(type);
  return {
    name: type.name,
    capability: capability.urn,
    table: type.table,
    characters: Number.isFinite(characters) ? characters : undefined,
    acceptSnakeCase: type.acceptSnakeCase,
    properties: new Code('Object.values(properties)'),
    filters: type.filters.map((filter) => filterValue(filter, type)),
    sorts: type.sorts.map(sortValue),
    shadows: type.shadows.map(({ column, property, transform }) => ({
      column,
      property: referenceTo(property),
      transform,
    })),
    ...(type.singleton ? { singleton: true } : {}),
    ...(type.uniques.length === 0
      ? {}
      : {
          uniques: type.uniques.map(({ name, properties }) => ({
            name,
            properties: properties.map(referenceTo),
          })),
        }),
    search: type.search,
    limits: type.limits,
    validate: {
      create: new Code('validators.create'),
      update: new Code('validators.update'),
      filter: new Code('validators.filter'),
      server: type.properties.some(isGivenByHooks) ? new Code('validators.server') : undefined,
    },
  };
}

/** A condition reads an index that is there for whatever reason: it needn't have asked for it. */
function filterValue(filter: ModelFilter, { uniques, indexes, sorts }: ModelType): object {
  const { name, property, operator, column, columns } = filter;
  const first = [
    ...uniques.map(({ properties: [of] }) => of?.column),
    ...indexes.map(({ columns: [of] }) => of),
    ...sorts.map((sort) =>
      sort.indexed ? (sort.casemapColumn ?? sort.column ?? sort.property.column) : undefined,
    ),
  ];
  const isHeld = !isSearched(operator) && (property.role === 'id' || first.includes(column));
  const indexed = filter.indexed ?? (isHeld ? true : undefined);
  return { name, property: referenceTo(property), operator, column, columns, indexed };
}

function sortValue({ property, casemapColumn, column, indexed }: ModelSort): object {
  const isIndexed = indexed ? true : undefined;
  return { property: referenceTo(property), casemapColumn, column, indexed: isIndexed };
}

function referenceTo({ name }: ModelProperty): Code {
  return new Code(`properties.${name}`);
}

function methodValue(
  row: StandardMethodRow,
  method: ModelStandardMethod,
  capability: ModelCapability,
  type: ModelType,
): Wrapped {
  const stem = stemOf(type.name);
  const hasArguments = hasFurther(method.arguments);
  const args = `jmap.${row.stem}Arguments${
    hasArguments ? ` & wire.${methodTypeName(type, row, 'Arguments')}` : ''
  }`;
  // Optional: the hook file adds them to what the engine answers.
  const response = `jmap.${row.stem}Response${row.shaped ? `<${type.name}Shape>` : ''}${
    hasFurther(method.response) ? ` & Partial<wire.${methodTypeName(type, row, 'Response')}>` : ''
  }`;
  const further = Object.keys(method.arguments?.properties ?? {});
  const names = `standard.argumentNames.${row.verb}`;
  return new Wrapped(
    '',
    {
      name: `${type.name}/${row.verb}`,
      capability: capability.urn,
      dataType: new Code(`${stem}Type`),
      account: row.account,
      argumentNames: hasArguments ? [new Code(`...${names}`), ...further] : new Code(names),
      furtherArguments: hasArguments ? further : undefined,
      acceptSnakeCase: type.acceptSnakeCase,
      validateArguments: new Code(
        `${hasArguments ? 'validators' : 'standard'}.${row.verb}Arguments`,
      ),
      validateResponse: hasFurther(method.response)
        ? new Code(`validators.${row.verb}Response`)
        : undefined,
      handle: handler(args, `context.standard.${row.verb}(${stem}Type, args)`),
    },
    ` satisfies jmap.MethodDefinition<${args}, ${response}>`,
  );
}
