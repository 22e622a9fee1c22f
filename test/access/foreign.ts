import { writable } from '../../scripts/conform/subject/described.js';
import type { Model, ModelProperty, ModelType } from '../../scripts/generator/model.js';
import type { Json, JsonMap } from '../support/json.js';

/** What is named where it doesn't belong, by type; the blob under "Blob". */
export type Ids = ReadonlyMap<string, string>;

/** A call that names one id of them, but for the id. */
export interface Naming {
  readonly method: string;
  /** Whose id it is. */
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
}

/** Every place of every standard and blob method where an id can be named. */
export function namings({ capabilities }: Model, caller: Caller): readonly Naming[] {
  const types = capabilities.flatMap((capability) => capability.types);
  return [...types.flatMap((type) => namingsOf(type, caller)), ...blobNamings(caller)];
}

function namingsOf(type: ModelType, { accountId, from, create }: Caller): readonly Naming[] {
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
  for (const property of writable(type)) {
    const of = property.blob ? 'Blob' : property.reference?.type;
    if (of === undefined) continue;
    const values = (id: string) => ({ [property.name]: holding(property, id) });
    if (type.singleton) name('set', of, (id) => ({ accountId, update: { singleton: values(id) } }));
    else {
      const object = create(type.name);
      name('set', of, (id) => ({ accountId, create: { k: { ...object, ...values(id) } } }));
    }
  }
  for (const { name: filter, property, operator } of type.filters) {
    const of = property.blob ? 'Blob' : property.reference?.type;
    if (of === undefined || operator === 'isNull') continue;
    const value = (id: string) => (operator === 'in' ? [id] : id);
    name('query', of, (id) => ({ accountId, filter: { [filter]: value(id) } }));
  }
  return all;
}

function holding({ reference }: ModelProperty, id: string): Json {
  if (reference?.form === 'list') return [id];
  return reference?.form === 'set' ? { [id]: true } : id;
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

/** As an id of somebody's, and nobody's. */
export function nobodys(id: string): string {
  return `${id.slice(0, -1)}${id.endsWith('0') ? '1' : '0'}`;
}
