import { BUILT_IN_METHODS, type OAuthScopes } from '../../capability/capability-definition.js';
import type { JsonObject } from '../../protocol/json.js';
import { titleOf } from '../expand.js';
import { flag, type Located, member, members, text, words } from '../located.js';
import type { Location, Model, ModelCapability, ModelMethod, ModelType } from '../model.js';
import { type NameView, namesIn } from '../name-view.js';
import { byCodeUnit } from '../order.js';
import { isBlob, schemasIn } from '../schema-places.js';
import type { CapabilityView, MethodView } from '../view.js';
import { quotasOf } from './build-quotas.js';
import { deepFreeze } from './freeze.js';
import { meaningHash } from './hash.js';
import { buildSchema } from './property-schema.js';
import { buildType, type Surroundings } from './type.js';
import { findInternal, wireDescriptor } from './wire-descriptor.js';

/** Builds the frozen model of descriptors that passed every check. */
export function buildModel(views: readonly CapabilityView[]): Model {
  const around = { isInternal: findInternal(views), distinct: findDistinct(views) };
  const capabilities = views
    .map((view) => buildCapability(view, around))
    .sort((a, b) => byCodeUnit(a.name, b.name));
  return deepFreeze({ capabilities });
}

/** Finds the properties whose different values are counted: an index finds who else has one. */
function findDistinct(views: readonly CapabilityView[]): Surroundings['distinct'] {
  const found = new Map<string, { names: NameView[]; at: Location }[]>();
  const types = views.flatMap((view) => view.types);
  for (const { computed } of types.flatMap(({ properties }) => properties)) {
    const { kind, type, of } = computed?.aggregate ?? {};
    if (kind !== 'count' || type === undefined || of === undefined) continue;
    found.set(type.name, [...(found.get(type.name) ?? []), { names: [of], at: of.at }]);
  }
  return found;
}

/** Returns the model of one descriptor. Its hash covers the meaning and no place or description. */
function buildCapability(view: CapabilityView, around: Surroundings): ModelCapability {
  const { root } = view;
  const meaning = {
    urn: view.urn ?? '',
    session: (member(root, 'session')?.value ?? {}) as JsonObject,
    accountSession: (member(root, 'accountSession')?.value ?? {}) as JsonObject,
    bareSession: flag(member(root, 'bareSession'), false),
    accountLevel: flag(member(root, 'accountLevel'), true),
    ...scopesOf(root),
    ...quotasOf(view),
    types: view.types.map((type) => buildType(type, around)),
    methods: view.methods.map(buildMethod),
  };
  return {
    ...meaning,
    ...sharedTypesOf(root),
    drops: namesIn(member(root, 'drops')),
    name: view.base,
    description: words(root),
    descriptorHash: meaningHash({ ...meaning, types: meaning.types.map(withPlainSorts) }),
    onWire: wireDescriptor(view, around.isInternal),
    at: view.urnAt,
  };
}

/** Returns the scopes of a capability; nothing where it has none, so that hashes stay. */
function scopesOf(root: Located): Pick<ModelCapability, 'oauthScopes'> {
  const node = member(root, 'oauthScopes');
  return node === undefined ? {} : { oauthScopes: node.value as unknown as OAuthScopes };
}

/** Returns the files of the definitions that come from shared ones, if there are any. */
function sharedTypesOf(root: Located): Pick<ModelCapability, 'sharedTypes'> {
  const all = members(member(root, '$defs')).flatMap(({ name, node }) =>
    node.sharedFile === undefined ? [] : [[titleOf(name), node.sharedFile] as const],
  );
  return all.length === 0 ? {} : { sharedTypes: new Map(all) };
}

/** Returns a type in which a sort has a name only where it isn't the property's: hashes stay. */
function withPlainSorts(type: ModelType): object {
  return {
    ...type,
    sorts: type.sorts.map(({ name, ...sort }) =>
      name === sort.property.name ? sort : { name, ...sort },
    ),
  };
}

/** Returns whether the texts of a schema are ids of objects or blobs. */
function holdsIds(node: Located): boolean {
  const isId = text(member(node, 'format')) === 'id';
  return isId || isBlob(node) || member(node, 'references') !== undefined;
}

/** Returns the model of an own method. A closed object of arguments names them, sorted. */
function buildMethod({ name, nameAt, node }: MethodView): ModelMethod {
  const args = member(node, 'arguments') ?? node;
  const schema = buildSchema(args, 'message');
  const deprecated = text(member(node, 'deprecated'))?.trim();
  const accountCapability = text(member(node, 'accountCapability'));
  return {
    name,
    description: words(node),
    account: (text(member(node, 'account')) ?? 'read') as ModelMethod['account'],
    ...(accountCapability === undefined ? {} : { accountCapability }),
    ...(schema.additionalProperties === false
      ? { argumentNames: Object.keys(schema.properties ?? {}).sort(byCodeUnit) }
      : {}),
    builtIn: BUILT_IN_METHODS.some((one) => one === name),
    arguments: schema,
    response: buildSchema(member(node, 'response') ?? node, 'message'),
    idPlaces: schemasIn(args).flatMap((each) => (holdsIds(each.node) ? [each.place] : [])),
    ...(deprecated === undefined ? {} : { deprecated }),
    at: nameAt,
  };
}
