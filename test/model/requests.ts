import type { ModelType } from '../../src/descriptor/model.js';
import type { Json, JsonMap } from '../support/json.js';
import { named, type Stored, shown, type Types, typeOf } from './account.js';
import type { Dice } from './dice.js';
import { COLLATIONS } from './text.js';
import { badValue, conditionValue, goodValue, type Known, pointerInto } from './values.js';

/** The client's knowledge of an account. */
export interface Seen {
  readonly types: Types;
  ids(accountId: string, type: string): readonly string[];
  object(accountId: string, type: string, id: string): Stored;
  /** States that it was told, the newest last. */
  states(accountId: string, type: string): readonly string[];
}

/** Keys of sets that objects have, and one that none has. */
const TAGS = ['a', 'b', 'é', 'nope'];

const KEYS = ['k0', 'k1', 'k2', 'k3', 'toString'];

/** More objects than this are destroyed rather than joined. */
const ENOUGH = 24;

export class Requests {
  readonly #seen: Seen;
  readonly #dice: Dice;
  readonly #accountId: string;
  readonly #otherId: string;
  /** Creation ids that this request has made so far. */
  readonly #made = new Set<string>();

  constructor(seen: Seen, dice: Dice, accountId: string, otherId: string) {
    this.#seen = seen;
    this.#dice = dice;
    this.#accountId = accountId;
    this.#otherId = otherId;
  }

  #known(own: readonly string[]): Known {
    const ids = (account: string) => (type: string) => this.#seen.ids(account, type);
    const creations = [...new Set([...own, ...this.#made])].map((key) => `#${key}`);
    return {
      ids: ids(this.#accountId),
      strangers: (type) => [
        ...creations,
        ...creations,
        '#nobody',
        'r1',
        ...ids(this.#otherId)(type).slice(0, 1),
      ],
    };
  }

  set(typeName: string): JsonMap {
    const dice = this.#dice;
    const type = typeOf(this.#seen.types, typeName);
    const ids = this.#seen.ids(this.#accountId, typeName);
    const isFull = ids.length > ENOUGH;
    const args: JsonMap = { accountId: this.#accountId };
    const keys = KEYS.slice(0, dice.below(isFull ? 2 : KEYS.length + 1));
    const known = this.#known(keys);
    const creates = keys.map((key) => [key, this.#create(type, known)] as const);
    // Not always in order: one may refer to a later one.
    if (dice.chance(40)) creates.reverse();
    if (creates.length > 0) args['create'] = Object.fromEntries(creates);
    const own = [...keys, ...this.#made].map((key) => `#${key}`);
    const some = (most: number) =>
      dice.some(most, () => {
        if (ids.length > 0 && !dice.chance(12)) return dice.pick(ids);
        return dice.pick([...own, '#nobody', 'r1', 'no id']);
      });
    const updates = [...new Set(some(4))].map((id) => [id, this.#patch(type, id, known)] as const);
    if (updates.length > 0) args['update'] = Object.fromEntries(updates);
    if (dice.chance(isFull ? 90 : 30)) args['destroy'] = isFull ? ids.slice(0, 9) : some(3);
    if (dice.chance(20)) args['ifInState'] = this.#state(typeName, this.#accountId);
    if (dice.chance(5)) args['ifInState'] = null;
    for (const key of keys) this.#made.add(key);
    return args;
  }

  /** Mostly the newest one. */
  #state(type: string, accountId: string): string {
    const states = this.#seen.states(accountId, type);
    if (this.#dice.chance(30)) return this.#dice.pick(['', 'no', '99999999999', ...states]);
    return states.at(-1) ?? '0';
  }

  #create(type: ModelType, known: Known): Json {
    const dice = this.#dice;
    if (dice.chance(2)) return dice.pick<Json>(['text', null, [], 5]);
    const object: JsonMap = {};
    for (const one of shown(type)) {
      const isServers = one.access === 'serverSet';
      if (isServers ? dice.chance(1) : one.required ? !dice.chance(3) : dice.chance(45))
        object[one.name] = dice.chance(3) ? badValue(dice, one) : goodValue(dice, type, one, known);
    }
    if (dice.chance(3)) object[dice.pick(['nope', 'constructor', 'cost'])] = null;
    return object;
  }

  #patch(type: ModelType, id: string, known: Known): Json {
    const dice = this.#dice;
    const before = this.#seen.object(this.#accountId, type.name, id);
    if (dice.chance(2)) return dice.pick<Json>(['text', null, []]);
    if (dice.chance(8)) return { ...before };
    const patch: JsonMap = {};
    const properties = shown(type);
    for (let n = dice.below(3); n >= 0; n -= 1) {
      const one = dice.pick(properties);
      const { name, references, schema, blobs } = one;
      const [reference] = references;
      const isDeep = schema.type === 'object' ? dice.chance(60) : dice.chance(3);
      if (isDeep) {
        const ids = reference === undefined ? [] : known.ids(reference.type);
        const strangers =
          reference !== undefined || blobs.length > 0
            ? known.strangers(reference?.type ?? type.name)
            : [];
        const tokens = [...ids, ...strangers];
        const [pointer, value] = pointerInto(dice, name, before[name] ?? null, tokens);
        patch[pointer] = value;
      } else if (one.access === 'serverSet') patch[name] = before[name] ?? dice.below(3);
      else if (dice.chance(12)) patch[name] = null;
      else if (dice.chance(8)) patch[name] = before[name] ?? null;
      else patch[name] = dice.chance(4) ? badValue(dice, one) : goodValue(dice, type, one, known);
    }
    if (dice.chance(3)) patch[dice.pick(['nope', '/a', 'nope/x', '~', 'tags/~2', ''])] = true;
    return patch;
  }

  copy(typeName: string): JsonMap {
    const dice = this.#dice;
    const type = typeOf(this.#seen.types, typeName);
    const ids = this.#seen.ids(this.#otherId, typeName);
    const keys = KEYS.slice(0, dice.below(3) + 1);
    const known = this.#known(keys);
    const near: Known = { ids: () => keys.map((key) => `#${key}`), strangers: () => [] };
    let last: string | null = null;
    const create = keys.map((key) => {
      const isNew = last === null || dice.chance(70);
      // Copies of one original may collide, and then it matters which of them refers to the other.
      const id = ids.length === 0 || dice.chance(8) ? 'r1' : isNew ? dice.pick(ids) : String(last);
      if (id !== 'r1') last = id;
      const overrides: JsonMap = { [named(type, 'id')]: id };
      if (id === 'r1') return [key, overrides] as const;
      for (const one of shown(type)) {
        if (one.access === 'serverSet') continue;
        // References into the other account are refused: most copies have their own.
        const chance = one.references.length === 0 ? 12 : 75;
        if (!dice.chance(chance)) continue;
        const isNone = one.references.length > 0 && dice.chance(70);
        const none: Json = one.nullable ? null : {};
        const within = one.references.length > 0 && dice.chance(40) ? near : known;
        overrides[one.name] = isNone ? none : goodValue(dice, type, one, within);
        if (dice.chance(3)) overrides[one.name] = badValue(dice, one);
      }
      if (dice.chance(2)) overrides['nope'] = 1;
      return [key, overrides] as const;
    });
    const args: JsonMap = {
      fromAccountId: this.#otherId,
      accountId: this.#accountId,
      create: Object.fromEntries(create),
    };
    if (dice.chance(35)) args['onSuccessDestroyOriginal'] = true;
    const states = [
      ['ifInState', this.#accountId],
      ['ifFromInState', this.#otherId],
      ['destroyFromIfInState', this.#otherId],
    ] as const;
    for (const [name, account] of states)
      if (dice.chance(12)) args[name] = this.#state(typeName, account);
    for (const key of keys) this.#made.add(key);
    return args;
  }

  get(typeName: string): JsonMap {
    const dice = this.#dice;
    const type = typeOf(this.#seen.types, typeName);
    const ids = this.#seen.ids(this.#accountId, typeName);
    const args: JsonMap = { accountId: this.#accountId };
    const others = ['r1', 'no id', '#nobody', ...[...this.#made].map((key) => `#${key}`)];
    const id = () => (ids.length === 0 || dice.chance(20) ? dice.pick(others) : dice.pick(ids));
    if (dice.chance(70)) args['ids'] = dice.some(6, id);
    else if (dice.chance(50)) args['ids'] = null;
    const names = [...shown(type).map(({ name }) => name), ...(dice.chance(4) ? ['nope'] : [])];
    if (dice.chance(50)) args['properties'] = dice.some(4, () => dice.pick(names));
    return args;
  }

  changes(typeName: string): JsonMap {
    const dice = this.#dice;
    const states = this.#seen.states(this.#accountId, typeName);
    const wrong = ['', '-1', '01', 'no', '99999999999'];
    const since = dice.chance(5)
      ? dice.pick(wrong)
      : dice.pick(states.length === 0 ? ['0'] : states);
    const args: JsonMap = { accountId: this.#accountId, sinceState: since };
    if (dice.chance(60)) args['maxChanges'] = dice.chance(3) ? 0 : dice.below(8) + 1;
    return args;
  }

  filter(type: ModelType, depth = 3): Json {
    const dice = this.#dice;
    if (depth > 0 && dice.chance(45))
      return {
        operator: dice.pick(['AND', 'OR', 'NOT']),
        conditions: dice.some(3, () => this.filter(type, depth - 1)),
      };
    const filter: JsonMap = {};
    for (let n = dice.below(3); n > 0; n -= 1) {
      const condition = dice.pick(type.filters);
      filter[condition.name] = conditionValue(dice, condition, this.#known([]));
    }
    return filter;
  }

  sort(type: ModelType): Json {
    const dice = this.#dice;
    return dice.some(3, () => {
      const { name, property, by } = dice.pick(type.sorts);
      const comparator: JsonMap = { property: name };
      if (by !== undefined) comparator[by.argument] = dice.pick(TAGS);
      if (dice.chance(60)) comparator['isAscending'] = dice.chance(40);
      if (property.kind === 'string' ? dice.chance(60) : dice.chance(5))
        comparator['collation'] = dice.pick([...COLLATIONS.keys()]);
      return comparator;
    });
  }

  /** `filter` and `sort`, now and then one that the type doesn't take. */
  question(typeName: string): JsonMap {
    const dice = this.#dice;
    const type = typeOf(this.#seen.types, typeName);
    const question: JsonMap = {};
    if (type.filters.length > 0 && dice.chance(75)) question['filter'] = this.filter(type);
    if (type.sorts.length > 0 && dice.chance(75)) question['sort'] = this.sort(type);
    if (dice.chance(2)) question['filter'] = { nope: 1 };
    if (dice.chance(2)) question['sort'] = [{ property: 'nope' }];
    return question;
  }

  query(typeName: string): JsonMap {
    const dice = this.#dice;
    const ids = this.#seen.ids(this.#accountId, typeName);
    const args: JsonMap = { accountId: this.#accountId, ...this.question(typeName) };
    if (dice.chance(30)) args['position'] = dice.below(40) - 15;
    if (dice.chance(30)) args['limit'] = dice.pick([0, 1, 2, 5, 5000, 6000]);
    if (dice.chance(40)) args['calculateTotal'] = dice.chance(80);
    if (dice.chance(25)) {
      args['anchor'] =
        dice.chance(15) || ids.length === 0 ? dice.pick(['r1', '#k0']) : dice.pick(ids);
      if (dice.chance(60)) args['anchorOffset'] = dice.below(13) - 6;
    }
    return args;
  }
}
