import { expect } from 'vitest';
import { Random } from '../support/random.js';
import { type Json, type Logic, Rig } from './rig.js';
import { type Outcome, WidgetModel } from './widget-model.js';

/** Calls of /set that share commits, each compared with what a naive model says of it. */

const ODD = ['__proto__', 'constructor', 'toString', 'hasOwnProperty', 'toJSON', '0'];
const TEXTS = ['', 'x', 'Ä', 'A\u0308', '😀', '\u2028', '__proto__', 'null', 'long'.repeat(6), '1'];
const NUMBERS = [0, 1, -10, 10, 11, 1.5, 0.1, 1e21, 5e-324, 2 ** 53, 1.7976931348623157, -3];
const DATES = [
  '2026-01-31T09:30:00Z',
  '2026-01-31T09:30:00.000Z',
  '2026-01-31T09:30:00.120Z',
  '2026-01-31T09:30:00.1239Z',
  '2026-1-31',
];
const PATHS = [
  'tags/x',
  'tags/__proto__',
  'meta/a/b',
  'meta/a',
  'meta/n',
  'list/0',
  'title/x',
  'nope/x',
  'meta',
];

interface SetCall {
  readonly args: Json;
  /** An answer is refused that would be longer. */
  readonly isLong: boolean;
}

/** Answers may have so many octets: that is found out when all has been written. */
const MAX_ANSWER = 12_000;

export class Comparison {
  readonly #random: Random;
  readonly #model = new WidgetModel();
  readonly #rig: Rig;
  readonly counts = { calls: 0, created: 0, updated: 0, destroyed: 0, refused: 0, undone: 0 };

  constructor(seed: number, logic: Logic = {}) {
    this.#random = new Random(seed);
    this.#rig = new Rig({ maxSizeResponse: MAX_ANSWER }, logic);
    this.#rig.time = Date.parse('2026-03-01T00:00:00Z');
  }

  async run(rounds: number): Promise<void> {
    try {
      for (let round = 0; round < rounds; round += 1) await this.#round();
      await this.#requireEqual();
    } finally {
      await this.#rig.close();
    }
  }

  async #round(): Promise<void> {
    const random = this.#random;
    const step = random.chance(0.2) ? -random.integer(1, 90_000) : random.integer(0, 3000);
    this.#rig.time = (this.#rig.time ?? 0) + step;
    const since = this.#model.state;
    const calls = Array.from({ length: random.integer(1, 6) }, () => this.#call());
    const answers = await Promise.all(calls.map(({ args }) => this.#rig.call('Widget/set', args)));
    for (const [at, call] of calls.entries()) {
      try {
        this.#compare(call, answers[at]);
      } catch (error) {
        const said = JSON.stringify([call.args, answers[at]]);
        throw new Error(`${(error as Error).message}\nof the call and its answer ${said}`);
      }
    }
    const changes = await this.#rig.call('Widget/changes', { sinceState: since });
    if (changes.error !== undefined) return;
    expect(changes.newState).toBe(this.#model.state);
    for (const [name, ids] of Object.entries(this.#model.changesSince(since))) {
      expect([...changes[name]].sort(), name).toEqual([...ids].sort());
    }
    if (random.chance(0.1)) await this.#requireEqual();
  }

  /** A few at a time: an answer has a maximum here. */
  async #requireEqual(): Promise<void> {
    const ids = [...this.#model.objects.keys()];
    for (let at = 0; at < ids.length; at += 10) {
      const some = ids.slice(at, at + 10);
      const { list } = await this.#rig.call('Widget/get', { ids: some });
      const expected = some.map((id) => this.#model.objects.get(id)).map((one) => ({ ...one }));
      expect(list).toEqual(expected);
    }
  }

  #call(): SetCall {
    const random = this.#random;
    const args: Json = {};
    const isLong = random.chance(0.05);
    if (random.chance(0.1)) args.ifInState = String(random.integer(0, 20));
    const few = (maximum: number): number => (random.chance(0.5) ? 1 : random.integer(0, maximum));
    const kind = random.integer(0, 5);
    if (kind === 0 || random.chance(0.3)) {
      const count = isLong ? 80 : few(5);
      args.create = Object.fromEntries(
        Array.from({ length: count }, (_, index) => [`k${index}`, this.#object(!isLong)]),
      );
    }
    if ((kind > 0 && kind < 5) || random.chance(0.3)) {
      args.update = Object.fromEntries(
        Array.from({ length: few(4) }, () => [this.#id(), this.#patch()]),
      );
    }
    if (kind === 5 || random.chance(0.1)) {
      args.destroy = Array.from({ length: few(3) }, () => this.#id());
    }
    return { args, isLong };
  }

  #id(): string {
    const ids = [...this.#model.objects.keys()];
    if (this.#random.chance(0.2)) return this.#random.pick(['#k0', '#k1', 'none', '#none']);
    return ids.length === 0 ? 'none' : this.#random.pick(ids);
  }

  #value(name: string): Json {
    const random = this.#random;
    if (name === 'kind') return random.pick(['small', 'large', 'huge']);
    if (name === 'due' || name === 'created' || name === 'updated') return random.pick(DATES);
    if (name === 'rankNumber' || name === 'rank_number') return random.integer(-11, 11);
    if (name === 'score' || name === 'count') return random.pick(NUMBERS);
    if (name === 'tags') return { [random.pick(ODD)]: true, [random.pick(TEXTS)]: true };
    if (name === 'meta') return { a: { b: random.pick(NUMBERS) }, [random.pick(ODD)]: this.#any() };
    if (name === 'list') return [random.pick(TEXTS), random.pick(TEXTS)];
    return random.pick(TEXTS);
  }

  #any(depth = 0): Json {
    const random = this.#random;
    const kind = random.integer(0, depth > 1 ? 3 : 5);
    if (kind === 0) return null;
    if (kind === 1) return random.chance(0.5);
    if (kind === 2) return random.pick(TEXTS);
    if (kind === 3) return random.pick(NUMBERS);
    if (kind === 4) return [this.#any(depth + 1)];
    return Object.fromEntries([[random.pick([...ODD, 'a']), this.#any(depth + 1)]]);
  }

  /** Names and values, mostly legal ones. */
  #members(count: number): [string, Json][] {
    const random = this.#random;
    const legal = [
      'title',
      'kind',
      'rankNumber',
      'rank_number',
      'score',
      'due',
      'tags',
      'meta',
      'list',
    ];
    const server = ['id', 'created', 'updated', 'count'];
    return Array.from({ length: count }, () => {
      const name = random.chance(0.06) ? random.pick([...ODD, ...server]) : random.pick(legal);
      return [name, random.chance(0.06) ? this.#any() : this.#value(name)];
    });
  }

  #object(mayFail: boolean): Json {
    const random = this.#random;
    if (!mayFail) return { title: 'x', tags: { [`t${random.integer(0, 9)}`]: true } };
    if (random.chance(0.03)) return this.#any();
    const members = this.#members(random.integer(0, 5));
    if (random.chance(0.9)) members.push(['title', random.pick(TEXTS)]);
    return Object.fromEntries(members);
  }

  #patch(): Json {
    const random = this.#random;
    if (random.chance(0.03)) return this.#any();
    const members = this.#members(random.integer(1, 3));
    for (const member of members) if (random.chance(0.1)) member[1] = null;
    if (random.chance(0.25)) {
      const value = random.pick([null, true, this.#any(), 3]);
      members.push([random.pick(PATHS), value]);
    }
    return Object.fromEntries(members);
  }

  #compare({ args, isLong }: SetCall, answer: Json): void {
    const model = this.#model;
    const { counts } = this;
    counts.calls += 1;
    if (args.ifInState !== undefined && args.ifInState !== model.state) {
      expect(answer.error).toBe('stateMismatch');
      return;
    }
    if (isLong && answer.error === 'requestTooLarge') {
      counts.undone += 1;
      return;
    }
    expect(answer.error, JSON.stringify(answer)).toBeUndefined();
    expect(answer.oldState).toBe(model.state);
    const now = new Date(this.#rig.time ?? 0).toISOString().replace('.000Z', 'Z');
    const time = now.replace(/([.]\d*?)0+Z$/, '$1Z');
    const said = new Said(answer);
    const born = new Map<string, string>();
    for (const [key, given] of Object.entries<Json>(args.create ?? {})) {
      const report = answer.created?.[key];
      const outcome = model.create(given, report?.id ?? key, report?.created);
      if (outcome.error === undefined) born.set(key, report?.id ?? key);
      said.expect('created', 'notCreated', key, outcome);
    }
    const meant = (key: string): string =>
      key.startsWith('#') ? (born.get(key.slice(1)) ?? 'none') : key;
    const destroys = [...new Set<string>(args.destroy ?? [])];
    const going = new Set(destroys.map(meant).filter((id) => model.objects.has(id)));
    for (const [key, patch] of Object.entries<Json>(args.update ?? {})) {
      const id = meant(key);
      const outcome: Outcome = going.has(id)
        ? { error: 'willDestroy' }
        : model.update(id, patch, time);
      said.expect('updated', 'notUpdated', outcome.error === undefined ? id : key, outcome);
      if (outcome.error !== undefined || outcome.report === null) continue;
      counts.updated += 1;
      if (![...born.values()].includes(id)) model.records.push({ id, kind: 'updated' });
    }
    for (const [key, id] of born) said.amend(key, args.create[key], model.objects.get(id));
    for (const key of destroys) {
      const id = meant(key);
      if (going.has(id) && !model.objects.has(id)) continue;
      const outcome = model.destroy(id);
      said.expect('destroyed', 'notDestroyed', outcome.error === undefined ? id : key, outcome);
      if (outcome.error === undefined) counts.destroyed += 1;
    }
    counts.created += born.size;
    counts.refused += said.requireEqual();
    expect(answer.newState).toBe(model.state);
  }
}

/** An answer, and what the model says that it should be. */
class Said {
  readonly #answer: Json;
  readonly #expected: Record<string, Map<string, Json>> = {};

  constructor(answer: Json) {
    this.#answer = answer;
  }

  expect(done: string, refused: string, key: string, outcome: Outcome): void {
    const { error, properties, report } = outcome;
    const list = error === undefined ? done : refused;
    this.#expected[list] ??= new Map();
    const value = error === undefined ? report : { type: error, ...(properties && { properties }) };
    this.#expected[list].set(key, value);
  }

  /** An object that was created and then updated is told as it has become. */
  amend(key: string, sent: Json, now: Json | undefined): void {
    const report = this.#expected['created']?.get(key);
    if (now === undefined || report === undefined) return;
    for (const [name, value] of Object.entries(now)) {
      const given = name === 'rankNumber' ? (sent.rank_number ?? sent[name]) : sent[name];
      const isKnown = Object.is(JSON.stringify(given), JSON.stringify(value));
      if (isKnown) delete report[name];
      else report[name] = value;
    }
  }

  /** How many were refused. */
  requireEqual(): number {
    let refused = 0;
    for (const list of ['created', 'updated', 'notCreated', 'notUpdated', 'notDestroyed']) {
      const expected = this.#expected[list] ?? new Map<string, Json>();
      const got = this.#answer[list] ?? {};
      expect(Object.keys(got).sort(), list).toEqual([...expected.keys()].sort());
      for (const [key, value] of expected) {
        const one = got[key];
        if (!list.startsWith('not')) expect(one, `${list} ${key}`).toEqual(value);
        else {
          refused += 1;
          const told = value.properties && { properties: [...(one.properties ?? [])].sort() };
          expect({ type: one.type, ...told }, JSON.stringify(one)).toEqual(value);
        }
      }
    }
    const gone = [...(this.#expected['destroyed']?.keys() ?? [])];
    expect(this.#answer.destroyed ?? []).toEqual(gone);
    return refused;
  }
}
