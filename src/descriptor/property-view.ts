import { AGGREGATE_KINDS } from '../capability/aggregates.js';
import type {
  AggregateKind,
  ComputedDefinition,
  PropertyKind,
  PropertyRole,
} from '../capability/definition.js';
import { referenceName, singleReference } from '../capability/named-references.js';
import type { Place } from '../capability/places.js';
import { escapeToken } from '../protocol/json-pointer.js';
import { buildCondition, type ConditionView, viewInnerConditions } from './condition-view.js';
import { kindOf, typeOf } from './kinds.js';
import { flag, items, type Located, type Member, member, text } from './located.js';
import type { Location } from './model.js';
import { type NameView, nameOf, namesIn, referringName } from './name-view.js';
import { type InnerSchema, isBlob, isPrincipal, schemasIn } from './schema-places.js';

/** The standard properties that a type may replace or leave out. */
export const TIMES = ['created', 'updated'] as const;

/** A reference as declared. `target` may be no type; a rule reports that. */
export interface ReferenceView {
  readonly target: NameView;
  readonly place: Place;
  readonly onDestroy: string;
  /** The error that `restrict` names. */
  readonly error?: NameView;
  readonly acyclic: boolean;
  /** `setNull` takes out the member that has the id: it may be absent, but not null. */
  readonly removable: boolean;
  /** The property's name and, unless it itself is meant, the place: `steps/*\/taskId`. */
  readonly name: string;
  /** The schema that declares it, and the schemas that this one lies in, the outermost first. */
  readonly node: Located;
  readonly above: readonly Located[];
}

/** The value of `computed`. A rule judges whether it is legal. */
export interface ComputedView {
  readonly at: Location;
  readonly node: Located;
  readonly from: readonly NameView[];
  readonly aggregate?: AggregateView;
  readonly on: readonly (NameView & { readonly type: string; readonly property: string })[];
}

/** An aggregate as declared: `count`, `sum`, `min` or `max`. */
export interface AggregateView {
  readonly kind: AggregateKind;
  readonly type: NameView;
  /** The property behind the type, as in `Line.amount`, or what `distinct` names. */
  readonly of?: NameView;
  readonly by?: NameView;
  readonly where: readonly ConditionView[];
}

/** A property as declared, with the places that messages name. */
export interface PropertyView {
  readonly name: string;
  readonly nameAt: Location;
  /** References to `$defs` are resolved in it. */
  readonly node: Located;
  /** Undefined where the declaration is too wrong to tell. */
  readonly kind: PropertyKind | undefined;
  readonly nullable: boolean;
  /** The property may be absent. */
  readonly optional: boolean;
  /** The value itself is the id of a blob. */
  readonly blob: boolean;
  /** `principal: true`: its texts are ids of users. */
  readonly principal: boolean;
  /** Each user has a value of its own. */
  readonly perUser: boolean;
  /** The places in its values that hold ids of blobs. */
  readonly blobs: readonly Place[];
  readonly access: string;
  readonly format?: string;
  /** `default: { now: true }`. */
  readonly defaultNow: boolean;
  readonly role?: PropertyRole;
  readonly references: readonly ReferenceView[];
  readonly computed?: ComputedView;
}

/** Reads the declaration of a property, without judging it. */
export function viewProperty({ name, nameAt, node }: Member): PropertyView {
  const { type, nullable } = typeOf(node);
  const schemas = schemasIn(node);
  const references = schemas.flatMap((schema) => viewReference(name, schema));
  const isId = singleReference({ references }) !== undefined;
  const principal = isPrincipal(node);
  const format = isId || (principal && type === 'string') ? 'id' : text(member(node, 'format'));
  const computed = member(node, 'computed');
  return {
    name,
    nameAt,
    node,
    kind: kindOf(type, format),
    nullable,
    optional: flag(member(node, 'optional'), false),
    blob: isBlob(node),
    principal,
    perUser: flag(member(node, 'perUser'), false),
    blobs: schemas.filter((schema) => isBlob(schema.node)).map(({ place }) => place),
    references,
    access: text(member(node, 'access')) ?? 'mutable',
    ...(format === undefined ? {} : { format }),
    defaultNow: isNow(member(node, 'default'), type),
    ...(computed === undefined ? {} : { computed: viewComputed(computed) }),
  };
}

/** Returns whether a text has the default `{ now: true }`; an object may be an object's default. */
function isNow(given: Located | undefined, type: string | undefined): boolean {
  return type === 'string' && given?.members !== undefined;
}

/**
 * Returns views of `id`, `created` and `updated`, at the place of their type's name. Of the last
 * two it leaves out those that `isOwn` says the type declares itself, or goes without.
 */
export function standardProperties(
  at: Location,
  isOwn: (name: string) => boolean,
): readonly PropertyView[] {
  const standard = (name: string, kind: PropertyKind, role: PropertyRole): PropertyView => ({
    name,
    nameAt: at,
    node: { value: null, at },
    kind,
    nullable: false,
    optional: false,
    blob: false,
    principal: false,
    perUser: false,
    blobs: [],
    references: [],
    defaultNow: false,
    access: 'serverSet',
    role,
  });
  return [
    standard('id', 'string', 'id'),
    ...TIMES.filter((name) => !isOwn(name)).map((name) => standard(name, 'date', name)),
  ];
}

/**
 * Returns whether a word is written as the name of a type, with a capital: `setOf: Gadget` is a set
 * of ids. Another rule asks whether there is such a type.
 */
export function isTypeName(name: string | undefined): name is string {
  return name !== undefined && /^[A-Z]/.test(name);
}

/**
 * Returns the reference that a schema declares, if it does: by `setOf: Type` its keys, and by
 * `references` its text, or its items if it is a list.
 */
function viewReference(property: string, schema: InnerSchema): readonly ReferenceView[] {
  const { node, above } = schema;
  const target = referenceTarget(node);
  if (target === undefined) return [];
  const place = [...schema.place, ...ownStep(node, target)];
  const onDestroy = member(node, 'onDestroy');
  const error = nameOf(member(onDestroy, 'restrict'));
  return [
    {
      target,
      place,
      onDestroy: text(onDestroy) ?? 'restrict',
      ...(error === undefined ? {} : { error }),
      acyclic: flag(member(node, 'acyclic'), false),
      removable: text(onDestroy) === 'setNull' && isRemovable(node, place, above),
      name: referenceName(escapeToken(property), place),
      node,
      above,
    },
  ];
}

/** Returns whether the schema is of a member that an object may lack, but that is never null. */
function isRemovable(node: Located, place: Place, above: readonly Located[]): boolean {
  const step = place.at(-1);
  if (step === undefined || !('member' in step) || typeOf(node).nullable) return false;
  const required = items(member(above.at(-1), 'required'));
  return !required.some(({ value }) => value === step.member);
}

/** Returns the type that a schema's `setOf` or `references` names, with its place. */
export function referenceTarget(node: Located): NameView | undefined {
  const keys = nameOf(member(node, 'setOf'));
  return isTypeName(keys?.name) ? keys : nameOf(member(node, 'references'));
}

function ownStep(node: Located, { at }: NameView): Place {
  if (at === member(node, 'setOf')?.at) return [{ each: 'key' }];
  return typeOf(node).type === 'array' ? [{ each: 'item' }] : [];
}

/** Returns the sources under `computed`. It leaves out what is no name. */
export function viewComputed(node: Located): ComputedView {
  const aggregate = viewAggregate(node);
  return {
    at: node.at,
    node,
    from: namesIn(member(node, 'from')),
    ...(aggregate === undefined ? {} : { aggregate }),
    on: items(member(node, 'on')).flatMap((item) => {
      const source = nameOf(item);
      return source === undefined ? [] : [{ ...source, ...splitSource(source) }];
    }),
  };
}

/** Returns the parts of `Type.property`: the name of a property may have a point. */
function splitSource({ name }: NameView): { readonly type: string; readonly property: string } {
  const [type = '', ...rest] = name.split('.');
  return { type, property: rest.join('.') };
}

/** Returns the first aggregate of a `computed`; undefined where it has none. */
function viewAggregate(node: Located): AggregateView | undefined {
  const kind = AGGREGATE_KINDS.find((key) => member(node, key) !== undefined);
  const source = kind && nameOf(member(node, kind));
  if (kind === undefined || source === undefined) return undefined;
  const { at } = source;
  const named = splitSource(source);
  const of = kind === 'count' ? nameOf(member(node, 'distinct')) : { name: named.property, at };
  const by = nameOf(member(node, 'by'));
  return {
    kind,
    type: kind === 'count' ? source : { name: named.type, at },
    ...(of === undefined ? {} : { of }),
    ...(by === undefined ? {} : { by }),
    where: viewInnerConditions(member(node, 'where')),
  };
}

/** Returns the names of the properties that an aggregate reads of its source. */
export function namesRead({ of, by, where }: AggregateView): readonly string[] {
  const names = [of?.name, by && referringName(by), ...where.map(({ property }) => property.name)];
  return names.filter((name) => name !== undefined);
}

/** Returns the engine's form of a `computed` that the rules accepted: it has one kind of source. */
export function computedDefinition(view: ComputedView): ComputedDefinition {
  if (view.aggregate !== undefined) return aggregateDefinition(view.aggregate);
  return view.on.length > 0
    ? { kind: 'on', sources: view.on.map(({ type, property }) => ({ type, property })) }
    : { kind: 'from', properties: view.from.map(({ name }) => name) };
}

function aggregateDefinition({ kind, type, of, by, where }: AggregateView): ComputedDefinition {
  return {
    kind,
    type: type.name,
    ...(by === undefined ? {} : { by: by.name }),
    ...(of === undefined ? {} : { of: of.name }),
    ...(where.length === 0 ? {} : { where: where.map(buildCondition) }),
  };
}
