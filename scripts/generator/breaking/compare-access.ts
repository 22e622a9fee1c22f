import type { AccessRule } from '../../../src/capability/access-rules.js';
import { OPERATIONS } from '../../../src/descriptor/access-view.js';
import type { ModelType } from '../../../src/descriptor/model.js';
import { canonicalJson } from '../../../src/protocol/canonical-json.js';
import { subjectWords } from '../emit/access-words.js';
import type { Renamed } from '../migrations/lineage.js';
import type { Tell } from './model-change.js';

/** New names by old ones, of a type's properties and of types. */
export interface NewNames {
  readonly property: (name: string) => string;
  readonly type: (name: string) => string;
}

/** Returns the names that the properties of a type, and types, have now. */
export function newNames(own: string, renames: readonly Renamed[]): NewNames {
  const of = (type: string) => renames.find(({ from }) => from === type);
  return {
    property: (name) => of(own)?.properties.find(({ from }) => from === name)?.to ?? name,
    type: (name) => of(name)?.to ?? name,
  };
}

/**
 * Tells which users may do less with the objects of a type, and which may do more. Less breaks
 * their clients, and so do the first rules of a type.
 */
export function compareAccess(
  before: ModelType,
  after: ModelType,
  renamed: NewNames,
  tell: Tell,
): void {
  const [was, is] = [before.access, after.access];
  if (was === undefined && is === undefined) return;
  if (was === undefined)
    tell('wire', true, after.name, 'access: users may do what its rules give, and nothing else');
  else if (is === undefined)
    tell('wire', false, after.name, 'access: all users of the account may do everything');
  else {
    const old = abilities(was.map((rule) => underNewNames(rule, renamed)));
    const now = abilities(is);
    tellMissing(old, now, 'may no longer', (words) => tell('wire', true, after.name, words));
    tellMissing(now, old, 'may', (words) => tell('wire', false, after.name, words));
  }
}

/** The operations that the rights of `share` give, beside those of `access`. */
const OF_RIGHTS = ['share', 'undeclared'] as const;

/** The operations that users may do by rules; a change of some properties is one for each. */
type Abilities = ReadonlyMap<string, { readonly who: string; readonly verb: string }>;

function abilities(rules: readonly AccessRule[]): Abilities {
  return new Map(
    rules.flatMap((rule) => {
      const { who, where = [] } = rule;
      const objects = where.length === 0 ? '' : ` (${canonicalJson(where as never)})`;
      const words = `${subjectWords(who, (name) => name)}${objects}`;
      return [...OPERATIONS, ...OF_RIGHTS]
        .flatMap((operation) => {
          const given = rule[operation];
          const verbs = Array.isArray(given)
            ? (given as readonly string[]).map((name) => `${operation} ${name}`)
            : [operation];
          return given === undefined ? [] : verbs;
        })
        .map((verb) => [`${words}: ${verb}`, { who: words, verb }] as const);
    }),
  );
}

function tellMissing(
  all: Abilities,
  others: Abilities,
  may: string,
  tell: (words: string) => void,
): void {
  const missing = new Map<string, string[]>();
  for (const [key, { who, verb }] of all) {
    if (others.has(key)) continue;
    // To change all is to change each.
    const isPart = verb.startsWith('update ') || verb === 'undeclared';
    if (isPart && others.has(`${who}: update`)) continue;
    missing.set(who, [...(missing.get(who) ?? []), verb]);
  }
  for (const [who, verbs] of missing) tell(`access: ${who} ${may} ${verbs.join(', ')}`);
}

function underNewNames(rule: AccessRule, { property, type }: NewNames): AccessRule {
  const { who, where, update } = rule;
  return {
    ...rule,
    who:
      who.kind === 'property'
        ? { ...who, property: property(who.property) }
        : who.kind === 'parent'
          ? { ...who, reference: property(who.reference), type: type(who.type) }
          : who,
    ...(where && { where: where.map((one) => ({ ...one, property: property(one.property) })) }),
    ...(Array.isArray(update) && { update: update.map(property) }),
  };
}
