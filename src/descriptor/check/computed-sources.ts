import { AGGREGATE_KINDS } from '../../capability/aggregates.js';
import { onCycles } from '../cycles.js';
import { member } from '../located.js';
import type { ComputedView, PropertyView } from '../property-view.js';
import type { TypeView } from '../view.js';
import { oneOf, type Report, type Rule } from './rule.js';
import { findProperty, findType, typesOf } from './types.js';

const WAYS: readonly string[] = ['from', ...AGGREGATE_KINDS, 'on'];

/** Refuses computed properties with wrong sources, in a cycle, writable, or unique in vain. */
export const computed: Rule = (views, report) => {
  const types = typesOf(views);
  for (const type of views.flatMap((view) => view.types)) {
    for (const property of type.properties) {
      if (property.computed === undefined) continue;
      judgeComputed(property, property.computed, report);
      for (const source of property.computed.from) judgeOwnSource(type, source, report);
      for (const { name, at, type: typeName, property: propertyName } of property.computed.on) {
        if (propertyName === '') {
          report('bad-computed', at, `"${name}" is no source: write Type.property.`);
          continue;
        }
        const target = findType(types, { name: typeName, at }, report);
        if (target !== undefined) findProperty(target, { name: propertyName, at }, report);
      }
    }
    judgeCycles(type, report);
    judgeUniques(type, report);
  }
};

/**
 * Reports a property that isn't computed in exactly one way, without sources, or by clients too.
 */
function judgeComputed(
  { name, access }: PropertyView,
  { node, at }: ComputedView,
  report: Report,
): void {
  const given = WAYS.filter((key) => member(node, key) !== undefined);
  if (given.length !== 1)
    report(
      'bad-computed',
      at,
      `"${name}" is computed in one way: { from: [property] }, { count: Type, by: property } ` +
        '(or sum, min, max: Type.property) or { on: [Type.property] }.',
    );
  if (access !== 'serverSet' && access !== 'internal')
    report(
      'bad-computed',
      at,
      `"${name}" is computed, so clients can't write it: say access: ` +
        `${oneOf(['serverSet', 'internal'])}.`,
    );
  for (const key of ['from', 'on']) {
    const list = member(node, key);
    if (list?.items?.length === 0)
      report('bad-computed', list.at, `"${name}" needs a source: it would never change.`);
  }
}

/** Reports a source of `from` that is no property of the type, or is `updated`. */
function judgeOwnSource(
  type: TypeView,
  source: ComputedView['from'][number],
  report: Report,
): void {
  const found = findProperty(type, source, report);
  if (found?.role === 'updated')
    report(
      'bad-computed',
      source.at,
      'a clock is no source: "updated" changes with every write. Name the properties that matter.',
    );
}

/**
 * Reports unique properties that follow from other objects. The server judges uniqueness on what a
 * call writes. Such a value changes after that, and no call could be refused for it.
 */
function judgeUniques(type: TypeView, report: Report): void {
  const byName = new Map(type.properties.map((property) => [property.name, property]));
  const follows = (property: PropertyView | undefined, seen: Set<string>): boolean => {
    if (property === undefined || seen.has(property.name)) return false;
    seen.add(property.name);
    if (property.references.some(({ onDestroy }) => onDestroy === 'setNull')) return seen.size > 1;
    const { computed } = property;
    if (computed === undefined) return false;
    if (computed.aggregate !== undefined || computed.on.length > 0) return true;
    return computed.from.some(({ name }) => follows(byName.get(name), seen));
  };
  for (const { name, at } of type.uniques.flatMap(({ names }) => names)) {
    if (follows(byName.get(name), new Set()))
      report(
        'bad-computed',
        at,
        `"${name}" follows from other objects and changes with them: it can't be unique.`,
      );
  }
}

/** Reports properties that are computed from themselves, directly or by others of the object. */
function judgeCycles(type: TypeView, report: Report): void {
  const found = onCycles(
    new Map(
      type.properties.map(
        ({ name, computed }) => [name, (computed?.from ?? []).map((each) => each.name)] as const,
      ),
    ),
  );
  for (const { name, computed } of type.properties) {
    if (computed !== undefined && found.has(name))
      report(
        'computed-cycle',
        computed.at,
        `"${name}" depends on itself: directly, or by the properties that it is computed from.`,
      );
  }
}
