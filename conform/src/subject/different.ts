import { formatOf } from '../../../src/capability/formats/index.js';
import type { ModelProperty } from '../../../src/descriptor/model.js';
import type { Json } from '../client/json.js';
import type { World } from './described.js';
import { drawMatching } from './scalar-values.js';
import { listValues } from './values.js';

/** Of each type and property of a world: all that use its types on one server share them. */
const taken = new WeakMap<World, Map<string, Different>>();

/** Returns a value of a property that no object of this world's types was given before. */
export function takeDifferent(world: World, type: string, property: ModelProperty): Json {
  const all = taken.get(world) ?? new Map<string, Different>();
  taken.set(world, all);
  const key = `${type}.${property.name}`;
  const values = all.get(key) ?? new Different(property);
  all.set(key, values);
  return values.take();
}

/** Tells whether `takeDifferent` returned this value for a property. */
export const isDifferent = (world: World, type: string, { name }: ModelProperty, value: Json) =>
  taken.get(world)?.get(`${type}.${name}`)?.took.has(value) === true;

/** Values of a property, each another one than those before. */
class Different {
  readonly #property: ModelProperty;
  #next = 0;
  #matching: readonly string[] = [];

  constructor(property: ModelProperty) {
    this.#property = property;
  }

  /** All that were taken: text and numbers. */
  readonly took = new Set<Json>();

  /** Returns the next value of a property, which no call before returned. */
  take(): Json {
    const value = this.#build();
    this.took.add(value);
    return value;
  }

  /** Builds the next value: by its format, kind or pattern, and far from the values at a bound. */
  #build(): Json {
    const { schema, kind } = this.#property;
    const n = this.#next;
    this.#next += 1;
    const format = formatOf(this.#property);
    if (format !== undefined) return format.numbered(n);
    // Far from the values that are tried at a bound, where there is room.
    const start = Math.max(schema.minimum ?? 0, 0) + ((schema.maximum ?? 1e9) > 1e6 ? 1000 : 0);
    if (kind === 'integer' || kind === 'number') return start + n;
    if (schema.pattern === undefined) return `u${n}`.padStart(schema.minLength ?? 0, 'u');
    return this.#match(schema.pattern, n);
  }

  /** Returns a text that fits a pattern and differs for each number. */
  #match(pattern: string, n: number): string {
    const { minLength = 0, maxLength = 100 } = this.#property.schema;
    const fits = ({ length }: string) => length >= minLength && length <= maxLength;
    if (n >= this.#matching.length) {
      // A value that is tried for the property itself is left alone.
      const tried = new Set(listValues(this.#property).good);
      const all = drawMatching(pattern, fits, (n + 50) * 2);
      this.#matching = all.filter((one) => !tried.has(one));
    }
    const found = this.#matching[n];
    if (found === undefined) throw new Error(`${this.#property.name} has no ${n + 1} values.`);
    return found;
  }
}
