import type { RuleCondition, TransitionRule } from '../../../src/capability/definition.js';
import { isShown } from '../../../src/descriptor/model/access.js';
import type { ModelType } from '../../../src/descriptor/model.js';
import type { JsonValue } from '../../../src/protocol/json.js';
import { code, list } from './reference/markdown.js';

/** Rules in words: for the page of a type, and for the comments of its properties. */

/** Returns a line of Markdown for each rule of a type, but for those of internal properties. */
export function describeRules(type: ModelType): readonly string[] {
  const { transitions = [], immutable = [], required = [] } = type.rules ?? {};
  const shown = new Set(type.properties.filter(isShown).map(({ name }) => name));
  const isKnown = ({ when }: { readonly when: readonly RuleCondition[] }) =>
    when.every(({ property }) => shown.has(property));
  return [
    ...transitions.map(
      (rule) => `${code(rule.property)}: ${stepsOf(rule, code)}${refusedBy(rule.error)}`,
    ),
    ...immutable.filter(isKnown).map((rule) => {
      const names = list([
        ...rule.properties.map((name) => code(name)),
        ...(rule.undeclared === true ? ['undeclared properties'] : []),
      ]);
      const what = names === '' ? '' : `clients can’t change ${names}`;
      const kept = rule.keepsObject === true ? 'clients can’t destroy the object' : '';
      const both = [what, kept].filter((part) => part !== '').join(', and ');
      return `While ${whenWords(rule.when)}, ${both}${refusedBy(rule.error)}`;
    }),
    ...required.filter(isKnown).map((rule) => {
      const names = list(rule.properties.map((name) => code(name)));
      const verb = rule.properties.length === 1 ? 'is' : 'are';
      return `While ${whenWords(rule.when)}, ${names} ${verb} not empty${refusedBy(rule.error)}`;
    }),
  ];
}

/** Returns what a property's comment in the types says of its steps; "" for most. */
export function commentOnSteps(type: ModelType, name: string): string {
  const rule = type.rules?.transitions?.find(({ property }) => property === name);
  return rule === undefined ? '' : `Clients change it so: ${stepsOf(rule, quote)}.`;
}

function stepsOf(
  { initial, steps, isComplete }: TransitionRule,
  write: (text: string) => string,
): string {
  const words = (values: readonly JsonValue[]) =>
    values.map((value) => write(String(value))).join(' or ');
  const start = initial === undefined ? [] : [`a new one is ${words(initial)}`];
  const going = steps.filter(({ to }) => to.length > 0);
  const final = steps.filter(({ to }) => to.length === 0).map(({ from }) => from);
  const others = isComplete === true ? [] : ['any other is final'];
  return [
    ...start,
    ...going.map(({ from, to }) => `from ${write(from)} to ${words(to)}`),
    ...(final.length === 0 ? [] : [`${words(final)} ${final.length > 1 ? 'are' : 'is'} final`]),
    ...others,
  ].join('; ');
}

function quote(text: string): string {
  return JSON.stringify(text);
}

/** Returns the conditions of a rule in words. */
export function whenWords(when: readonly RuleCondition[]): string {
  return when
    .map(({ property, values, isNot }) => {
      const words = values.map((value) => code(JSON.stringify(value))).join(' or ');
      return `${code(property)} is ${isNot === true ? 'not ' : ''}${words}`;
    })
    .join(' and ');
}

function refusedBy(error: string | undefined): string {
  return error === undefined ? '' : ` (${code(error)})`;
}
