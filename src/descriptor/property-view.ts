import type {
  ComputedDefinition,
  PropertyKind,
  PropertyRole,
  ReferenceDefinition,
} from '../capability/definition.js';
import type { Place } from '../capability/places.js';
import { isBlob, placesIn } from './blob-places.js';
import { kindOf, typeOf } from './kinds.js';
import { flag, items, type Located, type Member, member, text } from './located.js';
import type { Location } from './model.js';

/** The standard properties that a type may replace or leave out. */
export const TIMES = ['created', 'updated'] as const;

/** A name that the descriptor gives to something that stands elsewhere. */
export interface NameView {
  readonly name: string;
  readonly at: Location;
}

/** A reference as declared. `target` may be no type; a rule reports that. */
export interface ReferenceView {
  readonly target: NameView;
  readonly form: ReferenceDefinition['form'];
  readonly onDestroy: string;
  /** The error that `restrict` names. */
  readonly error?: NameView;
  readonly acyclic: boolean;
}

/** The value of `computed`. A rule judges whether it is legal. */
export interface ComputedView {
  readonly at: Location;
  readonly node: Located;
  readonly from: readonly NameView[];
  readonly count?: { readonly type: NameView; readonly by: NameView };
  readonly on: readonly (NameView & { readonly type: string; readonly property: string })[];
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
  /** The places in its values that hold ids of blobs. */
  readonly blobs: readonly Place[];
  readonly access: string;
  readonly format?: string;
  /** `default: { now: true }`. */
  readonly defaultNow: boolean;
  readonly role?: PropertyRole;
  readonly reference?: ReferenceView;
  readonly computed?: ComputedView;
}

/** Reads the declaration of a property, without judging it. */
export function viewProperty({ name, nameAt, node }: Member): PropertyView {
  const { type, nullable } = typeOf(node);
  const reference = viewReference(node, type);
  const format = reference?.form === 'single' ? 'id' : text(member(node, 'format'));
  const computed = member(node, 'computed');
  return {
    name,
    nameAt,
    node,
    kind: kindOf(type, format),
    nullable,
    optional: flag(member(node, 'optional'), false),
    blob: isBlob(node),
    blobs: placesIn(node, isBlob),
    access: text(member(node, 'access')) ?? 'mutable',
    ...(format === undefined ? {} : { format }),
    defaultNow: isNow(member(node, 'default'), type),
    ...(reference === undefined ? {} : { reference }),
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
    blobs: [],
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

/** Returns a name with its place; undefined where the value is no text. */
export function nameOf(node: Located | undefined): NameView | undefined {
  const name = text(node);
  return node === undefined || name === undefined ? undefined : { name, at: node.at };
}

/** Returns the reference that `setOf: Type` or else `references` declares, if one does. */
function viewReference(node: Located, type: string | undefined): ReferenceView | undefined {
  const keys = nameOf(member(node, 'setOf'));
  const named = nameOf(member(node, 'references'));
  const target = keys !== undefined && isTypeName(keys.name) ? keys : named;
  if (target === undefined) return undefined;
  const ofValue = type === 'array' ? 'list' : 'single';
  const onDestroy = member(node, 'onDestroy');
  const error = nameOf(member(onDestroy, 'restrict'));
  return {
    target,
    form: target === keys ? 'set' : ofValue,
    onDestroy: text(onDestroy) ?? 'restrict',
    ...(error === undefined ? {} : { error }),
    acyclic: flag(member(node, 'acyclic'), false),
  };
}

/**
 * Returns the sources under `computed`. It leaves out what is no name, and a count without `by`.
 */
function viewComputed(node: Located): ComputedView {
  const type = nameOf(member(node, 'count'));
  const by = nameOf(member(node, 'by'));
  return {
    at: node.at,
    node,
    from: items(member(node, 'from')).flatMap((item) => nameOf(item) ?? []),
    ...(type === undefined || by === undefined ? {} : { count: { type, by } }),
    on: items(member(node, 'on')).flatMap((item) => {
      const source = nameOf(item);
      if (source === undefined) return [];
      const [first = '', ...rest] = source.name.split('.');
      return [{ ...source, type: first, property: rest.join('.') }];
    }),
  };
}

/** Returns the engine's form of a `computed` that the rules accepted: it has one kind of source. */
export function computedDefinition(view: ComputedView): ComputedDefinition {
  if (view.count !== undefined)
    return { kind: 'count', type: view.count.type.name, by: view.count.by.name };
  return view.on.length > 0
    ? { kind: 'on', sources: view.on.map(({ type, property }) => ({ type, property })) }
    : { kind: 'from', properties: view.from.map(({ name }) => name) };
}
