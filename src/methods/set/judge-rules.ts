import { meetsConditions } from '../../capability/rule-conditions.js';
import { jsonEqual } from '../../protocol/equal.js';
import { type SetError, setError } from '../../protocol/errors.js';
import { excerpt } from '../../protocol/excerpt.js';
import type { JsonValue } from '../../protocol/json.js';
import type { StoredObject } from '../../store/port.js';
import { quoted, sentence } from '../issues.js';
import {
  type IndexedImmutable,
  type IndexedRequired,
  type IndexedTransition,
  type RuleIndex,
  valueWords,
} from '../rule-index.js';
import type { TypeIndex } from '../type-index.js';
import type { ProposedChanges, ProposedRow } from './proposed-changes.js';

/** A fault of an object by one rule. */
interface Fault {
  /** The property at fault. */
  readonly name: string;
  /** Completes the sentence that the name begins. */
  readonly what: string;
  /** The properties whose change may have made the fault. */
  readonly causes: readonly string[];
}

const NONE: readonly never[] = Object.freeze([]);

/**
 * Judges the rules of a type that depend on the values of its objects, by the final state of each
 * object in the call. `transitions` and `immutableWhen` say what clients may do, as `access` does:
 * a hook's `tx.set` is free of them. `requiredWhen` binds hooks as well, as a schema does.
 */
export class RuleJudge {
  readonly #changes: ProposedChanges;
  readonly #isClient: boolean;

  constructor(changes: ProposedChanges) {
    this.#changes = changes;
    this.#isClient = changes.author === 'client';
  }

  /** Refuses creates and updates that break a rule; true where one did. */
  judge(): boolean {
    const { index, rows, refusals } = this.#changes;
    const { rules } = index;
    if (rules === null) return false;
    for (const row of rows.values()) {
      if (this.#isClient) {
        for (const rule of rules.transitions) this.#refuse(row, rule, faultsOfStep(rule, row));
        for (const rule of rules.immutable) this.#refuse(row, rule, faultsOfLock(index, rule, row));
      }
      for (const rule of rules.required) this.#refuse(row, rule, faultsOfGaps(rule, row));
    }
    return this.#changes.refusals > refusals;
  }

  #refuse(row: ProposedRow, { error }: { readonly error?: string }, faults: readonly Fault[]) {
    if (error === undefined || faults.length === 0) {
      for (const { name, what, causes } of faults) this.#changes.complain(row, name, what, causes);
      return;
    }
    const properties = faults.map(({ name }) => name);
    const why = sentence(faults.map(({ name, what }) => `${quoted(name)} ${what}`));
    const causes = faults.flatMap((fault) => fault.causes);
    this.#changes.blame(row, causes, setError(error, why, { properties }));
  }
}

/** Returns why a client can't destroy an object; null if no rule keeps it. */
export function refusalOfDestroy(rules: RuleIndex | null, object: StoredObject): SetError | null {
  const rule = rules === null ? undefined : keepingRule(rules, object);
  if (rule === undefined) return null;
  const why = `Clients can't destroy it while ${rule.words}.`;
  return setError(rule.error ?? 'forbidden', why);
}

function keepingRule({ keeping }: RuleIndex, object: StoredObject): IndexedImmutable | undefined {
  return keeping.find(({ when }) => meetsConditions(when, object));
}

/** Judges the step of one property: of a create what it begins as. */
function faultsOfStep(rule: IndexedTransition, { before, after }: ProposedRow): readonly Fault[] {
  const { property: name, initial, next, isComplete = false } = rule;
  const to = after[name] ?? null;
  const from = before?.[name] ?? null;
  if (to === from) return NONE;
  const fault = (what: string) => [{ name, what, causes: [name] }];
  if (typeof from !== 'string') {
    if (initial === undefined || initial.includes(to)) return NONE;
    return fault(`can't begin as ${shown(to)}: legal is ${valueWords(initial)}`);
  }
  const legal = next.get(from);
  if (legal === undefined && isComplete) return NONE;
  if (legal?.includes(to) === true) return NONE;
  const way = legal === undefined || legal.length === 0 ? 'nothing else' : valueWords(legal);
  return fault(`can't change from ${shown(from)} to ${shown(to)}: legal is ${way}`);
}

/** Judges whether properties changed that the stored object doesn't let change. */
function faultsOfLock(
  { names: declared }: TypeIndex,
  { names: locked, undeclared, when, words }: IndexedImmutable,
  { before, after, updates }: ProposedRow,
): readonly Fault[] {
  if (before === null || !meetsConditions(when, before)) return NONE;
  const touched = new Set<string>();
  for (const { changed } of updates)
    for (const name of changed)
      if (locked.has(name) || (undeclared === true && !declared.has(name))) touched.add(name);
  // One update of the call may have put back what another one had changed.
  const names = [...touched].filter((name) => !isSameMember(name, before, after));
  const what = `must stay as it is while ${words}`;
  return names.map((name) => ({ name, what, causes: [name] }));
}

/** Returns whether a property is the same in both; absent and null differ. */
function isSameMember(name: string, before: StoredObject, after: StoredObject): boolean {
  const [old, now] = [before[name], after[name]];
  return old === undefined || now === undefined ? old === now : jsonEqual(old, now);
}

/** Judges whether properties are empty that must not be. */
function faultsOfGaps(rule: IndexedRequired, { before, after }: ProposedRow): readonly Fault[] {
  if (!meetsConditions(rule.when, after)) return NONE;
  const isTouched = (name: string) =>
    before === null || !jsonEqual(before[name] ?? null, after[name] ?? null);
  // A gap that an older schema allowed stays until an update concerns it.
  const isBegun = rule.causes.some(isTouched);
  const names = rule.properties.filter(
    (name) => isEmpty(after[name] ?? null) && (isBegun || isTouched(name)),
  );
  const what = `must be neither null nor empty while ${rule.words}`;
  return names.map((name) => ({ name, what, causes: [name, ...rule.causes] }));
}

function isEmpty(value: JsonValue): boolean {
  if (typeof value !== 'object' || value === null) return value === null || value === '';
  for (const _ in value) return false;
  return true;
}

/** Returns a value as a client sent it, short. */
function shown(value: JsonValue): string {
  return excerpt(JSON.stringify(value));
}
