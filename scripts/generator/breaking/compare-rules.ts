import type {
  ImmutableRule,
  RequiredRule,
  TransitionRule,
  TypeRules,
} from '../../../src/capability/definition.js';
import { isWholePlace, referencesOf } from '../../../src/capability/named-references.js';
import { placeText } from '../../../src/capability/places.js';
import type { ModelType } from '../../../src/descriptor/model.js';
import { pairAtPlaces } from '../../../src/descriptor/schema-places.js';
import { canonicalJson } from '../../../src/protocol/canonical-json.js';
import { narrowed } from '../migrations/narrowed.js';
import type { Tell } from './model-change.js';

type Renamed = ReadonlyMap<string, string>;

/**
 * Tells which rules and errors of a type changed. It breaks clients if a rule forbids or requires
 * more than it did, or if the server answers with another error. `renamed` gives old names by new.
 */
export function compareRules(
  before: ModelType,
  after: ModelType,
  renamed: Renamed,
  tell: Tell,
): void {
  const news = new Map([...renamed].map(([name, old]) => [old, name]));
  const was = underNewNames(before.rules ?? {}, (name) => news.get(name) ?? name);
  const is = after.rules ?? {};
  compareTransitions(after.name, was.transitions ?? [], is.transitions ?? [], tell);
  for (const [key, old, now] of [
    ['immutableWhen', was.immutable ?? [], is.immutable ?? []],
    ['requiredWhen', was.required ?? [], is.required ?? []],
  ] as const) {
    const [oldTexts, texts] = [old, now].map((list) => list.map(textOf));
    const added = texts?.filter((text) => oldTexts?.includes(text) !== true) ?? [];
    const removed = oldTexts?.filter((text) => texts?.includes(text) !== true) ?? [];
    if (added.length > 0) tell('wire', true, after.name, `${key} has another rule`);
    else if (removed.length > 0) tell('wire', false, after.name, `${key} has a rule less`);
  }
  compareErrors(before, after, tell);
  compareRestricts(before, after, renamed, tell);
}

/** Returns a rule as text. The order of its properties says nothing. */
function textOf({ properties, ...rest }: ImmutableRule | RequiredRule): string {
  return canonicalJson({ ...rest, properties: [...properties].sort() } as never);
}

/** Returns rules with the new names of properties, so that a rename is no other change. */
function underNewNames(rules: TypeRules, named: (name: string) => string): TypeRules {
  const rename = <Rule extends ImmutableRule | RequiredRule>(rule: Rule): Rule => ({
    ...rule,
    when: rule.when.map((each) => ({ ...each, property: named(each.property) })),
    properties: rule.properties.map(named),
  });
  const { transitions = [], immutable = [], required = [] } = rules;
  return {
    transitions: transitions.map((rule) => ({ ...rule, property: named(rule.property) })),
    immutable: immutable.map(rename),
    required: required.map(rename),
  };
}

function compareTransitions(
  type: string,
  before: readonly TransitionRule[],
  after: readonly TransitionRule[],
  tell: Tell,
): void {
  for (const rule of after) {
    const where = `${type}.${rule.property}`;
    const old = before.find(({ property }) => property === rule.property);
    if (old === undefined) {
      tell('wire', true, where, 'changes along transitions alone now');
      continue;
    }
    const [was, is] = [pairsOf(old), pairsOf(rule)];
    const lost = was.filter((pair) => !is.includes(pair));
    const gained = is.filter((pair) => !was.includes(pair));
    if (lost.length > 0) tell('wire', true, where, `transitions removed: ${lost.join(', ')}`);
    if (gained.length > 0) tell('wire', false, where, `transitions added: ${gained.join(', ')}`);
    if (canonicalJson(old.initial ?? null) !== canonicalJson(rule.initial ?? null)) {
      const isWider =
        rule.initial === undefined ||
        old.initial?.every((value) => rule.initial?.includes(value)) === true;
      tell('wire', !isWider, where, 'a new object may begin with other values');
    }
    if (old.error !== rule.error)
      tell('wire', true, where, 'another error refuses its transitions');
  }
  for (const { property } of before)
    if (!after.some((rule) => rule.property === property))
      tell('wire', false, `${type}.${property}`, 'changes to any value now');
}

function pairsOf({ steps }: TransitionRule): readonly string[] {
  return steps.flatMap(({ from, to }) => to.map((value) => `${from} -> ${String(value)}`));
}

/** A client reads the members of an error. It waits in vain for one that is gone. */
function compareErrors(before: ModelType, after: ModelType, tell: Tell): void {
  const [was, is] = [before.errors ?? [], after.errors ?? []];
  for (const { name } of is)
    if (!was.some((error) => error.name === name))
      tell('wire', false, after.name, `error ${name} added`);
  for (const { name, members } of was) {
    const error = is.find((each) => each.name === name);
    if (error === undefined) {
      tell('wire', false, after.name, `error ${name} removed`);
      continue;
    }
    const [old, now] = [members.properties ?? {}, error.members.properties ?? {}];
    const lost = Object.keys(old).filter((each) => !Object.hasOwn(now, each));
    const others = Object.keys(old).map((each) => narrowed(now[each], old[each], each));
    const other = others.find((each) => each !== undefined);
    const why = lost.length > 0 ? `${lost.join(', ')} is gone` : other;
    if (canonicalJson(members as never) !== canonicalJson(error.members as never))
      tell(
        'wire',
        why !== undefined,
        after.name,
        `members of the error ${name} changed${why === undefined ? '' : `: ${why}`}`,
      );
  }
}

/** Tells where another error refuses the destroy of an object that is referred to. */
function compareRestricts(before: ModelType, after: ModelType, renamed: Renamed, tell: Tell): void {
  for (const property of after.properties) {
    const { name } = property;
    const old = before.properties.find((each) => each.name === (renamed.get(name) ?? name));
    for (const pair of pairAtPlaces(referencesOf(old ? [old] : []), referencesOf([property]))) {
      if (pair.some(({ onDestroy }) => onDestroy !== 'restrict')) continue;
      const [was, is] = pair.map(({ error }) => error ?? 'objectIsLinked');
      const at = isWholePlace(pair[1].place) ? '' : ` at ${placeText(pair[1].place)}`;
      if (was !== is) tell('wire', true, `${after.name}.${name}`, `restrict${at}: ${was} -> ${is}`);
    }
  }
}
