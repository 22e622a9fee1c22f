import type { PropertyKind, PropertyRole } from '../../../src/capability/definition.js';
import type { Descriptor } from '../load/index.js';
import { flag, items, type Located, type Member, member, members, text } from '../load/located.js';
import type { Location } from '../model.js';

/**
 * A descriptor as rules see it: names and places, tolerant of everything that is wrong, so that
 * every rule has its say in one run. What is missing or of the wrong shape is undefined or left
 * out; the structure rule tells about it.
 */
export interface CapabilityView {
  readonly file: string;
  readonly base: string;
  readonly root: Located;
  readonly urn: string | undefined;
  readonly urnAt: Location;
  readonly types: readonly TypeView[];
  readonly methods: readonly MethodView[];
}

export interface TypeView {
  readonly name: string;
  readonly nameAt: Location;
  readonly node: Located;
  /** As declared; the standard ones are in STANDARD_PROPERTIES. */
  readonly properties: readonly PropertyView[];
  readonly required: readonly { readonly name: string; readonly at: Location }[];
  readonly filters: readonly FilterView[];
  readonly sorts: readonly SortView[];
}

export interface PropertyView {
  readonly name: string;
  readonly nameAt: Location;
  readonly node: Located;
  /** Undefined where the declaration is too wrong to tell. */
  readonly kind: PropertyKind | undefined;
  readonly nullable: boolean;
  readonly blob: boolean;
  readonly access: string;
  readonly role?: PropertyRole;
}

export interface FilterView {
  readonly name: string;
  readonly nameAt: Location;
  readonly node: Located;
  readonly propertyName: string;
  readonly propertyAt: Location;
  readonly property: PropertyView | undefined;
  readonly operator: string | undefined;
  readonly operatorAt: Location;
}

export interface SortView {
  readonly propertyName: string;
  readonly at: Location;
  readonly property: PropertyView | undefined;
  readonly indexed: boolean;
}

export interface MethodView {
  readonly name: string;
  readonly nameAt: Location;
  readonly node: Located;
}

export function viewCapability(
  descriptor: Descriptor & { readonly root: Located },
): CapabilityView {
  const { file, base, root, start } = descriptor;
  const urn = member(root, 'capability');
  return {
    file,
    base,
    root,
    urn: text(urn),
    urnAt: urn?.at ?? start,
    types: members(member(root, 'types')).map(viewType),
    methods: members(member(root, 'methods')),
  };
}

function viewType({ name, nameAt, node }: Member): TypeView {
  const properties = members(member(node, 'properties')).map(viewProperty);
  const all = new Map<string, PropertyView>();
  for (const property of [...standardProperties(nameAt), ...properties]) {
    if (!all.has(property.name)) all.set(property.name, property);
  }
  const required = items(member(node, 'required')).flatMap((item) => {
    const required = text(item);
    return required === undefined ? [] : [{ name: required, at: item.at }];
  });
  return {
    name,
    nameAt,
    node,
    properties,
    required,
    filters: members(member(node, 'filter')).map((filter) => viewFilter(filter, all)),
    sorts: items(member(node, 'sort')).flatMap((sort) => viewSort(sort, all)),
  };
}

function viewProperty({ name, nameAt, node }: Member): PropertyView {
  const { type, nullable } = typeOf(node);
  return {
    name,
    nameAt,
    node,
    kind: kindOf(type, text(member(node, 'format'))),
    nullable,
    blob: flag(member(node, 'blob'), false),
    access: text(member(node, 'access')) ?? 'mutable',
  };
}

/** The one type of a schema and whether null is allowed beside it. */
export function typeOf(node: Located): { type: string | undefined; nullable: boolean } {
  const type = member(node, 'type');
  if (type?.items === undefined) return { type: text(type), nullable: false };
  const names = type.items.map(text);
  const others = names.filter((name) => name !== 'null');
  return {
    type: others.length === 1 ? others[0] : undefined,
    nullable: names.includes('null'),
  };
}

export function kindOf(
  type: string | undefined,
  format: string | undefined,
): PropertyKind | undefined {
  switch (type) {
    case 'string':
      return format === 'utc-date' ? 'date' : 'string';
    case 'boolean':
    case 'integer':
    case 'number':
      return type;
    case 'array':
    case 'object':
      return 'json';
    default:
      return undefined;
  }
}

/** What every type has besides its own properties (service.md 2: standard columns). */
export function standardProperties(at: Location): readonly PropertyView[] {
  const standard = (name: string, kind: PropertyKind, role: PropertyRole): PropertyView => ({
    name,
    nameAt: at,
    node: { value: null, at },
    kind,
    nullable: false,
    blob: false,
    access: 'serverSet',
    role,
  });
  return [
    standard('id', 'string', 'id'),
    standard('created', 'date', 'created'),
    standard('updated', 'date', 'updated'),
  ];
}

function viewFilter(
  { name, nameAt, node }: Member,
  all: ReadonlyMap<string, PropertyView>,
): FilterView {
  const property = member(node, 'property');
  const operator = node.members === undefined ? node : member(node, 'is');
  const propertyName = text(property) ?? name;
  return {
    name,
    nameAt,
    node,
    propertyName,
    propertyAt: property?.at ?? nameAt,
    property: all.get(propertyName),
    operator: text(operator),
    operatorAt: operator?.at ?? node.at,
  };
}

function viewSort(node: Located, all: ReadonlyMap<string, PropertyView>): readonly SortView[] {
  const named = node.members === undefined ? node : member(node, 'property');
  const propertyName = text(named);
  if (propertyName === undefined || named === undefined) return [];
  return [
    {
      propertyName,
      at: named.at,
      property: all.get(propertyName),
      indexed: flag(member(node, 'indexed'), false),
    },
  ];
}
