import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import { listVisible, listWritable } from '../../conform/src/subject/described.js';
import { countOctets, listSchemaValues, listValues } from '../../conform/src/subject/values.js';
import { buildModel } from '../../src/descriptor/model/index.js';
import type { ModelMethod, ModelProperty, ModelType } from '../../src/descriptor/model.js';
import { parseDescriptor } from '../../src/descriptor/parse.js';
import { viewCapability } from '../../src/descriptor/view.js';
import type { Json } from '../support/json.js';

/** A type that is fuzzed, with what a request may say of it looked up once. */
export interface FuzzType {
  readonly type: ModelType;
  readonly name: string;
  readonly visible: readonly ModelProperty[];
  readonly writable: readonly ModelProperty[];
  readonly methods: readonly string[];
}

/** All that requests are made from: the descriptors' types and methods. */
export interface FuzzWorld {
  readonly types: readonly FuzzType[];
  /** Methods of the descriptors' own, built-in ones too. */
  readonly methods: readonly ModelMethod[];
  readonly capabilities: readonly string[];
}

/** The descriptors of a server, by their paths relative to this file, or whole. */
export function fuzzWorld(...paths: readonly string[]): FuzzWorld {
  const views = paths.map((path) => {
    const file = fileURLToPath(new URL(path, import.meta.url));
    const { root } = parseDescriptor(path, readFileSync(file, 'utf8'));
    if (root === undefined) throw new Error(`${path} can't be read.`);
    const base = basename(file).replace(/[.][a-z]+$/, '');
    return viewCapability({ file: path, base, start: { file: path, line: 1, column: 1 }, root });
  });
  const { capabilities } = buildModel(views);
  return {
    types: capabilities.flatMap(({ types }) =>
      types.map((type) => ({
        type,
        name: type.name,
        visible: listVisible(type),
        writable: listWritable(type),
        methods: type.methods.map(({ name }) => name),
      })),
    ),
    methods: capabilities.flatMap(({ methods }) => methods),
    capabilities: capabilities.map(({ urn }) => urn),
  };
}

/** Values of a property, those of many octets left out: they are tried now and then. */
export interface KnownValues {
  readonly good: readonly Json[];
  readonly bad: readonly Json[];
  readonly large: readonly Json[];
}

const known = new WeakMap<object, KnownValues>();

export function knownValues(of: ModelProperty | { readonly schema: object }): KnownValues {
  const found = known.get(of);
  if (found !== undefined) return found;
  const { good, bad } = 'kind' in of ? listValues(of) : listSchemaValues(of.schema);
  const isSmall = (value: Json): boolean => countOctets(value) < 400;
  const made = {
    good: good.filter(isSmall),
    bad: bad.filter(isSmall),
    large: [...good, ...bad].filter((value) => !isSmall(value)),
  };
  known.set(of, made);
  return made;
}

/** Few enough that old ones are pushed out by new ones. */
const KEPT = 64;

/** The last things of a kind that answers named. */
class Kept {
  readonly items: string[] = [];
  #next = 0;

  add(item: string): void {
    if (this.items.length < KEPT) this.items.push(item);
    else this.items[this.#next % KEPT] = item;
    this.#next += 1;
  }
}

/** The names that requests may use because an answer had them: ids, states, blobs. */
export class Pool {
  readonly #kinds = new Map<string, Kept>();

  add(kind: string, item: unknown): void {
    if (typeof item !== 'string') return;
    const kept = this.#kinds.get(kind) ?? new Kept();
    this.#kinds.set(kind, kept);
    kept.add(item);
  }

  of(kind: string): readonly string[] {
    return this.#kinds.get(kind)?.items ?? [];
  }
}

/** The accounts that the requests' user knows of, and some that it doesn't. */
export interface FuzzAccounts {
  readonly own: readonly [string, string];
  readonly readOnly: string;
  readonly foreign: string;
}
