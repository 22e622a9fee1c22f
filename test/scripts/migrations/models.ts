import type {
  Model,
  ModelDrop,
  ModelProperty,
  ModelShadow,
  ModelSort,
  ModelType,
} from '../../../src/descriptor/model.js';

/**
 * Hand-made models: what the generator would read from descriptors, as far as Prisma and migrations
 * go.
 */

const AT = Object.freeze({ file: 'capabilities/things.yaml', line: 1, column: 1 });

export function property(
  name: string,
  kind: ModelProperty['kind'],
  rest: Partial<ModelProperty> = {},
): ModelProperty {
  return {
    name,
    column: name,
    kind,
    nullable: false,
    required: false,
    access: 'mutable',
    blobs: [],
    texts: [],
    references: [],
    description: '',
    schema: {},
    at: { ...AT, line: 10 },
    ...rest,
  };
}

const STANDARD: readonly ModelProperty[] = [
  property('id', 'string', { role: 'id', access: 'serverSet' }),
  property('created', 'date', { role: 'created', access: 'serverSet' }),
  property('updated', 'date', { role: 'updated', access: 'serverSet' }),
];

export function type(
  name: string,
  properties: readonly ModelProperty[],
  rest: Partial<Omit<ModelType, 'drops'>> & {
    readonly folded?: readonly string[];
    readonly casemapped?: readonly string[];
    readonly drops?: readonly string[];
  } = {},
): ModelType {
  const { folded = [], casemapped = [], drops = [], ...others } = rest;
  const shadow = (transform: ModelShadow['transform'], suffix: string) => (of: string) => ({
    column: `${of}_${suffix}`,
    property: find(properties, of),
    transform,
  });
  return {
    name,
    table: name,
    description: `A ${name}.`,
    acceptSnakeCase: false,
    properties: [...STANDARD, ...properties],
    filters: [],
    sorts: [],
    shadows: [
      ...folded.map(shadow('fold', 'folded')),
      ...casemapped.map(shadow('casemap', 'casemap')),
    ],
    singleton: false,
    methods: [],
    uniques: [],
    indexes: [],
    drops: drops.map(drop),
    at: { ...AT, line: 5 },
    ...others,
  };
}

/** A word in `drops`. */
export function drop(name: string): ModelDrop {
  return { name, at: { ...AT, line: 30 } };
}

export function find(properties: readonly ModelProperty[], name: string): ModelProperty {
  const found = properties.find((candidate) => candidate.name === name);
  if (found === undefined) throw new Error(`no property ${name}`);
  return found;
}

export function indexed(of: ModelProperty, casemapColumn?: string): ModelSort {
  const at = { ...AT, line: 20 };
  return casemapColumn === undefined
    ? { name: of.name, property: of, indexed: true, at }
    : { name: of.name, property: of, casemapColumn, indexed: true, at };
}

export function model(types: readonly ModelType[]): Model {
  return {
    capabilities: [
      {
        urn: 'urn:example:things',
        name: 'things',
        description: '',
        descriptorHash: 'sha256-',
        session: {},
        accountSession: {},
        bareSession: false,
        accountLevel: true,
        onWire: {},
        types,
        methods: [],
        drops: [],
        at: AT,
      },
    ],
  };
}

export const TODO_PROPERTIES: readonly ModelProperty[] = [
  property('text', 'string', { required: true, description: 'The task in a few words.' }),
  property('done', 'boolean', { default: false }),
];

export function todo(more: readonly ModelProperty[] = [], rest: Parameters<typeof type>[2] = {}) {
  return type('Todo', [...TODO_PROPERTIES, ...more], {
    folded: ['text'],
    casemapped: ['text'],
    ...rest,
  });
}
