import type { JSONSchema7 } from 'json-schema';
import type {
  FilterOperator,
  PropertyAccess,
  PropertyKind,
} from '../../../src/capability/definition.js';
import type { JsonValue } from '../../../src/protocol/json.js';
import { OPERATORS } from '../descriptor/operators.js';
import { type PropertyView, standardProperties, type TypeView } from '../descriptor/view.js';
import { flag, member, words } from '../load/located.js';
import type { ModelFilter, ModelProperty, ModelShadow, ModelSort, ModelType } from '../model.js';
import { buildSchema } from './schema.js';

const STANDARD_METHOD_NAMES = ['get', 'changes', 'set', 'copy', 'query', 'queryChanges'] as const;
const FOLDED = 'folded';
const CASEMAP = 'casemap';

const STANDARD_WORDS: Readonly<Record<string, string>> = {
  id: 'The id that the server gave the object.',
  created: 'When the object was created.',
  updated: 'When the object was last changed.',
};

/** Builds the model of a type that passed every check. */
export function buildType(view: TypeView): ModelType {
  const required = new Set(view.required.map(({ name }) => name));
  const properties = [
    ...standardProperties(view.nameAt).map(buildStandardProperty),
    ...view.properties.map((property) => buildProperty(property, required.has(property.name))),
  ];
  const named = new Map(properties.map((property) => [property.name, property]));
  const filters = view.filters.map((filter): ModelFilter => {
    const property = expect(named, filter.propertyName);
    const operator = filter.operator as FilterOperator;
    const rule = OPERATORS[operator];
    return {
      name: filter.name,
      property,
      operator,
      column: rule.folded ? `${property.column}_${FOLDED}` : property.column,
      schema: conditionSchema(property, operator),
      description: words(filter.node) || `${property.name}: ${rule.description}`,
      at: filter.nameAt,
    };
  });
  const sorts = view.sorts.map((sort): ModelSort => {
    const property = expect(named, sort.propertyName);
    return {
      property,
      // Ids are compared as octets (D7 gives them one letter case), so they need no key.
      ...(property.kind === 'string' && property.role === undefined
        ? { casemapColumn: `${property.column}_${CASEMAP}` }
        : {}),
      indexed: sort.indexed,
      at: sort.at,
    };
  });
  return {
    name: view.name,
    table: view.name,
    description: words(view.node),
    acceptSnakeCase: flag(member(view.node, 'acceptSnakeCase'), false),
    properties,
    filters,
    sorts,
    shadows: shadowsOf(properties, filters, sorts),
    singleton: false,
    methods: STANDARD_METHOD_NAMES.map((name) => ({ name, at: view.nameAt })),
    uniques: [],
    indexes: [],
    drops: [],
    at: view.nameAt,
  };
}

function buildProperty(view: PropertyView, required: boolean): ModelProperty {
  const given = member(view.node, 'default')?.value;
  const schema = buildSchema(view.node, 'stored');
  return {
    name: view.name,
    column: view.name,
    kind: view.kind as PropertyKind,
    nullable: view.nullable,
    required,
    ...(required ? {} : { default: (given ?? null) as JsonValue }),
    access: view.access as PropertyAccess,
    blob: view.blob,
    description: words(view.node),
    schema,
    at: view.nameAt,
  };
}

function buildStandardProperty(view: PropertyView): ModelProperty {
  const kind = view.kind as PropertyKind;
  return {
    name: view.name,
    column: view.name,
    kind,
    nullable: false,
    required: false,
    access: 'serverSet',
    ...(view.role === undefined ? {} : { role: view.role }),
    blob: false,
    description: STANDARD_WORDS[view.name] ?? '',
    schema: { type: 'string', format: kind === 'date' ? 'utc-date' : 'id' },
    at: view.nameAt,
  };
}

/**
 * The schema of a condition's value without null, which the validator allows for every condition.
 */
function conditionSchema(property: ModelProperty, operator: FilterOperator): JSONSchema7 {
  const value = comparedSchema(property);
  switch (OPERATORS[operator].value) {
    case 'boolean':
      return { type: 'boolean' };
    case 'list':
      return { type: 'array', items: value };
    default:
      return value;
  }
}

/**
 * The type alone, no bounds or enum: what a narrower schema no longer allows can still be looked
 * for (D13).
 */
function comparedSchema(property: ModelProperty): JSONSchema7 {
  switch (property.kind) {
    case 'boolean':
      return { type: 'boolean' };
    case 'integer':
      return {
        type: 'integer',
        minimum: Number.MIN_SAFE_INTEGER,
        maximum: Number.MAX_SAFE_INTEGER,
      };
    case 'number':
      return { type: 'number' };
    case 'date':
      return { type: 'string', format: 'utc-date' };
    default:
      return { type: 'string' };
  }
}

function shadowsOf(
  properties: readonly ModelProperty[],
  filters: readonly ModelFilter[],
  sorts: readonly ModelSort[],
): readonly ModelShadow[] {
  const folded = new Set(
    filters.filter(({ operator }) => OPERATORS[operator].folded).map(({ property }) => property),
  );
  const collated = new Set(
    sorts.filter((sort) => sort.casemapColumn !== undefined).map(({ property }) => property),
  );
  return properties.flatMap((property): ModelShadow[] => [
    ...(folded.has(property)
      ? [{ column: `${property.column}_${FOLDED}`, property, transform: 'fold' as const }]
      : []),
    ...(collated.has(property)
      ? [{ column: `${property.column}_${CASEMAP}`, property, transform: 'casemap' as const }]
      : []),
  ]);
}

function expect(named: ReadonlyMap<string, ModelProperty>, name: string): ModelProperty {
  const property = named.get(name);
  if (property === undefined) throw new Error(`The rules let the unknown property ${name} pass.`);
  return property;
}
