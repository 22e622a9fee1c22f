import { AsyncLocalStorage } from 'node:async_hooks';
import { expect } from 'vitest';
import type { StoredObject, Transaction } from '../../src/store/port.js';
import { Random } from '../support/random.js';
import { type Json, Rig } from './rig.js';
import { Book, Shelf, shelves } from './shelf.js';

/**
 * The same calls in shared commits and one at a time, in the order in which the first ones were
 * run.
 */

const URN = shelves.capability.urn;
const USING = ['urn:ietf:params:jmap:core', URN];
const TEXTS = ['', 'x', '\u0000a\u0000', '😀', '007', '1e3', '"\\\u2028', 'null', 'ö'.repeat(4100)];
const NUMBERS = [0, 1, -1, 2 ** 53 - 1, 1 - 2 ** 53, 2 ** 31, 1e15];
const DATES = [null, '2026-01-31T09:30:00Z', '0001-01-01T00:00:00Z', '2026-02-28T23:59:59.12Z'];
/** Ids of what goes and comes again. */
const FIXED = ['f1', 'f2', 'f3'];
/** Octets of an answer: one that is longer is refused when all has been written. */
const MAX_ANSWER = 12_000;
const MANY = [2, 10, 11, 100];
const ID = /r[0-7][0-9a-z]{25}/g;

/** A call names objects, and the names stand for other ids in each rig. */
type Work =
  | { readonly kind: 'set'; readonly type: 'Book' | 'Shelf'; readonly args: Json }
  | {
      readonly kind: 'own';
      readonly exclusive: boolean;
      readonly fails: boolean;
      readonly id: string;
      readonly change: 'step' | 'make' | 'remove';
    }
  | { readonly kind: 'upkeep' };

class Side {
  readonly rig = new Rig({ maxSizeResponse: MAX_ANSWER }, { more: shelves });
  readonly #ids = new Map(FIXED.map((id) => [id, id]));
  readonly #names = new Map(FIXED.map((id) => [id, id]));
  readonly #running = new AsyncLocalStorage<number>();
  /** Numbers of the works that have written, in the order in which they were run. */
  readonly order: number[] = [];

  constructor() {
    this.rig.time = Date.parse('2026-03-01T00:00:00Z');
    const { store } = this.rig.services;
    const write = store.write.bind(store);
    store.write = (accountId, options, work) => {
      const number = this.#running.getStore();
      return write(accountId, options, (transaction) => {
        if (number !== undefined) this.order.push(number);
        return work(transaction);
      });
    };
  }

  run(number: number, work: Work): Promise<Json> {
    return this.#running.run(number, () => this.#run(work));
  }

  async #run(work: Work): Promise<Json> {
    if (work.kind === 'upkeep') return this.rig.services.store.pruneChanges(1, 1);
    if (work.kind === 'own') {
      const deadline = performance.now() + 20_000;
      const { exclusive } = work;
      const write = (transaction: Transaction) => change(transaction, work);
      return this.rig.services.store
        .write('a1', { deadline, exclusive }, write)
        .catch(() => 'refused');
    }
    const args = walked(work.args, this.#ids);
    const answer = await this.rig.call(`${work.type}/set`, args, { using: USING });
    for (const [name, { id }] of Object.entries<Json>(answer.created ?? {})) {
      this.#ids.set(name, id);
      this.#names.set(id, name);
    }
    return walked(answer, this.#names);
  }

  /** All that there is of a type, by name. */
  async all(type: 'Book' | 'Shelf'): Promise<ReadonlyMap<string, Json>> {
    const { store, registry } = this.rig.services;
    const definition = registry.dataTypes.get(type) ?? Book;
    const deadline = performance.now() + 20_000;
    const list = await store.read('a1', { deadline }, (snapshot) =>
      snapshot.get(definition, { first: 10_000 }, definition.properties, 1e9),
    );
    return new Map(list.map((object) => [this.#names.get(object.id) ?? object.id, object]));
  }

  async state(type: 'Book' | 'Shelf'): Promise<Json> {
    const all = await this.all(type);
    const definition = type === 'Book' ? Book : Shelf;
    const deadline = performance.now() + 20_000;
    const said = await this.rig.services.store.read('a1', { deadline }, (snapshot) =>
      Promise.all([
        snapshot.stateNumber(definition),
        snapshot.objectCount(definition),
        snapshot.changes(definition, 0, 100_000),
      ]),
    );
    const objects = Object.fromEntries([...all].sort(([a], [b]) => (a < b ? -1 : 1)));
    return walked({ said, objects }, this.#names);
  }
}

/** Does what a method of a capability's own may do. */
async function change(transaction: Transaction, work: Work & { kind: 'own' }): Promise<Json> {
  const { id } = work;
  await transaction.stateNumber(Book);
  const [found] = await transaction.get(Book, [id], Book.properties, 1e9);
  if (work.change === 'make') await transaction.writeRows('insert', Book, [fixed(id)]);
  else if (found === undefined) return null;
  else if (work.change === 'remove') await transaction.destroy(Book, [id]);
  else {
    const pages = (Number(found['pages']) % 1000) + 1;
    await transaction.writeRows('update', Book, [{ ...found, pages, label: 'own' }]);
  }
  const kind = ({ make: 'created', remove: 'destroyed', step: 'updated' } as const)[work.change];
  const state = await transaction.record(Book, [{ objectId: id, kind }]);
  if (work.fails) throw new Error('undone');
  return [state, found?.['pages'] ?? null];
}

function fixed(id: string): StoredObject {
  const time = '2026-03-01T00:00:00Z';
  const rest = { isRead: false, due: null, code: null, label: null, shelfId: null };
  return { id, created: time, updated: time, title: 'fixed', pages: 0, ...rest };
}

function walked(value: Json, names: ReadonlyMap<string, string>): Json {
  if (typeof value === 'string') {
    const named = names.get(value) ?? value.replace(ID, (id) => names.get(id) ?? id);
    return named.replace(/log has it as \w+/, 'log has it');
  }
  if (Array.isArray(value)) return value.map((one) => walked(one, names));
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value);
  return Object.fromEntries(
    entries.map(([name, one]) => [names.get(name) ?? name, walked(one, names)]),
  );
}

export class OneByOne {
  readonly #random: Random;
  readonly #shared = new Side();
  readonly #single = new Side();
  readonly counts = { works: 0, refused: 0, undone: 0, statements: 0, singleStatements: 0 };
  #books: readonly string[] = FIXED;
  #shelves: readonly string[] = [];
  #made = 0;

  constructor(seed: number) {
    this.#random = new Random(seed);
  }

  async run(rounds: number): Promise<void> {
    try {
      for (let round = 0; round < rounds; round += 1) await this.#round();
    } finally {
      await this.#shared.rig.close();
      await this.#single.rig.close();
      this.counts.statements = this.#shared.rig.statements.length;
      this.counts.singleStatements = this.#single.rig.statements.length;
    }
  }

  async #round(): Promise<void> {
    const [shared, single] = [this.#shared, this.#single];
    for (const { rig } of [shared, single]) rig.time = (rig.time ?? 0) + 1000;
    const works = Array.from({ length: this.#random.integer(4, 14) }, () => this.#work());
    shared.order.length = 0;
    const answers = await Promise.all(works.map((work, number) => shared.run(number, work)));
    const order = [...new Set([...shared.order, ...works.keys()])];
    for (const number of order) {
      const work = works[number];
      if (work === undefined) continue;
      const expected = await single.run(number, work);
      expect(answers[number], JSON.stringify(work).slice(0, 2000)).toEqual(expected);
      this.counts.works += 1;
      if (expected?.notUpdated || expected === 'refused') this.counts.refused += 1;
      if (expected?.error === 'requestTooLarge' || expected === 'refused') this.counts.undone += 1;
    }
    for (const type of ['Book', 'Shelf'] as const) {
      expect(await shared.state(type), type).toEqual(await single.state(type));
    }
    this.#books = [...FIXED, ...(await single.all('Book')).keys()].slice(0, 9);
    this.#shelves = [...(await single.all('Shelf')).keys()].slice(0, 3);
  }

  #work(): Work {
    const random = this.#random;
    if (random.chance(0.03)) return { kind: 'upkeep' };
    if (random.chance(0.25)) {
      const exclusive = random.chance(0.1);
      const [fails, id] = [random.chance(0.3), random.pick(FIXED)];
      return {
        kind: 'own',
        ...{ exclusive, fails, id, change: random.pick(['step', 'step', 'make', 'remove']) },
      };
    }
    const type = random.chance(0.75) ? 'Book' : 'Shelf';
    const args: Json = {};
    const ids = type === 'Book' ? this.#books : this.#shelves;
    const few = (most: number): readonly string[] =>
      ids.length === 0
        ? []
        : Array.from({ length: random.integer(1, most) }, () => random.pick(ids));
    const isLong = type === 'Book' && random.chance(0.04);
    if (isLong || ids.length < 3 || random.chance(0.15)) {
      const count = isLong ? 130 : random.chance(0.05) ? random.pick(MANY) : 1;
      args.create = Object.fromEntries(
        Array.from({ length: count }, () => {
          this.#made += 1;
          const required = type === 'Book' ? { title: 't' } : { name: 'n' };
          return [`k${this.#made}`, { ...required, ...this.#values(type) }];
        }),
      );
    }
    if (random.chance(0.85))
      args.update = Object.fromEntries(few(3).map((id) => [id, this.#values(type)]));
    if (random.chance(type === 'Book' ? 0.25 : 0.08)) args.destroy = [...new Set(few(2))];
    return { kind: 'set', type, args };
  }

  #values(type: 'Book' | 'Shelf'): Json {
    const random = this.#random;
    const text = (): string =>
      random.chance(0.9) ? `t${random.integer(0, 3)}` : random.pick(TEXTS);
    const orNull = (ids: readonly string[]): string | null =>
      ids.length === 0 || random.chance(0.3) ? null : random.pick(ids);
    const all: readonly (readonly [string, () => Json])[] =
      type === 'Shelf'
        ? [
            ['name', text],
            ['bestId', () => orNull(this.#books)],
          ]
        : [
            ['title', text],
            ['pages', () => random.pick(NUMBERS)],
            ['isRead', () => random.chance(0.5)],
            ['due', () => random.pick(DATES)],
            ['code', () => (random.chance(0.5) ? null : `c${random.integer(0, 9)}`)],
            ['shelfId', () => orNull(this.#shelves)],
          ];
    return Object.fromEntries(
      Array.from({ length: random.integer(1, 2) }, () => {
        const [name, value] = random.pick(all);
        return [name, value()];
      }),
    );
  }
}
