import type {
  DataTypeDefinition,
  ImmutableRule,
  PropertyDefinition,
  RequiredRule,
  RuleCondition,
  TransitionRule,
} from '../capability/definition.js';
import type { JsonValue } from '../protocol/json.js';
import { quoted } from './issues.js';

/** The rules of a type, in the form in which the engine asks them. */
export interface RuleIndex {
  readonly transitions: readonly IndexedTransition[];
  readonly immutable: readonly IndexedImmutable[];
  readonly required: readonly IndexedRequired[];
  /** Those of `immutable` that keep an object from being destroyed. */
  readonly keeping: readonly IndexedImmutable[];
  /** The properties that must be known of an object to ask `keeping`. */
  readonly keepingProperties: readonly PropertyDefinition[];
}

export interface IndexedTransition extends TransitionRule {
  readonly next: ReadonlyMap<string, readonly JsonValue[]>;
}

export interface IndexedImmutable extends ImmutableRule {
  readonly names: ReadonlySet<string>;
  /** The condition in words, for clients: `"status" is "sent" or "paid"`. */
  readonly words: string;
}

export interface IndexedRequired extends RequiredRule {
  readonly words: string;
  /** The properties of the conditions. */
  readonly causes: readonly string[];
}

/** Returns the rules of a type; null, as for most types, where it has none. */
export function indexRules(type: DataTypeDefinition): RuleIndex | null {
  const { rules, properties } = type;
  if (rules === undefined) return null;
  const { transitions = [], immutable = [], required = [] } = rules;
  const writeWhen = (when: readonly RuleCondition[]) => conditionWords(type, when);
  const indexed = immutable.map((rule) => ({
    ...rule,
    names: new Set(rule.properties),
    words: writeWhen(rule.when),
  }));
  const keeping = indexed.filter(({ keepsObject }) => keepsObject === true);
  const asked = new Set(keeping.flatMap(({ when }) => when.map(({ property }) => property)));
  return Object.freeze({
    transitions: transitions.map((rule) => ({
      ...rule,
      next: new Map(rule.steps.map(({ from, to }) => [from, to])),
    })),
    immutable: indexed,
    required: required.map((rule) => ({
      ...rule,
      words: writeWhen(rule.when),
      causes: rule.when.map(({ property }) => property),
    })),
    keeping,
    keepingProperties: properties.filter(({ name }) => asked.has(name)),
  });
}

/** Returns conditions in words. Clients don't know of internal properties and their values. */
function conditionWords(
  { properties }: DataTypeDefinition,
  when: readonly RuleCondition[],
): string {
  const shown = when.filter(({ property }) =>
    properties.some(({ name, access }) => name === property && access !== 'internal'),
  );
  const words = shown.map(({ property, values, isNot }) => {
    return `${quoted(property)} is ${isNot === true ? 'not ' : ''}${valueWords(values)}`;
  });
  return words.length === 0 ? 'the object is as it is now' : words.join(' and ');
}

/** Returns values in words: `"sent" or "paid"`; "nothing" for none. */
export function valueWords(values: readonly JsonValue[]): string {
  const words = values.map((value) => JSON.stringify(value));
  if (words.length < 2) return words[0] ?? 'nothing';
  return `${words.slice(0, -1).join(', ')} or ${words.at(-1)}`;
}
