import { expect } from 'expect';
import type { ImmutableRule, RuleCondition } from '../../../src/capability/definition.js';
import { meetsConditions } from '../../../src/capability/rule-conditions.js';
import { isWrittenByClients } from '../../../src/descriptor/model/access.js';
import { startUnderRules } from '../../../src/descriptor/model/rule-start.js';
import type { ModelProperty } from '../../../src/descriptor/model.js';
import { typeChecks } from '../check.js';
import { type Json, type JsonMap, same } from '../client/json.js';
import { NotApplicable } from '../not-applicable.js';
import { isUnique, listVisible } from '../subject/described.js';
import type { Subject } from '../subject/subject.js';
import { listValues } from '../subject/values.js';

/** Checks of the rules of a type that depend on the values of its objects. */

/** The values on which rules depend, and the values of one property that lead there. */
interface State {
  readonly values: JsonMap;
  readonly steps: readonly JsonMap[];
}

const isEmpty = (value: Json): boolean =>
  value === null ||
  value === '' ||
  JSON.stringify(value) === '[]' ||
  JSON.stringify(value) === '{}';

/** Finds the rule by which nobody can destroy an object with these values. */
const findKeeping = ({ declared }: Subject, values: JsonMap): ImmutableRule | undefined =>
  declared.rules?.immutable?.find(
    ({ when, keepsObject }) => keepsObject === true && meetsConditions(when, values),
  );

/** Lists the states to which transitions lead from one, through those that `isOpen` says yes to. */
function listReached(
  { declared }: Subject,
  start: State,
  isOpen: (values: JsonMap) => boolean,
): readonly State[] {
  const { transitions = [], immutable = [] } = declared.rules ?? {};
  const states = [start];
  const seen = new Set([JSON.stringify(start.values)]);
  for (const { values, steps: before } of states) {
    const locking = immutable.filter(({ when }) => meetsConditions(when, values));
    const locked = new Set(locking.flatMap(({ properties }) => properties));
    for (const { property, steps } of transitions.filter((one) => !locked.has(one.property))) {
      const next = steps.find(({ from }) => from === values[property])?.to ?? [];
      for (const value of next) {
        const step = { [property]: value as Json };
        const reached = { ...values, ...step };
        if (!isOpen(reached) || seen.has(JSON.stringify(reached))) continue;
        seen.add(JSON.stringify(reached));
        states.push({ values: reached, steps: [...before, step] });
      }
    }
  }
  return states;
}

/** Returns the state of a new object. */
const startOf = ({ declared }: Subject): State => ({
  values: startUnderRules(declared).values as JsonMap,
  steps: [],
});

/** Lists the states of objects that can be destroyed there: others would stay. */
const listStates = (subject: Subject): readonly State[] =>
  listReached(subject, startOf(subject), (values) => findKeeping(subject, values) === undefined);

/** Lists the states of objects that can't be destroyed there, but after the steps of `out`. */
const listKept = (subject: Subject) =>
  listReached(subject, startOf(subject), () => true).flatMap((state) => {
    const { values } = state;
    const rule = findKeeping(subject, values);
    const out = listReached(subject, { values, steps: [] }, () => true).find(
      (one) => findKeeping(subject, one.values) === undefined,
    );
    return rule === undefined || out === undefined ? [] : [{ state, rule, out: out.steps }];
  });

/** Returns a value that is not empty for each property that a rule may require. */
function fillRequired(subject: Subject): JsonMap {
  const { declared, described, profile } = subject;
  const names = new Set((declared.rules?.required ?? []).flatMap(({ properties }) => properties));
  const given = new Set([profile.text, ...profile.given.map(({ name }) => name)]);
  return Object.fromEntries(
    [...names].flatMap((name): [string, Json][] => {
      const property = described.properties.find((one) => one.name === name);
      if (property === undefined || given.has(name)) return [];
      if (property.references.length > 0 || property.blobs.length > 0)
        throw new NotApplicable(`A rule requires ${name}, which refers to something.`);
      if (isUnique(described, property)) return [[name, subject.drawDiffering(name)]];
      const value = listValues(property).good.find((one) => !isEmpty(one));
      return value === undefined ? [] : [[name, value]];
    }),
  );
}

/** Makes an object, and brings it into a state by legal steps. Returns its id. */
async function makeInState(
  subject: Subject,
  { steps }: Pick<State, 'steps'>,
  values: JsonMap = {},
): Promise<string> {
  const { text } = subject.profile;
  const texts = text === '' ? {} : { [text]: subject.create('a text')[text] ?? null };
  const id = await subject.putOne({ ...fillRequired(subject), ...texts, ...values });
  for (const step of steps) {
    const { refused } = await subject.update(id, step);
    expect({ step, refused }).toEqual({ step, refused: null });
    expect(await subject.read(id)).toMatchObject(step);
  }
  return id;
}

/** Runs `work`, which tells whether it tried something, for each; NotApplicable where none did. */
async function tryEach<T>(all: readonly T[], work: (one: T) => Promise<boolean>): Promise<void> {
  let hasTried = false;
  for (const one of all) hasTried = (await work(one)) || hasTried;
  if (!hasTried) throw new NotApplicable('No object can be brought to where the rules say more.');
}

const needRules =
  (kind: 'transitions' | 'immutable' | 'required') =>
  ({ declared }: Subject): string | null =>
    (declared.rules?.[kind] ?? []).length > 0 ? null : 'The type has no such rule.';

/** Matches a refusal by one of the rules that name a property. */
const matchRefusal = (subject: Subject, error: string | undefined, name: string) =>
  subject.matchSetError(error ?? 'invalidProperties', [name]);

/** Returns the states in which a rule holds. */
function listStatesOf(subject: Subject, when: readonly RuleCondition[]): readonly State[] {
  return listStates(subject).filter(({ values }) => meetsConditions(when, values));
}

/** Finds the properties that a rule locks and that a client could otherwise change. */
function listLocked(subject: Subject, { properties }: ImmutableRule): readonly ModelProperty[] {
  const { declared, described } = subject;
  const shown = new Set(listVisible(declared).map(({ name }) => name));
  const decisive = startUnderRules(declared).values;
  return described.properties.filter(
    (one) =>
      properties.includes(one.name) &&
      shown.has(one.name) &&
      isWrittenByClients(one) &&
      one.references.length === 0 &&
      one.blobs.length === 0 &&
      !Object.hasOwn(decisive, one.name),
  );
}

export const describedRuleChecks = typeChecks('5.3', { methods: ['get', 'set'], room: 2 }, [
  {
    id: 'described-transitions-taken',
    level: 'must',
    rule: 'An update along a declared transition is done.',
    restsOn: 'the transitions of properties',
    applies: needRules('transitions'),
    async run(subject) {
      await tryEach(listStates(subject), async (state) => {
        const id = await makeInState(subject, state);
        await subject.set({ destroy: [id] });
        return state.steps.length > 0;
      });
    },
  },
  {
    id: 'described-transitions-refused',
    level: 'must',
    rule: 'An update to a value that no declared transition leads to is refused; the value stays.',
    restsOn: 'the transitions of properties',
    applies: needRules('transitions'),
    async run(subject) {
      const { declared } = subject;
      const tried = listStates(subject).flatMap((state) =>
        (declared.rules?.transitions ?? []).map((rule) => ({ state, rule })),
      );
      await tryEach(tried, async ({ state, rule }) => {
        const { property: name, steps, error } = rule;
        const now = state.values[name] ?? null;
        const next = steps.find(({ from }) => from === now)?.to ?? [];
        const values = declared.properties.find((one) => one.name === name)?.schema.enum ?? [];
        const wrong = values.filter((value) => value !== null && !next.includes(value as Json));
        const others = typeof now === 'string' ? wrong.filter((value) => value !== now) : [];
        if (others.length === 0) return false;
        const id = await makeInState(subject, state);
        for (const value of others) {
          const { refused } = await subject.update(id, { [name]: value as Json });
          const wanted = matchRefusal(subject, error, name);
          expect({ now, value, refused }).toEqual({ now, value, refused: wanted });
          expect((await subject.read(id))[name]).toBe(now);
        }
        await subject.set({ destroy: [id] });
        return true;
      });
    },
  },
  {
    id: 'described-transitions-begun',
    level: 'must',
    rule: 'A create with a value that no new object has is refused.',
    restsOn: 'the values of new objects',
    applies: needRules('transitions'),
    async run(subject) {
      const { declared } = subject;
      await tryEach(declared.rules?.transitions ?? [], async ({ property, initial, error }) => {
        const values = declared.properties.find((one) => one.name === property)?.schema.enum ?? [];
        if (initial === undefined) return false;
        const wrong = values.filter((value) => value !== null && !initial.includes(value as Json));
        for (const value of wrong) {
          const object = { ...fillRequired(subject), [property]: value as Json };
          const { refused } = await subject.put(object);
          const wanted = matchRefusal(subject, error, property);
          expect({ value, refused }).toEqual({ value, refused: wanted });
        }
        return wrong.length > 0;
      });
    },
  },
  {
    id: 'described-immutable-when',
    level: 'must',
    rule: 'While an object has the values of a rule, an update of what the rule locks is refused.',
    restsOn: 'when properties can’t change',
    applies: needRules('immutable'),
    async run(subject) {
      await tryEach(subject.declared.rules?.immutable ?? [], async (rule) => {
        const [state] = listStatesOf(subject, rule.when);
        const locked = listLocked(subject, rule);
        if (state === undefined || locked.length === 0) return false;
        const id = await makeInState(subject, state);
        for (const property of locked) {
          const { name } = property;
          const value = (await subject.read(id))[name] ?? null;
          const other = isUnique(subject.described, property)
            ? subject.drawDiffering(name)
            : listValues(property).good.find((one) => !same(one, value) && !isEmpty(one));
          if (other === undefined) continue;
          const { refused } = await subject.update(id, { [name]: other });
          const wanted = matchRefusal(subject, rule.error, name);
          expect({ name, other, refused }).toEqual({ name, other, refused: wanted });
          expect((await subject.read(id))[name] ?? null).toEqual(value);
        }
        await subject.set({ destroy: [id] });
        return true;
      });
    },
  },
  {
    id: 'described-immutable-kept',
    level: 'must',
    rule:
      'While an object has the values of a rule that keeps it, a destroy is refused. When it has ' +
      'others, a destroy is done.',
    restsOn: 'when objects can’t be destroyed',
    applies: ({ declared }) =>
      declared.rules?.immutable?.some(({ keepsObject }) => keepsObject === true) === true
        ? null
        : 'The type has no such rule.',
    async run(subject) {
      const { client, type, A1: accountId } = subject;
      await tryEach(listKept(subject), async ({ state, rule, out }) => {
        const { values } = state;
        const id = await makeInState(subject, state);
        const { notDestroyed } = await subject.set({ destroy: [id] });
        const { list } = await client.get(type, { accountId, ids: [id], properties: ['id'] });
        // The object leaves the state whatever the answer was: it must not stay.
        if (list.length > 0) for (const step of out) await subject.update(id, step);
        const told = { values, refused: notDestroyed?.[id] ?? null, list };
        const refused = subject.matchSetError(rule.error ?? 'forbidden');
        const last = await subject.set({ destroy: [id] });
        expect(told).toEqual({ values, refused, list: [{ id }] });
        expect(last).toMatchObject({ destroyed: [id] });
        return true;
      });
    },
  },
  {
    id: 'described-required-when',
    level: 'must',
    rule: 'An update to the values of a rule is refused while what the rule requires is empty.',
    restsOn: 'when properties must be given',
    applies: needRules('required'),
    async run(subject) {
      await tryEach(subject.declared.rules?.required ?? [], async (rule) => {
        const state = listStatesOf(subject, rule.when)[0];
        const last = state?.steps.at(-1);
        if (state === undefined || last === undefined) return false;
        const before = { steps: state.steps.slice(0, -1) };
        const free = subject.described.properties.filter(
          ({ name, required, nullable, optional }) =>
            rule.properties.includes(name) && !required && (nullable || optional === true),
        );
        for (const property of free) {
          const { name } = property;
          const id = await makeInState(subject, before);
          // An object that has none yet takes null, too, if a patch of it removes the property.
          await subject.update(id, { [name]: null });
          const { refused } = await subject.update(id, last);
          const wanted = matchRefusal(subject, rule.error, name);
          expect({ name, refused }).toEqual({ name, refused: wanted });
          await subject.set({ destroy: [id] });
        }
        return free.length > 0;
      });
    },
  },
]);
