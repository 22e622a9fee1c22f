import type { Model, ModelIndex, ModelProperty, ModelType } from '../../../src/descriptor/model.js';
import type { JsonValue } from '../../../src/protocol/json.js';
import { referring } from '../../support/references.js';
import { drop, find, model, property, type } from './models.js';

/**
 * Drawn releases of a model: things have keys, so that it is known which property of one release is
 * which of the next, whatever both are called.
 */
export interface DrawnProperty {
  readonly key: number;
  name: string;
  kind: 'string' | 'integer' | 'boolean' | 'json';
  nullable: boolean;
  default?: JsonValue;
  folded: boolean;
  sorted: boolean;
  unique: boolean;
  blob: boolean;
  /** Key of a type. */
  target?: number;
  /** Grows where values are given up. */
  generation: number;
  /** No two objects have got one value from a default. */
  distinct: boolean;
  /** Characters of a text: SQLite keeps tables of short rows in the order of their key. */
  longest?: number;
}

export interface DrawnType {
  readonly key: number;
  name: string;
  properties: DrawnProperty[];
  /** Over all folded properties. */
  searched: boolean;
  /** One index over two properties. */
  paired: boolean;
}

export interface Drawn {
  types: DrawnType[];
  keys: number;
}

export interface Operation {
  readonly what: number;
  readonly type: number;
  readonly property: number;
  readonly name: number;
}

export const DEFAULTS: Readonly<Record<DrawnProperty['kind'], JsonValue>> = {
  string: "it's Ä",
  integer: 7,
  boolean: true,
  json: [],
};
const KINDS = ['string', 'integer', 'boolean', 'json'] as const;
/** Of one such text the row is short, folded and sorted or beside others not always. */
const LONGEST = [100, 600, 1000];
const PROPERTIES = ['a', 'b', 'c', 'B', 'folded'];
const TYPES = ['Book', 'Tome', 'BOOK', 'Leaf'];

export function begin(): Drawn {
  const text = fresh(2, 'a', 'string', false);
  delete text.default;
  return {
    types: [
      {
        key: 1,
        name: 'Book',
        properties: [text, fresh(3, 'b', 'integer', true)],
        searched: false,
        paired: false,
      },
    ],
    keys: 4,
  };
}

function fresh(
  key: number,
  name: string,
  kind: DrawnProperty['kind'],
  nullable: boolean,
): DrawnProperty {
  return {
    ...{ key, name, kind, nullable, folded: false, sorted: false, unique: false, blob: false },
    ...(nullable ? {} : { default: DEFAULTS[kind] }),
    generation: 0,
    distinct: nullable,
    ...(kind === 'string' && key % 4 !== 0 ? { longest: LONGEST[key % 3] ?? 0 } : {}),
  };
}

/** The next release: each operation that is possible is done. */
export function next(before: Drawn, operations: readonly Operation[]): Drawn {
  const now = structuredClone(before);
  for (const operation of operations) operate(now, before, operation);
  return now;
}

function operate(now: Drawn, before: Drawn, { what, type: at, property: of, name }: Operation) {
  const own = now.types[at % now.types.length];
  if (own === undefined) return;
  const old = before.types.find(({ key }) => key === own.key);
  const one = own.properties[of % Math.max(1, own.properties.length)];
  const was = old?.properties.find(({ key }) => key === one?.key);
  // A descriptor has no names that differ in case alone; two releases may.
  const freeName = (
    pool: readonly string[],
    current: readonly { name: string }[],
    released: readonly { name: string }[],
  ) =>
    pool.filter(
      (word) =>
        !current.some((thing) => thing.name.toLowerCase() === word.toLowerCase()) &&
        !released.some((thing) => thing.name === word),
    )[name % 3];
  const propertyName = () => freeName(PROPERTIES, own.properties, old?.properties ?? []);
  const typeName = () => freeName(TYPES, now.types, before.types);
  switch (what) {
    case 0: {
      const word = propertyName();
      const kind = KINDS[of % KINDS.length] ?? 'string';
      if (word !== undefined) own.properties.push(fresh(now.keys++, word, kind, name % 2 === 0));
      return;
    }
    case 1: {
      const word = propertyName();
      if (one !== undefined && word !== undefined) one.name = word;
      return;
    }
    case 2:
      own.properties = own.properties.filter((other) => other !== one);
      return;
    case 3: {
      if (one === undefined || one.target !== undefined || one.generation !== was?.generation)
        return;
      one.kind = KINDS.filter((kind) => kind !== one.kind)[name % 3] ?? 'string';
      const { nullable, key } = one;
      Object.assign(one, fresh(key, one.name, one.kind, nullable), {
        generation: one.generation + 1,
        distinct: false,
      });
      return;
    }
    case 4:
      if (one === undefined || one.target !== undefined || one.blob) return;
      one.nullable = !one.nullable;
      one.unique = false;
      one.distinct = false;
      delete one.default;
      if (!one.nullable) one.default = DEFAULTS[one.kind];
      return;
    case 5:
      if (one?.kind === 'string' && one.target === undefined) one.folded = !one.folded;
      return;
    case 6:
      if (one !== undefined && one.kind !== 'json') one.sorted = !one.sorted;
      return;
    case 7:
      own.searched = !own.searched;
      return;
    case 17:
      own.paired = !own.paired;
      return;
    case 18:
      // As long as it likes from now on: a shorter one would be refused.
      if (one !== undefined) delete one.longest;
      return;
    case 8: {
      const word = typeName();
      if (word === undefined) return;
      const text = fresh(now.keys++, 'a', 'string', false);
      delete text.default;
      text.folded = true;
      now.types.push({
        key: now.keys++,
        name: word,
        properties: [text],
        searched: of % 2 === 0,
        paired: false,
      });
      return;
    }
    case 9: {
      const word = typeName();
      if (word !== undefined) own.name = word;
      return;
    }
    case 10:
      if (now.types.length < 2) return;
      now.types = now.types.filter((other) => other !== own);
      for (const other of now.types)
        other.properties = other.properties.filter(({ target }) => target !== own.key);
      return;
    case 11: {
      const word = propertyName();
      if (word === undefined) return;
      const target = now.types[name % now.types.length]?.key ?? own.key;
      own.properties.push({ ...fresh(now.keys++, word, 'string', true), target });
      return;
    }
    case 12: {
      if (one?.target === undefined || one.target !== was?.target) return;
      const other = now.types.find(({ key }) => key !== one.target);
      if (other === undefined) return;
      one.target = other.key;
      one.generation += 1;
      return;
    }
    case 13:
      if (one?.kind === 'string' && one.distinct && one.target === undefined && !one.blob)
        one.unique = !one.unique;
      return;
    case 14: {
      const word = propertyName();
      if (word !== undefined)
        own.properties.push({
          ...fresh(now.keys++, word, 'string', true),
          blob: true,
          distinct: false,
        });
      return;
    }
    case 15:
      // Ids that name nothing any more.
      if (one === undefined) return;
      one.blob = false;
      if (one.generation === was?.generation) delete one.target;
      return;
    default:
      // Text that names objects, or blobs, from now on; ids stay.
      if (one?.kind !== 'string' || !one.nullable || was === undefined || one.unique) return;
      if (one.folded || one.sorted || was.blob || was.target !== undefined) return;
      if (one.blob || one.target !== undefined) return;
      if (name % 2 === 0) one.blob = true;
      else one.target = own.key;
  }
}

/** As the generator would read it from descriptors that say all that is needed since `before`. */
export function modelOf(now: Drawn, before: Drawn | undefined): Model {
  const types = now.types.map((own) => typeOf(own, now, before));
  const [capability] = model(types).capabilities;
  if (capability === undefined) throw new Error('no capability');
  const gone = (before?.types ?? []).filter(({ key }) => now.types.every((one) => one.key !== key));
  return { capabilities: [{ ...capability, drops: gone.map(({ name }) => drop(name)) }] };
}

function typeOf(own: DrawnType, now: Drawn, before: Drawn | undefined): ModelType {
  const old = before?.types.find(({ key }) => key === own.key);
  const properties = own.properties.map((one) => {
    const was = old?.properties.find(({ key }) => key === one.key);
    return propertyOf(one, was, now);
  });
  const drops = [
    ...(old?.properties ?? []).filter(({ key }) => own.properties.every((one) => one.key !== key)),
    ...own.properties.filter((one) => {
      const was = old?.properties.find(({ key }) => key === one.key);
      if (was === undefined) return false;
      if (was.generation !== one.generation || (was.nullable && !one.nullable)) return true;
      return (one.target !== undefined && one.target !== was.target) || (one.blob && !was.blob);
    }),
  ].map(({ name }) => name);
  const of = (one: DrawnProperty): ModelProperty => find(properties, one.name);
  const folded = own.properties.filter((one) => one.folded);
  const sorted = own.properties.filter((one) => one.sorted);
  const pair = own.properties
    .filter(({ kind }) => kind !== 'json')
    .slice(-2)
    .map(of);
  const texts = sorted.filter(({ kind }) => kind === 'string');
  return type(own.name, properties, {
    drops,
    ...(old === undefined || old.name === own.name ? {} : { renamedFrom: old.name }),
    folded: folded.map(({ name }) => name),
    casemapped: texts.map(({ name }) => name),
    sorts: sorted.map((one) => ({
      name: one.name,
      property: of(one),
      ...(one.kind === 'string' ? { casemapColumn: `${one.name}_casemap` } : {}),
      indexed: true,
      at: of(one).at,
    })),
    indexes: own.paired && pair.length === 2 ? [indexOver(pair)] : [],
    uniques: own.properties
      .filter(({ unique }) => unique)
      .map((one) => ({ name: one.name, properties: [of(one)], at: of(one).at })),
    ...(own.searched && folded.length > 0
      ? {
          search: {
            name: `${own.name}_search`,
            columns: folded.map(({ name }) => `${name}_folded`),
          },
        }
      : {}),
  });
}

function indexOver(properties: readonly ModelProperty[]): ModelIndex {
  const columns = properties.map(({ column }) => column);
  return { properties, columns, at: { file: 'capabilities/things.yaml', line: 25, column: 1 } };
}

function propertyOf(one: DrawnProperty, was: DrawnProperty | undefined, now: Drawn): ModelProperty {
  const target = now.types.find(({ key }) => key === one.target)?.name;
  return property(one.name, one.kind, {
    nullable: one.nullable,
    blobs: one.blob ? [[]] : [],
    ...(one.longest === undefined || one.kind !== 'string'
      ? {}
      : { schema: { type: 'string', maxLength: one.longest } }),
    ...(one.default === undefined ? {} : { default: one.default }),
    ...(was === undefined || was.name === one.name ? {} : { renamedFrom: was.name }),
    ...(target === undefined
      ? {}
      : { ...referring({ type: target, form: 'single', onDestroy: 'setNull', acyclic: false }) }),
  });
}
