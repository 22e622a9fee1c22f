import { member } from '../located.js';
import { isGiven } from '../model/access.js';
import type { NameView } from '../name-view.js';
import type { PropertyView } from '../property-view.js';
import type { RequiredView } from '../rule-view.js';
import type { TypeView } from '../view.js';
import { eachType, type Report, reportDoubles } from './rule.js';
import { enumOf, judgeConditions } from './rule-values.js';
import { findProperty } from './types.js';

/** Refuses a `requiredWhen` of what clients don't give, or what is never empty. */
export const requiredWhen = eachType((type, report) => {
  for (const rule of type.rules.required) {
    judgeConditions(type, rule.when, report);
    if (rule.properties.length === 0)
      report('empty', rule.at, 'the rule requires nothing: "properties" must not be empty.');
    judgeProperties(type, rule, report);
  }
});

function judgeProperties(type: TypeView, { when, properties }: RequiredView, report: Report) {
  reportDoubles(properties, report);
  for (const named of properties) {
    const { name, at } = named;
    const property = findProperty(type, named, report);
    if (property?.kind === undefined) continue;
    const { access, computed } = property;
    if (!isGiven(property)) {
      const what = computed === undefined ? access : 'computed';
      report('bad-rule', at, `"${name}" is ${what}: no client could give it.`);
    } else if (isNeverEmpty(property))
      report('bad-rule', at, `"${name}" always has a value: it is neither null nor empty.`);
    const same = when.find((each) => each.property.name === name && !each.isNot);
    if (same?.values.every(({ value }) => value === null || value === '') === true) {
      const values = same.values.map(({ value }) => JSON.stringify(value)).join(' or ');
      report('contradictory-rules', at, `"${name}" can't be given while it is ${values}.`);
    }
    judgeSetNull(property, named, report);
  }
}

/** Reports references that `setNull` takes out, so that the property may be left empty. */
function judgeSetNull({ references }: PropertyView, { name, at }: NameView, report: Report): void {
  const emptying = references.find(
    ({ onDestroy, removable, place: [step, ...further] }) =>
      onDestroy === 'setNull' &&
      (step === undefined || (further.length === 0 && (removable || !('member' in step)))),
  );
  if (emptying === undefined) return;
  report(
    'contradictory-rules',
    at,
    `"${name}" may not be empty, and setNull empties it when ${emptying.target.name} objects go: ` +
      'say restrict, cascade or keep there.',
    { related: [member(emptying.node, 'onDestroy')?.at ?? emptying.target.at] },
  );
}

/** Returns whether a property is never absent or null, nor an empty text, list or object. */
function isNeverEmpty(property: PropertyView): boolean {
  const { kind, nullable, optional, format, references } = property;
  if (nullable || optional) return false;
  if (kind === 'json') return false;
  if (kind !== 'string' || format !== undefined || references.length > 0) return true;
  const values = enumOf(property);
  return values !== undefined && !values.includes('');
}
