import type { AccessView } from '../access-view.js';
import { onCycles } from '../cycles.js';
import { text } from '../located.js';
import type { PropertyView, ReferenceView } from '../property-view.js';
import type { TypeView } from '../view.js';
import { didYouMean } from './did-you-mean.js';
import { oneOf, type Report } from './rule.js';
import { findProperty, propertiesOf } from './types.js';

/** Judges rules by which objects follow others, which must end somewhere. */

type Types = ReadonlyMap<string, TypeView>;

/** Judges the reference of a rule about users who see the object that it leads to. */
export function judgeParent(type: TypeView, rule: AccessView, types: Types, report: Report): void {
  const name = text(rule.of?.node);
  if (rule.who?.name !== 'parent' || rule.of === undefined || name === undefined) return;
  const { at } = rule.of.node;
  const property = findProperty(type, { name, at }, report);
  if (property === undefined) return;
  const reference = followed(property);
  if (reference === undefined) {
    const fit = type.properties.filter((one) => followed(one) !== undefined);
    const legal = fit.length === 0 ? '' : ` Legal here: ${oneOf(fit.map((one) => one.name))}.`;
    const why =
      'is no reference that access can follow: one with references: Type or setOf: Type as a ' +
      'whole, and without onDestroy: keep';
    report('bad-access', at, `"${name}" ${why}.${legal}`);
    return;
  }
  const parent = types.get(reference.target.name);
  // Of an unknown type another rule tells.
  if (parent === undefined) return;
  if (parent === type && !reference.acyclic)
    report('bad-access', at, `"${name}" leads to ${type.name} itself: it needs acyclic: true.`);
  judgeRights(rule, parent, report);
  if (parent.access.length > 0 || parent.share !== undefined) return;
  const why = 'has no "access": all users of the account see its objects';
  report('bad-access', at, `${parent.name} ${why}. Give it rules, or drop this one.`);
}

/**
 * Reports rights that the type of the parent doesn't declare, and that none of its own rules takes
 * from a parent.
 */
function judgeRights({ allowed }: AccessView, parent: TypeView, report: Report): void {
  const own = parent.share?.rights.map(({ name }) => name) ?? [];
  const further = parent.access
    .filter(({ who }) => who?.name === 'parent')
    .flatMap((rule) => rule.allowed.flatMap(({ right }) => right?.name ?? []));
  const known = [...new Set([...own, ...further])];
  for (const { right } of allowed) {
    if (right === undefined || known.includes(right.name)) continue;
    const legal =
      known.length === 0
        ? `${parent.name} has no "share": write true`
        : `declared are ${oneOf(known)}`;
    const meant = didYouMean(right.name, known);
    report(
      'bad-access',
      right.at,
      `"${right.name}" is no right at ${parent.name}: ${legal}.${meant}`,
    );
  }
}

/** Returns the reference by which access follows: the whole value, or the keys of a set. */
function followed({ references }: PropertyView): ReferenceView | undefined {
  return references.find(({ place, onDestroy }) => {
    const [step, ...more] = place;
    const isSet = step !== undefined && 'each' in step && step.each === 'key';
    return onDestroy !== 'keep' && (step === undefined || (isSet && more.length === 0));
  });
}

/** Returns the types that the objects of a type follow by a rule. */
function parentOf(type: TypeView, { who, of }: AccessView): readonly string[] {
  if (who?.name !== 'parent') return [];
  const property = propertiesOf(type).get(text(of?.node) ?? '');
  const reference = property && followed(property);
  return reference === undefined ? [] : [reference.target.name];
}

/** Reports types that follow each other: nobody could say where the rights come from. */
export function judgeCircles(types: Types, report: Report): void {
  const targets = new Map(
    [...types].map(([name, type]) => [
      name,
      type.access.flatMap((rule) => parentOf(type, rule)).filter((parent) => parent !== name),
    ]),
  );
  const circles = onCycles(targets);
  for (const [name, type] of types) {
    for (const rule of type.access) {
      const parent = parentOf(type, rule).find((one) => one !== name && circles.has(one));
      if (parent === undefined || !circles.has(name)) continue;
      const why = `${name} follows ${parent}, and ${parent} follows ${name} again`;
      report('bad-access', rule.of?.node.at ?? rule.at, `${why}: drop one of these rules.`);
    }
  }
}
