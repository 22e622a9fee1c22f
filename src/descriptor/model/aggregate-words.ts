import { AGGREGATES } from '../aggregate-kinds.js';
import type { ConditionView } from '../condition-view.js';
import { type AggregateView, namesRead } from '../property-view.js';

/** Whether a property, by its type's name and its own, is internal. */
export type IsInternal = (type: string, property: string) => boolean;

/** Returns whether an aggregate reads a property that clients don't know of. */
export function readsInternal(aggregate: AggregateView, isInternal: IsInternal): boolean {
  return namesRead(aggregate).some((name) => isInternal(aggregate.type.name, name));
}

/** Returns what an aggregate is, in a sentence; empty where clients are not to know. */
export function describeAggregate(aggregate: AggregateView, isInternal: IsInternal): string {
  if (readsInternal(aggregate, isInternal)) return '';
  const { kind, type, by, of, where } = aggregate;
  const which = by === undefined ? 'of the account' : `that refer to it by \`${by.name}\``;
  const condition = where.length === 0 ? '' : `, where ${where.map(conditionWords).join(' and ')}`;
  const objects = `${type.name} objects ${which}${condition}`;
  const read = of === undefined ? '' : `\`${of.name}\``;
  return AGGREGATES[kind].words(read, objects);
}

function conditionWords({ property, path, values, isNot }: ConditionView): string {
  const words = values.map(({ value }) => `\`${JSON.stringify(value)}\``).join(' or ');
  return `\`${[property.name, ...path].join('/')}\` is ${isNot ? 'not ' : ''}${words}`;
}
