import { type InterfaceDeclarationStructure, StructureKind } from 'ts-morph';
import type { PropertyDefinition } from '../../../src/capability/definition.js';
import type { EmittedFiles, Model, ModelCapability, ModelProperty, ModelType } from '../model.js';
import { Code, quoted, Wrapped } from './code.js';
import { constant, engineImports, handler, namespaceImport, printModule } from './module.js';
import { STANDARD_METHODS, type StandardMethodRow } from './standard-methods.js';
import { sourceOf } from './type-validators.js';

/** The definition of each data type and its six methods with typed handlers. */
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
  return printModule(sourceOf(capability), [
    ...engineImports(),
    namespaceImport('standard', '../standard/validators.js'),
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
      words: type.description,
    }),
    constant({
      name: `${stem}Methods`,
      type: 'readonly jmap.MethodDefinition[]',
      value: new Wrapped(
        'frozen(',
        STANDARD_METHODS.map((row) => methodValue(row, capability, type)),
        ')',
      ),
      words: `The standard methods of ${type.name}.`,
    }),
  ]);
}

function shapeInterface({ name }: ModelType): InterfaceDeclarationStructure {
  const parts = { object: '', create: 'Create', patch: 'Patch', filter: 'Filter' };
  return {
    kind: StructureKind.Interface,
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

function propertiesValue(type: ModelType): Record<string, PropertyDefinition> {
  return Object.fromEntries(
    type.properties.map((property) => [property.name, propertyValue(property)]),
  );
}

function propertyValue(property: ModelProperty): PropertyDefinition {
  const { name, column, kind, nullable, required, access, role, blob } = property;
  return {
    name,
    column,
    kind,
    nullable,
    required,
    ...(property.default === undefined ? {} : { default: property.default }),
    access,
    ...(role === undefined ? {} : { role }),
    blob,
  };
}

function typeValue(capability: ModelCapability, type: ModelType): Record<string, unknown> {
  const reference = ({ name }: ModelProperty): Code => new Code(`properties.${name}`);
  return {
    name: type.name,
    capability: capability.urn,
    table: type.table,
    acceptSnakeCase: type.acceptSnakeCase,
    properties: new Code('Object.values(properties)'),
    filters: type.filters.map(({ name, property, operator, column }) => ({
      name,
      property: reference(property),
      operator,
      column,
    })),
    sorts: type.sorts.map(({ property, casemapColumn }) => ({
      property: reference(property),
      casemapColumn,
    })),
    shadows: type.shadows.map(({ column, property, transform }) => ({
      column,
      property: reference(property),
      transform,
    })),
    validate: {
      create: new Code('validators.create'),
      update: new Code('validators.update'),
      filter: new Code('validators.filter'),
    },
  };
}

function methodValue(
  row: StandardMethodRow,
  capability: ModelCapability,
  type: ModelType,
): Wrapped {
  const stem = stemOf(type.name);
  const args = `jmap.${row.stem}Arguments`;
  const response = `jmap.${row.stem}Response${row.shaped ? `<${type.name}Shape>` : ''}`;
  return new Wrapped(
    '',
    {
      name: `${type.name}/${row.verb}`,
      capability: capability.urn,
      dataType: new Code(`${stem}Type`),
      account: row.account,
      argumentNames: new Code(`standard.argumentNames.${row.verb}`),
      acceptSnakeCase: type.acceptSnakeCase,
      validateArguments: new Code(`standard.${row.verb}Arguments`),
      handle: handler(args, `context.standard.${row.verb}(${stem}Type, args)`),
    },
    ` satisfies jmap.MethodDefinition<${args}, ${response}>`,
  );
}
