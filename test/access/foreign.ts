import { buildHolding as naming } from '../../conform/src/subject/blob-holders.js';
import { listWritable } from '../../conform/src/subject/described.js';
import { findLink, isSet, wrapIds } from '../../conform/src/subject/links.js';
import type { Model, ModelType } from '../../src/descriptor/model.js';
import type { JsonMap } from '../support/json.js';
import { methodsOf } from './methods.js';

/** The ids that are named where they don't belong, by type; the blob under "Blob". */
export type Ids = ReadonlyMap<string, string>;

/** A call that names one id of them, but for the id. */
export interface Naming {
  readonly method: string;
  /** The type of the id. */
  readonly type: string;
  readonly args: (id: string) => JsonMap;
}

/** Accounts of the caller, which have what a create must refer to. */
export interface Caller {
  readonly accountId: string;
  /** Another one, for copies. */
  readonly from: string;
  /** A create object that would be legal. */
  readonly create: (type: string) => JsonMap;
  /** Objects of its own, in the account and in the other one. */
  readonly own: Ids;
  readonly fromOwn: Ids;
}

/** Every place of every method where an id can be named. */
export function listNamings(model: Model, caller: Caller): readonly Naming[] {
  const types = model.capabilities.flatMap((capability) => capability.types);
  const all = [...types.flatMap((type) => namingsOf(type, caller)), ...blobNamings(caller)];
  return [...all, ...ownNamings(model, caller)];
}

function namingsOf(type: ModelType, caller: Caller): readonly Naming[] {
  const { accountId, from, create } = caller;
  const all: Naming[] = [];
  const methods = new Set<string>(type.methods.map(({ name }) => name));
  const name = (method: string, of: string, args: (id: string) => JsonMap): void => {
    if (methods.has(method)) all.push({ method: `${type.name}/${method}`, type: of, args });
  };
  const own = type.name;
  name('get', own, (id) => ({ accountId, ids: [id] }));
  name('set', own, (id) => ({ accountId, update: { [id]: {} } }));
  name('set', own, (id) => ({ accountId, destroy: [id] }));
  name('copy', own, (id) => ({ accountId, fromAccountId: from, create: { k: { id } } }));
  name('query', own, (id) => ({ accountId, anchor: id }));
  name('queryChanges', own, (id) => ({ accountId, sinceQueryState: '0.none', upToId: id }));
  for (const property of listWritable(type)) {
    const link = findLink(property);
    const of = property.blobs.length > 0 ? 'Blob' : link?.type;
    if (of === undefined) continue;
    const values = (id: string) => {
      return { [property.name]: link === undefined ? naming(property, id) : wrapIds(link, id) };
    };
    if (type.singleton) name('set', of, (id) => ({ accountId, update: { singleton: values(id) } }));
    else {
      const object = create(type.name);
      name('set', of, (id) => ({ accountId, create: { k: { ...object, ...values(id) } } }));
      const mine = caller.own.get(type.name) ?? '';
      name('set', of, (id) => ({ accountId, update: { [mine]: values(id) } }));
      if (link !== undefined && isSet(link)) {
        const patch = (id: string) => ({ [`${property.name}/${id}`]: true });
        name('set', of, (id) => ({ accountId, update: { [mine]: patch(id) } }));
      }
      const copied = { id: caller.fromOwn.get(type.name) ?? '' };
      const copy = { accountId, fromAccountId: from };
      name('copy', of, (id) => ({ ...copy, create: { k: { ...copied, ...values(id) } } }));
    }
  }
  for (const { name: filter, property, operator } of type.filters) {
    const of = property.blobs.length > 0 ? 'Blob' : property.references[0]?.type;
    if (of === undefined || operator === 'isNull') continue;
    const value = (id: string) => (operator === 'in' ? [id] : id);
    name('query', of, (id) => ({ accountId, filter: { [filter]: value(id) } }));
  }
  return all;
}

function blobNamings({ accountId, from }: Caller): readonly Naming[] {
  const name = (method: string, args: (id: string) => JsonMap): Naming => ({
    method: `Blob/${method}`,
    type: 'Blob',
    args,
  });
  return [
    name('get', (id) => ({ accountId, ids: [id] })),
    name('lookup', (id) => ({ accountId, ids: [id], typeNames: ['Gadget'] })),
    name('upload', (id) => ({ accountId, create: { k: { data: [{ blobId: id }] } } })),
    name('copy', (id) => ({ accountId, fromAccountId: from, blobIds: [id] })),
  ];
}

/**
 * Of a team's own methods: their schemas say what is an id, and not of which type. The other
 * arguments are the least that the method takes.
 */
function ownNamings(model: Model, { accountId }: Caller): readonly Naming[] {
  const types = model.capabilities.flatMap((capability) => capability.types);
  const rests = new Map(methodsOf(model).map(({ name, rest }) => [name, rest]));
  return model.capabilities.flatMap(({ methods }) =>
    methods.flatMap(({ name, builtIn, arguments: schema }): Naming[] => {
      if (builtIn) return [];
      const given = new Map<string, unknown>(Object.entries(schema.properties ?? {}));
      given.delete('accountId');
      return [...given].flatMap(([argument, of]) => {
        const isList = isId((of as { readonly items?: unknown }).items);
        if (!(isList || isId(of))) return [];
        return types.map((type) => ({
          method: name,
          type: type.name,
          args: (id) => ({ accountId, ...rests.get(name), [argument]: isList ? [id] : id }),
        }));
      });
    }),
  );
}

function isId(schema: unknown): boolean {
  return (schema as { readonly format?: unknown } | undefined)?.format === 'id';
}

/** As an id of somebody's, and nobody's. */
export function inventId(id: string): string {
  return `${id.slice(0, -1)}${id.endsWith('0') ? '1' : '0'}`;
}
