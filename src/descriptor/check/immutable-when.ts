import { isWrittenByClients } from '../model/access.js';
import { protectedNames } from '../model/rules.js';
import { type ImmutableView, keepsObject } from '../rule-view.js';
import type { TypeView } from '../view.js';
import { eachType, type Report, reportDoubles } from './rule.js';
import { judgeConditions } from './rule-values.js';
import { findProperty } from './types.js';

/** Refuses an `immutableWhen` that protects nothing, or what clients never change. */
export const immutableWhen = eachType((type, report) => {
  for (const rule of type.rules.immutable) {
    judgeConditions(type, rule.when, report);
    judgeNames(type, rule, report);
    judgeScope(type, rule, report);
    judgeWays(type, rule, report);
  }
});

/** Reports names of no property, twice the same one, and properties that clients never change. */
function judgeNames(type: TypeView, { properties = [], except }: ImmutableView, report: Report) {
  for (const names of [properties, except]) {
    reportDoubles(names, report);
    for (const named of names) {
      const property = findProperty(type, named, report);
      if (property === undefined || isWrittenByClients(property)) continue;
      const what = property.computed === undefined ? property.access : 'computed';
      report(
        'bad-rule',
        named.at,
        `"${named.name}" is ${what}: clients never change it, so no rule need say so.`,
      );
    }
  }
}

function judgeScope(type: TypeView, rule: ImmutableView, report: Report): void {
  if (rule.properties !== undefined && rule.exceptAt !== undefined)
    report(
      'bad-rule',
      rule.exceptAt,
      '"properties" lists all that clients can\'t change, so "except" adds nothing: drop one.',
    );
  if (type.singleton && keepsObject(rule))
    report(
      'bad-singleton',
      rule.destroy?.nameAt ?? rule.at,
      `${type.name} is a singleton, which nothing destroys: "destroy" means nothing.`,
    );
  const isOfUndeclared = type.keepsUnknown && rule.properties === undefined;
  const isOfNone = protectedNames(rule, type.properties).length === 0 && !isOfUndeclared;
  if (isOfNone && !keepsObject(rule))
    report(
      'bad-rule',
      rule.at,
      'the rule protects nothing: clients may change every property that is left.',
    );
}

/** Reports a value that is to stay and that `transitions` lets change. */
function judgeWays(type: TypeView, rule: ImmutableView, report: Report): void {
  const [only, ...others] = rule.when;
  if (only === undefined || others.length > 0 || only.isNot) return;
  const { name } = only.property;
  const named = rule.properties?.find((each) => each.name === name);
  const steps = type.rules.transitions.find(({ property }) => property.name === name)?.steps ?? [];
  for (const { from, to } of named === undefined ? [] : steps) {
    const isHeld = only.values.some(({ value }) => value === from.name);
    if (!isHeld || to.length === 0) continue;
    report(
      'contradictory-rules',
      named?.at ?? rule.at,
      `"${name}" must stay as it is while it is "${from.name}", but "transitions" has steps from ` +
        'there: drop one.',
      { related: [from.at] },
    );
  }
}
