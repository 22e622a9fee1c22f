import { type ConditionView, viewConditions } from './condition-view.js';
import { items, type Located, type Member, member, members, text } from './located.js';
import type { Location } from './model.js';
import { type NameView, nameOf, namesIn } from './name-view.js';

/** The rules of a type as declared, with the places that messages name. Nothing is judged here. */
export interface RulesView {
  readonly transitions: readonly TransitionView[];
  readonly immutable: readonly ImmutableView[];
  readonly required: readonly RequiredView[];
}

export interface TransitionView {
  readonly property: NameView;
  /** Undefined where new objects may have any value. */
  readonly initial: readonly Located[] | undefined;
  readonly steps: readonly StepView[];
  readonly error: NameView | undefined;
}

export interface StepView {
  readonly from: NameView;
  readonly to: readonly Located[];
}

export interface ImmutableView {
  readonly at: Location;
  readonly when: readonly ConditionView[];
  /** Undefined where all are meant but those of the condition and of `except`. */
  readonly properties: readonly NameView[] | undefined;
  readonly except: readonly NameView[];
  readonly exceptAt: Location | undefined;
  readonly destroy: Member | undefined;
  readonly error: NameView | undefined;
}

export interface RequiredView {
  readonly at: Location;
  readonly when: readonly ConditionView[];
  readonly properties: readonly NameView[];
  readonly error: NameView | undefined;
}

/** Reads the rules of a type, each in its short form or its long one. */
export function viewRules(type: Located): RulesView {
  return {
    transitions: members(member(type, 'transitions')).map(viewTransition),
    immutable: oneOrMany(member(type, 'immutableWhen')).map(viewImmutable),
    required: oneOrMany(member(type, 'requiredWhen')).map((node) => ({
      at: node.at,
      when: viewConditions(member(node, 'when')),
      properties: namesIn(member(node, 'properties')),
      error: nameOf(member(node, 'error')),
    })),
  };
}

/** Returns the errors that rules name. */
export function errorsNamedBy({ transitions, immutable, required }: RulesView): NameView[] {
  return [...transitions, ...immutable, ...required].flatMap(({ error }) => error ?? []);
}

/** Returns the items of a list, or else the node itself. */
function oneOrMany(node: Located | undefined): readonly Located[] {
  return node === undefined ? [] : (node.items ?? [node]);
}

function viewTransition({ name, nameAt, node }: Member): TransitionView {
  const from = member(node, 'from');
  const isLong = from?.members !== undefined;
  const initial = isLong ? member(node, 'initial') : undefined;
  return {
    property: { name, at: nameAt },
    initial: initial === undefined ? undefined : items(initial),
    steps: members(isLong ? from : node).map((step) => ({
      from: { name: step.name, at: step.nameAt },
      to: items(step.node),
    })),
    error: isLong ? nameOf(member(node, 'error')) : undefined,
  };
}

function viewImmutable(node: Located): ImmutableView {
  const when = member(node, 'when');
  const isLong = when?.members !== undefined;
  const long = isLong ? node : undefined;
  const properties = member(long, 'properties');
  return {
    at: node.at,
    when: viewConditions(isLong ? when : node),
    properties: properties === undefined ? undefined : namesIn(properties),
    except: namesIn(member(long, 'except')),
    exceptAt: long?.members?.get('except')?.nameAt,
    destroy: long?.members?.get('destroy'),
    error: nameOf(member(long, 'error')),
  };
}

/** Returns whether a rule keeps its objects from being destroyed. */
export function keepsObject({ destroy }: ImmutableView): boolean {
  return text(destroy?.node) === 'refuse';
}
