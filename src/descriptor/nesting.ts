import type { JSONSchema7, JSONSchema7Definition } from 'json-schema';

/** A place where a definition that contains itself nests no deeper: no value is legal there. */
interface EndSchema extends JSONSchema7 {
  /** How many values of the definition lie around the place. `title` is its name. */
  readonly beyondDepth: number;
}

/** Returns whether no value is legal since a definition would nest too deep. */
export function isEnd(schema: JSONSchema7Definition | undefined): schema is EndSchema {
  return typeof schema === 'object' && 'beyondDepth' in schema;
}

const known = new WeakMap<JSONSchema7, number>();

/** Returns the levels of the flattest value that a schema allows; infinity where there is none. */
export function leastHeight(schema: JSONSchema7Definition): number {
  if (typeof schema !== 'object') return 0;
  const height = known.get(schema) ?? measure(schema);
  known.set(schema, height);
  return height;
}

function measure(schema: JSONSchema7): number {
  if (isEnd(schema)) return Number.POSITIVE_INFINITY;
  if (schema.const !== undefined || schema.enum !== undefined) return 0;
  if ([schema.type].flat().includes('null')) return 0;
  const { oneOf, properties = {}, required = [], items, additionalProperties } = schema;
  if (oneOf !== undefined) return Math.min(...oneOf.map(leastHeight));
  const inner = [
    ...required.map((name) => properties[name] ?? true),
    ...((schema.minItems ?? 0) > 0 && items !== undefined ? [items].flat() : []),
    ...((schema.minProperties ?? 0) > 0 ? [additionalProperties ?? true] : []),
  ];
  const isFlat = schema.type !== 'object' && schema.type !== 'array';
  return isFlat ? 0 : 1 + Math.max(0, ...inner.map(leastHeight));
}

/** The levels of a definition that contains itself which a sample has, where it may have fewer. */
const SAMPLE_LEVELS = 2;

/** Tells how deep samples go into definitions that contain themselves. */
export class SampleDepth {
  readonly #titles: readonly string[];

  constructor(titles: readonly string[] = []) {
    this.#titles = titles;
  }

  /** Returns whether a sample leaves a value out where it may: one more level is no more help. */
  leavesOut(schema: JSONSchema7Definition | undefined): boolean {
    if (isEnd(schema)) return true;
    const title = typeof schema === 'object' ? schema.title : undefined;
    return this.#titles.filter((each) => each === title).length >= SAMPLE_LEVELS;
  }

  /** Returns the depth within a value of the schema. */
  within({ title }: JSONSchema7): SampleDepth {
    return title === undefined ? this : new SampleDepth([...this.#titles, title]);
  }

  /** Returns the branches that have values; where a sample is deep enough, the flattest alone. */
  branchesOf<Schema>(
    union: JSONSchema7,
    branches: readonly { readonly schema: JSONSchema7; readonly step: Schema }[],
  ): typeof branches {
    const least = leastHeight(union);
    return branches.filter(({ schema }) =>
      this.leavesOut(union)
        ? leastHeight(schema) === least
        : leastHeight(schema) < Number.POSITIVE_INFINITY,
    );
  }
}
