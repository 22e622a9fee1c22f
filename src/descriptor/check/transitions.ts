import type { JsonValue } from '../../protocol/json.js';
import { member } from '../located.js';
import { isWrittenByClients } from '../model/access.js';
import type { PropertyView } from '../property-view.js';
import type { TransitionView } from '../rule-view.js';
import type { TypeView } from '../view.js';
import { eachType, type Report } from './rule.js';
import { enumOf, hasNamedValues, judgeValues } from './rule-values.js';
import { findProperty } from './types.js';

/** Refuses transitions of what clients don't change, and steps from or to no value. */
export const transitions = eachType((type, report) => {
  for (const rule of type.rules.transitions) {
    const property = findProperty(type, rule.property, report);
    if (property?.kind === undefined) continue;
    if (!canHaveSteps(property, rule, report)) continue;
    judgeSteps(property, rule, report);
    judgeInitial(type, property, rule, report);
    warnOfForgotten(type, property, rule, report);
  }
});

/** Reports a property that has no texts to name, that has one value, or that clients can't set. */
function canHaveSteps(property: PropertyView, rule: TransitionView, report: Report): boolean {
  const { name, kind, access, computed } = property;
  if (kind !== 'string' || !hasNamedValues(property) || access === 'secret') {
    report(
      'bad-rule',
      rule.property.at,
      `"${name}" can't have transitions: they are steps from one text to another. Legal is ` +
        'type: string, best with an enum. It is no secret, no id, and has no format with an ' +
        'order (date, duration, decimal).',
    );
    return false;
  }
  if (isConstant(property)) {
    report(
      'bad-rule',
      rule.property.at,
      `"${name}" is a constant, which never changes: leave its transitions out.`,
    );
    return false;
  }
  if (isWrittenByClients(property)) return true;
  const what = computed === undefined ? access : 'computed';
  report(
    'bad-rule',
    rule.property.at,
    `"${name}" is ${what}: clients never change it, and transitions bind clients alone.`,
  );
  return false;
}

/** Returns whether the property has one value, and can neither be null nor absent. */
function isConstant({ node, nullable, optional }: PropertyView): boolean {
  return member(node, 'const') !== undefined && !nullable && !optional;
}

function judgeSteps(property: PropertyView, { steps }: TransitionView, report: Report): void {
  judgeValues(
    property,
    steps.map(({ from }) => ({ value: from.name, at: from.at })),
    report,
  );
  for (const { from, to } of steps) {
    judgeValues(property, to, report);
    const self = to.find(({ value }) => value === from.name);
    if (self !== undefined)
      report(
        'bad-rule',
        self.at,
        `an object may always keep the value "${from.name}": leave this step out.`,
      );
  }
}

/** Reports values of new objects that none can have, and a default that is not among them. */
function judgeInitial(
  type: TypeView,
  property: PropertyView,
  { initial }: TransitionView,
  report: Report,
): void {
  const [first] = initial ?? [];
  if (initial === undefined || first === undefined) return;
  judgeValues(property, initial, report);
  if (type.singleton)
    report(
      'bad-singleton',
      first.at,
      `${type.name} is a singleton, which nobody creates: "initial" means nothing.`,
    );
  const given = member(property.node, 'default');
  if (typeof given?.value !== 'string') return;
  if (initial.some(({ value }) => value === given.value)) return;
  report(
    'contradictory-rules',
    first.at,
    `a create without "${property.name}" begins as "${given.value}", its default, which is not ` +
      'under "initial": add it, or choose another default.',
  );
}

/** Warns of values of an enum that no client can ever give, unless the rule names them. */
function warnOfForgotten(
  { name }: TypeView,
  property: PropertyView,
  { initial, steps }: TransitionView,
  report: Report,
): void {
  if (initial === undefined) return;
  const named = new Set<JsonValue>([
    ...initial.map(({ value }) => value),
    ...steps.flatMap(({ from, to }) => [from.name, ...to.map(({ value }) => value)]),
  ]);
  const values = member(property.node, 'enum')?.items ?? [];
  for (const { value, at } of enumOf(property) === undefined ? [] : values) {
    if (value === null || named.has(value)) continue;
    report(
      'unreachable-value',
      at,
      `no client can make a ${name} ${JSON.stringify(value)}: no step of "transitions" leads to ` +
        `it. If hooks do, write ${String(value)}: [] beside the other steps.`,
      { severity: 'warning' },
    );
  }
}
