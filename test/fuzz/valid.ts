import { buildHolding } from '../../conform/src/subject/blob-holders.js';
import { replaceTexts } from '../../src/capability/places.js';
import type { ModelFilter, ModelProperty } from '../../src/descriptor/model.js';
import type { Call } from '../support/client.js';
import type { Json, JsonMap } from '../support/json.js';
import type { Draw } from './draw.js';
import { type FuzzType, knownValues } from './world.js';

/** Calls as the specifications have them, drawn from the types' descriptors. */

const COLLATIONS = ['i;unicode-casemap', 'i;ascii-casemap', 'i;ascii-numeric', 'i;octet'];

export function validCall(draw: Draw, callId: string): Call {
  return draw.weighted<Call>([
    [18, () => standardCall(draw, draw.pick(draw.world.types), callId)],
    [3, () => ownCall(draw, callId)],
  ]);
}

function standardCall(draw: Draw, type: FuzzType, callId: string): Call {
  const method = draw.pick(type.methods);
  const args = ARGUMENTS[method]?.(draw, type) ?? {};
  return [`${type.name}/${method}`, args, callId];
}

const account = (draw: Draw): string => draw.pick(draw.accounts.own);
const ids = ({ name }: FuzzType): string => `${name}/id`;
const states = ({ name }: FuzzType, accountId: string): string => `${name}/state/${accountId}`;

const ARGUMENTS: Readonly<Record<string, (draw: Draw, type: FuzzType) => JsonMap>> = {
  get: (draw, type) => ({
    accountId: draw.chance(0.05) ? draw.accounts.readOnly : account(draw),
    ids: draw.chance(0.1) ? null : draw.some(draw.pool.of(ids(type)), 8),
    ...(draw.chance(0.4) ? { properties: draw.some(namesOf(type), 4) } : {}),
  }),
  changes: (draw, type) => {
    const accountId = account(draw);
    const since = draw.pool.of(states(type, accountId));
    return {
      accountId,
      sinceState: since.length === 0 || draw.chance(0.1) ? '0' : draw.pick(since),
      ...(draw.chance(0.5) ? { maxChanges: draw.integer(1, 60) } : {}),
    };
  },
  set: (draw, type) => setArguments(draw, type),
  copy: (draw, type) => {
    const [a, b] = draw.accounts.own;
    const from = draw.chance(0.5) ? a : b;
    const known = draw.pool.of(ids(type));
    const originals = known.length === 0 ? ['nothing'] : draw.some(known, 3);
    const create = originals.map((id, n) => [`c${n}`, { id, ...changed(draw, type, 0.2) }]);
    return {
      fromAccountId: from,
      accountId: from === a ? b : a,
      create: Object.fromEntries(create),
      ...(draw.chance(0.4) ? { onSuccessDestroyOriginal: draw.chance(0.7) } : {}),
    };
  },
  query: (draw, type) => ({
    ...queryArguments(draw, type),
    ...(draw.chance(0.3) ? { position: draw.integer(-40, 40) } : {}),
    ...(draw.chance(0.15) ? { anchor: anId(draw, type), anchorOffset: draw.integer(-5, 5) } : {}),
    ...(draw.chance(0.7) ? { limit: draw.integer(0, 30) } : {}),
    ...(draw.chance(0.4) ? { calculateTotal: draw.chance(0.8) } : {}),
  }),
  queryChanges: (draw, type) => {
    const known = draw.pool.of(`${type.name}/queryState`);
    return {
      ...queryArguments(draw, type),
      sinceQueryState: known.length === 0 ? '0' : draw.pick(known),
      ...(draw.chance(0.4) ? { maxChanges: draw.integer(0, 50) } : {}),
      ...(draw.chance(0.2) ? { upToId: anId(draw, type) } : {}),
      ...(draw.chance(0.4) ? { calculateTotal: draw.chance(0.8) } : {}),
    };
  },
};

const namesOf = (type: FuzzType): readonly string[] => type.visible.map(({ name }) => name);

export function anId(draw: Draw, type: FuzzType): string {
  const known = draw.pool.of(ids(type));
  return known.length === 0 || draw.chance(0.05) ? 'nobody' : draw.pick(known);
}

/** Creates are about as many as destroys, so that accounts stay small. */
function setArguments(draw: Draw, type: FuzzType): JsonMap {
  const accountId = draw.chance(0.03) ? draw.accounts.readOnly : account(draw);
  const known = draw.pool.of(ids(type));
  const create = Array.from({ length: draw.integer(0, 3) }, (_, n) => [
    `k${n}`,
    newObject(draw, type),
  ]);
  const update = draw.some(known, 2).map((id) => [id, changed(draw, type, 0.3)]);
  const destroy = draw.some(known, 3);
  return {
    accountId,
    ...(create.length > 0 ? { create: Object.fromEntries(create) } : {}),
    ...(update.length > 0 ? { update: Object.fromEntries(update) } : {}),
    ...(destroy.length > 0 && draw.chance(0.6) ? { destroy } : {}),
  };
}

export function newObject(draw: Draw, type: FuzzType): JsonMap {
  const given = type.writable.filter(({ required }) => required || draw.chance(0.3));
  return Object.fromEntries(given.map((one) => [one.name, goodValue(draw, type, one)]));
}

/** A patch of whole properties. */
export function changed(draw: Draw, type: FuzzType, share: number): JsonMap {
  const mutable = type.writable.filter(({ access }) => access === 'mutable' && draw.chance(share));
  return Object.fromEntries(mutable.map((one) => [one.name, goodValue(draw, type, one)]));
}

export function goodValue(draw: Draw, type: FuzzType, property: ModelProperty): Json {
  const { references, blobs, nullable, kind } = property;
  if (references.length + blobs.length > 0) {
    if (nullable && draw.chance(0.4)) return null;
    const one = (pool: string): string => {
      const known = draw.pool.of(pool);
      return known.length === 0 ? 'nobody' : draw.pick(known);
    };
    return references.reduce<Json>(
      (value, { place, type: of }) => replaceTexts([place], value, () => one(`${of}/id`)) as Json,
      buildHolding(property, one('blob')),
    );
  }
  const isUnique = type.type.uniques.some(({ properties }) => properties.includes(property));
  if (isUnique && kind === 'string' && draw.chance(0.7)) return `u${draw.integer(0, 9999)}`;
  const { good, large } = knownValues(property);
  if (large.length > 0 && draw.chance(0.01)) return draw.odd(draw.pick(large));
  return good.length === 0 ? null : draw.pick(good);
}

function queryArguments(draw: Draw, type: FuzzType): JsonMap {
  return {
    accountId: account(draw),
    ...(draw.chance(0.6) ? { filter: validFilter(draw, type, 3) } : {}),
    ...(draw.chance(0.5) ? { sort: validSort(draw, type) } : {}),
  };
}

export function validFilter(draw: Draw, type: FuzzType, depth: number): JsonMap {
  const { filters } = type.type;
  if (filters.length === 0) return {};
  if (depth > 0 && draw.chance(0.35)) {
    const conditions = Array.from({ length: draw.integer(0, 3) }, () =>
      validFilter(draw, type, depth - 1),
    );
    return { operator: draw.pick(['AND', 'OR', 'NOT']), conditions };
  }
  return Object.fromEntries(draw.some(filters, 2).map((one) => [one.name, sought(draw, one)]));
}

function sought(draw: Draw, filter: ModelFilter): Json {
  const target = filter.property.references[0]?.type;
  const known = draw.pool.of(`${target ?? ''}/id`);
  if (target !== undefined && known.length > 0 && draw.chance(0.5)) return draw.pick(known);
  const { good } = knownValues(filter);
  return good.length === 0 ? null : draw.pick(good);
}

export function validSort(draw: Draw, type: FuzzType): Json[] {
  return draw.some(type.type.sorts, 3).map(({ name, property, by }) => ({
    property: name,
    ...(by === undefined ? {} : { [by.argument]: draw.pick(['a', 'b', '']) }),
    ...(draw.chance(0.5) ? { isAscending: draw.chance(0.5) } : {}),
    ...(draw.chance(0.3) && property.kind === 'string' ? { collation: draw.pick(COLLATIONS) } : {}),
  }));
}

/** A method of a descriptor's own: what its schema allows is not all that it takes. */
function ownCall(draw: Draw, callId: string): Call {
  const method = draw.pick(draw.world.methods);
  const { good } = knownValues({ schema: method.arguments });
  draw.odd(null);
  const drawn = good.length === 0 ? {} : draw.pick(good);
  const args = { ...(drawn as JsonMap) };
  for (const name of Object.keys(args)) {
    if (/accountId$/i.test(name)) args[name] = account(draw);
    else if (/^(ids|blobIds)$/.test(name)) args[name] = draw.some(draw.pool.of('blob'), 3);
    else if (name === 'id') args[name] = anId(draw, draw.pick(draw.world.types));
  }
  if (Object.hasOwn(args, 'create') && draw.chance(0.7)) args['create'] = uploads(draw);
  return [method.name, args, callId];
}

/** Small blobs, by the shape of RFC 9404 4.1. */
function uploads(draw: Draw): JsonMap {
  const text = { 'data:asText': `blob ${draw.integer(0, 50)}` };
  const base64 = { 'data:asBase64': draw.pick(['', 'AA==', '/w==', '!', 'AAAA']) };
  const part = {
    blobId: draw.pool.of('blob').at(-1) ?? 'nobody',
    offset: draw.integer(0, 9),
    length: draw.integer(0, 9),
  };
  const data = draw.some<Json>([text, base64, part], 3);
  return { b0: { data, type: draw.pick(['text/plain', 'x', null]) }, b1: { data: [text] } };
}
