import type { AggregateKind } from '../capability/definition.js';
import { formatNamed } from '../capability/formats/index.js';
import type { PropertyView } from './property-view.js';

/** A way to make one value of many, for the rules and the reference. */
interface AggregateRow {
  /** The value, in front of the name of the property that it is made of. */
  readonly value: string;
  /** It is null where there are no objects; others are 0. */
  readonly isExtreme: boolean;
  /** Returns why it can't be made of the values of a property; undefined where it can. */
  whyNot(read: PropertyView): string | undefined;
  /** Returns the sentence about it; `read` is empty where no values are told apart. */
  words(read: string, objects: string): string;
}

export const AGGREGATES: Readonly<Record<AggregateKind, AggregateRow>> = Object.freeze({
  count: {
    value: 'a count',
    isExtreme: false,
    whyNot: ({ kind }) =>
      kind === 'json' ? 'is a list or an object: "distinct" takes single values' : undefined,
    words: (read, objects) =>
      `The number of ${read === '' ? '' : `different ${read} of the `}${objects}.`,
  },
  sum: {
    value: 'the sum of',
    isExtreme: false,
    whyNot: ({ kind, format }) =>
      kind === 'integer' || (kind === 'string' && format === 'decimal')
        ? undefined
        : "can't be added up exactly: a sum takes an integer, or a string with format: decimal",
    words: (read, objects) => `The sum of ${read} of the ${objects}.`,
  },
  min: extreme('min', 'least'),
  max: extreme('max', 'greatest'),
});

function extreme(kind: AggregateKind, most: string): AggregateRow {
  return {
    value: `the ${most}`,
    isExtreme: true,
    whyNot: (read) =>
      isOrdered(read)
        ? undefined
        : `has no order that ${kind} knows: it takes an integer, a number, or a string whose ` +
          'format has an order',
    words: (read, objects) => `The ${most} ${read} of the ${objects}; null if there are none.`,
  };
}

function isOrdered({ kind, format }: PropertyView): boolean {
  if (kind === 'string') return (formatNamed(format)?.order ?? 'none') !== 'none';
  return kind === 'integer' || kind === 'number' || kind === 'date';
}
