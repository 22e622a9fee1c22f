import type { CapabilityDefinition } from '../../src/capability/capability-definition.js';
import type { DataTypeDefinition } from '../../src/capability/definition.js';
import type { Validator } from '../../src/capability/validation.js';
import { checkDescriptors } from '../../src/descriptor/check/index.js';
import { isGiven, isGivenByHooks } from '../../src/descriptor/model/access.js';
import { buildModel } from '../../src/descriptor/model/index.js';
import type { ModelProperty, ModelType } from '../../src/descriptor/model.js';
import { parseDescriptor } from '../../src/descriptor/parse.js';
import { createAjv } from '../../src/descriptor/validation/ajv.js';
import { validationSchema } from '../../src/descriptor/validation/schema.js';
import { viewCapability } from '../../src/descriptor/view.js';
import { methodsOf } from './gadget.js';

/**
 * A capability that is made of its descriptor without generated files, and the SQL of its tables.
 */
export interface Described {
  readonly capability: CapabilityDefinition;
  readonly tables: string;
}

const FILE = 'capabilities/described.json';
const START = Object.freeze({ file: FILE, line: 1, column: 1 });

/** Reads, checks and builds the types of a descriptor; throws where it is wrong. */
export function described(types: object): Described {
  const text = JSON.stringify({ capability: 'https://example.com/jmap/described', types });
  const { root, problems } = parseDescriptor(FILE, text);
  if (root === undefined) throw new Error(JSON.stringify(problems));
  const view = viewCapability({ file: FILE, base: 'described', start: START, root });
  const wrong = checkDescriptors([view]).filter(({ severity }) => severity !== 'warning');
  if (wrong.length > 0) throw new Error(wrong.map(({ message }) => message).join('\n'));
  const [capability] = buildModel([view]).capabilities;
  if (capability === undefined) throw new Error('The model has no capability.');
  const dataTypes = capability.types.map((type) => definitionOf(type, capability.urn));
  return {
    capability: {
      urn: capability.urn,
      name: capability.name,
      descriptorHash: capability.descriptorHash,
      session: {},
      accountSession: {},
      bareSession: false,
      accountLevel: true,
      dataTypes,
      methods: dataTypes.flatMap(methodsOf),
    },
    tables: capability.types.map(tableOf).join('\n'),
  };
}

function definitionOf(type: ModelType, capability: string): DataTypeDefinition {
  const compile = (properties: readonly ModelProperty[]) =>
    createAjv().compile({
      type: 'object',
      properties: Object.fromEntries(
        properties.map((one) => [one.name, validationSchema(one.schema, 'stored')]),
      ),
      additionalProperties: false,
    }) as Validator;
  const given = type.properties.filter(isGiven);
  const { answered: _answered, query: _query, ...own } = type;
  return {
    ...own,
    capability,
    filters: [],
    sorts: [],
    shadows: [],
    uniques: [],
    singleton: undefined as never,
    errors: (type.errors ?? []).map(({ name }) => name),
    validate: {
      update: compile(given),
      filter: compile([]),
      server: compile(type.properties.filter(isGivenByHooks)),
    },
  };
}

const COLUMNS: Readonly<Record<ModelProperty['kind'], string>> = {
  string: 'TEXT',
  boolean: 'BOOLEAN',
  integer: 'BIGINT',
  number: 'REAL',
  date: 'BIGINT',
  json: 'JSONB',
};

function tableOf({ table, properties }: ModelType): string {
  const columns = properties.map(({ column, kind }) => `"${column}" ${COLUMNS[kind]}`);
  return `CREATE TABLE "${table}" ("accountId" TEXT NOT NULL, ${columns.join(', ')},
    PRIMARY KEY ("accountId", "id"));`;
}
