import type {
  ImmutableRule,
  RequiredRule,
  TransitionRule,
  TypeRules,
} from '../../capability/definition.js';
import { buildCondition } from '../condition-view.js';
import type { ModelProperty } from '../model.js';
import type { NameView } from '../name-view.js';
import {
  type ImmutableView,
  keepsObject,
  type RequiredView,
  type RulesView,
  type TransitionView,
} from '../rule-view.js';
import { isWrittenByClients, type Written } from './access.js';

/** Returns the rules of a type with every property named; undefined if the type has none. */
export function buildRules(
  { transitions, immutable, required }: RulesView,
  properties: readonly ModelProperty[],
  keepsUnknown: boolean,
): TypeRules | undefined {
  const rules: TypeRules = {
    ...(transitions.length === 0
      ? {}
      : { transitions: transitions.map((rule) => buildTransition(rule, properties)) }),
    ...(immutable.length === 0
      ? {}
      : { immutable: immutable.map((rule) => buildImmutable(rule, properties, keepsUnknown)) }),
    ...(required.length === 0 ? {} : { required: required.map(buildRequired) }),
  };
  return Object.keys(rules).length === 0 ? undefined : rules;
}

/** Returns the names of the properties that clients can't change while a rule holds. */
export function protectedNames(
  { properties: named, except, when }: ImmutableView,
  properties: readonly (Written & { readonly name: string })[],
): readonly string[] {
  if (named !== undefined) return named.map(({ name }) => name);
  const free = new Set([...except, ...when.map(({ property }) => property)].map(nameIn));
  return properties
    .filter((property) => isWrittenByClients(property) && !free.has(property.name))
    .map(nameIn);
}

/** A value of an enum that has no steps is final, and so is listed with none. */
function buildTransition(
  { property, initial, steps, error }: TransitionView,
  properties: readonly ModelProperty[],
): TransitionRule {
  const { name } = property;
  const values = properties.find((one) => one.name === name)?.schema.enum;
  const listed = steps.map(({ from, to }) => ({
    from: from.name,
    to: to.map(({ value }) => value),
  }));
  const known = new Set(listed.map(({ from }) => from));
  const final = (values ?? []).filter((value) => typeof value === 'string' && !known.has(value));
  return {
    property: name,
    ...(initial === undefined ? {} : { initial: initial.map(({ value }) => value) }),
    steps: [...listed, ...final.map((from) => ({ from: from as string, to: [] }))],
    ...(values === undefined ? {} : { isComplete: true }),
    ...errorOf(error),
  };
}

function buildImmutable(
  rule: ImmutableView,
  properties: readonly ModelProperty[],
  keepsUnknown: boolean,
): ImmutableRule {
  return {
    when: rule.when.map(buildCondition),
    properties: protectedNames(rule, properties),
    ...(keepsUnknown && rule.properties === undefined ? { undeclared: true } : {}),
    ...(keepsObject(rule) ? { keepsObject: true } : {}),
    ...errorOf(rule.error),
  };
}

function buildRequired({ when, properties, error }: RequiredView): RequiredRule {
  return {
    when: when.map(buildCondition),
    properties: properties.map(nameIn),
    ...errorOf(error),
  };
}

function errorOf(error: NameView | undefined): { readonly error?: string } {
  return error === undefined ? {} : { error: error.name };
}

function nameIn({ name }: { readonly name: string }): string {
  return name;
}
