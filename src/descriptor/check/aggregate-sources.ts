import { AGGREGATES } from '../aggregate-kinds.js';
import { onCycles } from '../cycles.js';
import { type Located, member, text } from '../located.js';
import type { NameView } from '../name-view.js';
import {
  type AggregateView,
  type ComputedView,
  namesRead,
  type PropertyView,
} from '../property-view.js';
import type { TypeView } from '../view.js';
import { judgeInnerConditions } from './inner-conditions.js';
import { oneOf, type Report, type Rule } from './rule.js';
import { findProperty, findType, propertiesOf, typesOf } from './types.js';

/** Refuses counts, sums, least and greatest values of what the engine can't keep them of. */
export const aggregates: Rule = (views, report) => {
  const types = typesOf(views);
  for (const type of views.flatMap((view) => view.types)) {
    for (const property of type.properties) {
      const { computed } = property;
      if (computed === undefined) continue;
      judgeKeys(computed, report);
      if (computed.aggregate !== undefined)
        judgeAggregate({ type, property, aggregate: computed.aggregate }, types, report);
    }
  }
  judgeCycles(types, report);
};

interface Scene {
  readonly type: TypeView;
  readonly property: PropertyView;
  readonly aggregate: AggregateView;
}

type Types = ReturnType<typeof typesOf>;

/** Reports keys beside a way to compute that has no use for them. */
function judgeKeys({ node, aggregate }: ComputedView, report: Report): void {
  for (const key of ['by', 'where', 'distinct', 'countsHidden']) {
    const given = node.members?.get(key);
    const isUsed = key === 'distinct' ? aggregate?.kind === 'count' : aggregate !== undefined;
    if (given === undefined || isUsed) continue;
    const beside = key === 'distinct' ? 'count' : 'count, sum, min or max';
    report('bad-aggregate', given.nameAt, `"${key}" stands beside ${beside} alone.`);
  }
}

function judgeAggregate(scene: Scene, types: Types, report: Report): void {
  const { aggregate } = scene;
  const { kind, of } = aggregate;
  if (of?.name === '') {
    const named = JSON.stringify(aggregate.type.name);
    report('bad-aggregate', of.at, `${named} is no source: write ${kind}: Type.property.`);
    return;
  }
  const source = findType(types, aggregate.type, report);
  if (source === undefined) return;
  if (source.singleton)
    report('bad-aggregate', aggregate.type.at, `${source.name} is a singleton: there is one.`);
  judgeReference(scene, source, report);
  const read = of === undefined ? undefined : findProperty(source, of, report);
  const isLegal = of === undefined || (read !== undefined && judgeRead(kind, read, of, report));
  if (isLegal) judgeResult(scene, read, report);
  judgeInnerConditions(source, aggregate.where, report);
}

/** Reports a `by` that doesn't lead to the type, and one that is missing. */
function judgeReference({ type, property, aggregate }: Scene, source: TypeView, report: Report) {
  const { by, kind } = aggregate;
  if (by === undefined) {
    if (!type.singleton)
      report(
        'bad-aggregate',
        property.nameAt,
        `"${property.name}" needs "by": the reference of ${source.name} that leads to ` +
          `${type.name}. Without it a ${kind} is about the whole account, and belongs to a ` +
          'singleton.',
      );
    return;
  }
  const all = source.properties.flatMap(({ references }) => references);
  const reference = all.find(({ name }) => name === by.name);
  if (reference === undefined && findProperty(source, by, report) === undefined) return;
  const complain = (why: string) =>
    report('bad-aggregate', by.at, `"${by.name}" of ${source.name} ${why}.`);
  if (reference?.onDestroy === 'keep')
    complain('is a weak reference (keep), of which there are no records to count');
  else if (reference?.target.name !== type.name) {
    const to = reference === undefined ? 'to nothing' : `to ${reference.target.name}`;
    const fit = all
      .filter((each) => each.target.name === type.name && each.onDestroy !== 'keep')
      .map((each) => each.name);
    const legal = reference === undefined && fit.length > 0 ? `: ${oneOf(fit)}` : '';
    complain(`refers ${to}; what is counted refers to ${type.name}${legal}`);
  }
}

/** Reports values that can't be told apart, added up or compared. Returns whether they can be. */
function judgeRead(
  kind: AggregateView['kind'],
  read: PropertyView,
  { name, at }: NameView,
  report: Report,
): boolean {
  const why = whyNoPart(kind, read);
  if (why !== undefined) report('bad-aggregate', at, `"${name}" ${why}.`);
  return why === undefined && read.kind !== undefined;
}

function whyNoPart(kind: AggregateView['kind'], read: PropertyView): string | undefined {
  if (read.access === 'secret') return 'is secret: no other value can depend on it';
  if (read.role === 'updated') return 'is a clock: it changes with every write';
  return read.kind === undefined ? undefined : AGGREGATES[kind].whyNot(read);
}

/** Reports a property that can't hold the value. */
function judgeResult(
  { property, aggregate }: Scene,
  read: PropertyView | undefined,
  report: Report,
) {
  const { kind } = aggregate;
  const { name, nullable, optional, node } = property;
  const { isExtreme, value } = AGGREGATES[kind];
  const isDecimal = kind === 'sum' && read?.format === 'decimal';
  const wanted = kind === 'count' ? { kind: 'integer', format: undefined } : formOf(read);
  const isFit =
    property.kind === wanted?.kind &&
    (property.format ?? undefined) === (wanted?.format ?? undefined) &&
    nullable === isExtreme &&
    !optional;
  const start = isExtreme ? null : isDecimal ? '0' : 0;
  const given = member(node, 'default')?.value;
  if (isFit && (given === undefined || given === start)) return;
  const own = read === undefined ? 'integer' : (text(member(read.node, 'type')) ?? typeIn(read));
  const type = kind === 'count' ? 'integer' : own;
  const format = wanted?.format === undefined ? '' : `, format: ${wanted.format}`;
  const what = kind === 'count' ? value : `${value} ${read?.name}`;
  const legal = isExtreme
    ? `type: [${type}, 'null']${format}`
    : `type: ${type}${format}, default: ${isDecimal ? "'0'" : '0'}`;
  report('bad-aggregate', property.nameAt, `"${name}" is ${what}: write ${legal}.`);
}

/** Returns the kind and the format of what is read: `created` of the engine is a `utc-date`. */
function formOf(read: PropertyView | undefined): Pick<PropertyView, 'kind' | 'format'> | undefined {
  return read?.role === 'created' ? { kind: read.kind, format: 'utc-date' } : read;
}

/** Returns the JSON type of a property that may be null, or that every type has. */
function typeIn({ node, kind }: PropertyView): string {
  const types: readonly Located[] = member(node, 'type')?.items ?? [];
  const named = types.map(text).find((one) => one !== undefined && one !== 'null');
  return named ?? (kind === 'date' ? 'string' : (kind ?? 'integer'));
}

/** Reports aggregates that are made of themselves, directly or by way of others. */
function judgeCycles(types: Types, report: Report): void {
  const targets = new Map<string, readonly string[]>();
  for (const type of types.values()) {
    for (const { name, computed } of propertiesOf(type).values())
      targets.set(`${type.name}.${name}`, sourcesOf(type, computed));
  }
  const found = onCycles(targets);
  for (const type of types.values()) {
    for (const { name, computed } of type.properties) {
      if (computed?.aggregate === undefined || !found.has(`${type.name}.${name}`)) continue;
      report(
        'computed-cycle',
        computed.at,
        `"${name}" depends on itself: by the values that it is made of.`,
      );
    }
  }
}

function sourcesOf(type: TypeView, computed: ComputedView | undefined): readonly string[] {
  const own = (computed?.from ?? []).map(({ name }) => `${type.name}.${name}`);
  const { aggregate } = computed ?? {};
  if (aggregate === undefined) return own;
  return [...own, ...namesRead(aggregate).map((name) => `${aggregate.type.name}.${name}`)];
}
