import { formatNamed } from '../../capability/formats/index.js';
import type { JsonValue } from '../../protocol/json.js';
import { normalForm } from '../../text/index.js';
import type { ConditionView } from '../condition-view.js';
import { typeOf } from '../kinds.js';
import { items, type Located, member } from '../located.js';
import type { PropertyView } from '../property-view.js';
import type { TypeView } from '../view.js';
import { didYouMean } from './did-you-mean.js';
import { hasType, outOfBounds } from './enum-values.js';
import { readChanges } from './normal-forms.js';
import { listed, type Report } from './rule.js';
import { findProperty } from './types.js';

/** The values that rules name, for the checks of all kinds of rules. */

const SCALARS: ReadonlySet<string> = new Set(['string', 'boolean', 'integer', 'number']);

/**
 * Returns whether a descriptor can name values of a property: no ids, lists, objects, or texts that
 * are in an order of their own, such as dates.
 */
export function hasNamedValues(property: PropertyView): boolean {
  const { kind, format, references, blobs, role } = property;
  const isScalar = kind !== undefined && SCALARS.has(kind);
  const isId = references.length > 0 || blobs.length > 0;
  const order = formatNamed(format)?.order ?? 'none';
  return isScalar && order === 'none' && !isId && !role;
}

/** Reports values that the property can't have, and those that a list has twice. */
export function judgeValues(
  property: PropertyView,
  values: readonly Pick<Located, 'value' | 'at'>[],
  report: Report,
): void {
  const seen = new Set<JsonValue>();
  for (const { value, at } of values) {
    if (seen.has(value)) report('duplicate-entry', at, `${JSON.stringify(value)} is listed twice.`);
    seen.add(value);
    if (value !== null && !hasNamedValues(property)) {
      report(
        'bad-rule-value',
        at,
        `a rule can't name this value of "${property.name}": for lists, objects, dates, ` +
          'durations, decimals and ids it can name only null.',
      );
      continue;
    }
    const why = whyNoValue(property, value);
    if (why !== undefined)
      report('bad-rule-value', at, `${JSON.stringify(value)} is no value of ${why}`);
  }
}

/** Returns the end of a sentence about a value that a property can't have; undefined for others. */
function whyNoValue(property: PropertyView, value: JsonValue): string | undefined {
  const { name, node, nullable, optional } = property;
  // An absent property counts as null.
  if (value === null)
    return nullable || optional ? undefined : `"${name}", which can't be null or absent.`;
  const { type } = typeOf(node);
  if (typeof value === 'boolean' ? type !== 'boolean' : !hasType(value, type) || type === 'boolean')
    return `"${name}", which is ${type}.`;
  const legal = enumOf(property);
  if (legal !== undefined) {
    if (legal.includes(value)) return undefined;
    const words = legal.map((each) => JSON.stringify(each));
    return `"${name}".${didYouMean(String(value), legal.map(String))} Legal are ${listed(words)}.`;
  }
  const why =
    outOfBounds(value, node) ?? whyNotNormal(value, node) ?? whyNotCanonical(value, property);
  return why === undefined ? undefined : `"${name}": ${why}.`;
}

/** Returns why no stored text can be the value: it is not as `normalize` leaves it. */
function whyNotNormal(value: JsonValue, node: Located): string | undefined {
  const normalize = member(node, 'normalize');
  if (normalize === undefined || typeof value !== 'string') return undefined;
  const normal = normalForm(value, readChanges(normalize));
  return normal === value ? undefined : `normalize makes it ${JSON.stringify(normal)}`;
}

/** Returns why no stored text can be the value: its format has no such text, or in another form. */
function whyNotCanonical(value: JsonValue, { format: name }: PropertyView): string | undefined {
  const format = formatNamed(name);
  if (format === undefined || typeof value !== 'string' || format.isCanonical(value))
    return undefined;
  if (!format.isLegal(value)) return `it ${format.message}`;
  const stored = JSON.stringify(format.canonical?.(value) ?? value);
  return `the format ${name} stores it as ${stored}`;
}

/** Returns the values of a property's enum, or its constant; undefined where it has neither. */
export function enumOf({ node }: PropertyView): readonly JsonValue[] | undefined {
  const constant = member(node, 'const');
  if (constant !== undefined) return [constant.value];
  const values = member(node, 'enum');
  return values === undefined ? undefined : items(values).map(({ value }) => value);
}

/** Judges the conditions of a rule: each names a property that may be read, and its values. */
export function judgeConditions(
  type: TypeView,
  when: readonly ConditionView[],
  report: Report,
): void {
  for (const { property: named, values } of when) {
    const property = findProperty(type, named, report);
    if (property?.kind === undefined) continue;
    if (property.access === 'secret')
      report('bad-rule', named.at, `"${named.name}" is secret: no rule can depend on it.`);
    else judgeValues(property, values, report);
  }
}
