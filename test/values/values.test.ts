import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { createProject } from '../scripts/generator/project.js';
import { type Answer, type Served, serve } from '../scripts/generator/random/serve.js';
import { usePostgresql } from '../support/postgresql.js';

/** Formats, normalised texts, the present time as default, and null among what is unique. */

const DESCRIPTOR = readFileSync(new URL('./party.yaml', import.meta.url), 'utf8');

/** Calls of one type, with what the tests say again and again. */
class Parties {
  readonly #served: Served;
  #logins = 0;

  constructor(served: Served) {
    this.#served = served;
  }

  set(changes: object): Promise<Answer> {
    return this.#served.call('Party/set', changes);
  }

  /** Creates an object, each with a login, a slot and a seat of its own; returns what is told. */
  async create(values: object): Promise<Answer> {
    this.#logins += 1;
    const own = { login: `l${this.#logins}`, slot: `s${this.#logins}`, row: this.#logins };
    const { created, notCreated } = await this.set({ create: { k: { ...own, ...values } } });
    return created?.k ?? notCreated.k;
  }

  async update(id: string, patch: object): Promise<Answer> {
    const { updated, notUpdated } = await this.set({ update: { [id]: patch } });
    return updated === null ? notUpdated[id] : updated[id];
  }

  async read(id: string): Promise<Answer> {
    const { list } = await this.#served.call('Party/get', { ids: [id] });
    return list[0];
  }

  async find(filter: object | null, property?: string): Promise<readonly string[]> {
    const sort = property === undefined ? {} : { sort: [{ property }] };
    const { ids, error } = await this.#served.call('Party/query', { filter, ...sort });
    return ids ?? error;
  }

  async clear(): Promise<void> {
    await this.set({ destroy: await this.find(null) });
  }
}

async function judgeForms(parties: Parties): Promise<void> {
  const told = await parties.create({
    name: '  cafe\u0301 ',
    login: ' ÀNN ',
    email: ' Ann@Example.COM ',
    price: '007.50',
    key: 'F81D4FAE-7DEC-11D0-A765-00A0C91E6BF6',
    language: 'EN-gb',
    tags: { ' Red ': true, RED: true, blue: true },
    words: ['One', 'two'],
    emails: { a: { address: 'b@X.Example', label: ' home ', since: '2026-01-01T00:00:00.500Z' } },
    site: 'https://example.com/A',
    titles: { 'EN-gb': 'Dame', de: 'Frau' },
  });
  const stored = {
    name: 'café',
    login: 'ànn',
    email: 'Ann@example.com',
    price: '7.5',
    key: 'f81d4fae-7dec-11d0-a765-00a0c91e6bf6',
    language: 'en-GB',
    tags: { red: true, blue: true },
    words: ['one', 'two'],
    emails: { a: { address: 'b@x.example', label: 'home', since: '2026-01-01T00:00:00.5Z' } },
    titles: { 'en-GB': 'Dame', de: 'Frau' },
  };
  expect(told).toMatchObject(stored);
  expect(told).not.toHaveProperty('site');
  expect(await parties.read(told.id)).toMatchObject(stored);
  const ids = [told.id];
  expect(await parties.find({ login: ' Ànn' })).toEqual(ids);
  expect(await parties.find({ loginIn: ['nobody', 'A\u0300NN'] })).toEqual(ids);
  expect(await parties.find({ email: 'Ann@EXAMPLE.com' })).toEqual(ids);
  expect(await parties.find({ email: 'ann@example.com' })).toEqual([]);
  expect(await parties.find({ emailPart: 'ANN@ex' })).toEqual(ids);
  expect(await parties.find({ words: 'CAFÉ b@X ://example.com/a' })).toEqual(ids);
  expect(await parties.find({ words: 'b@y' })).toEqual([]);
  expect(await parties.find({ key: stored.key.toUpperCase() })).toEqual(ids);
  expect(await parties.find({ language: ['de', 'en-gb'] })).toEqual(ids);
  expect(await parties.find({ price: '7.500' })).toEqual(ids);
  expect(await parties.find({ tag: 'RED ' })).toEqual(ids);
  expect(await parties.find({ word: 'ONE' })).toEqual(ids);
  const again = { 'tags/BLUE': null, 'tags/ Green': true, 'emails/a/label': 'Work ' };
  const updated = await parties.update(told.id, { ...again, 'titles/EN-GB': 'Lady' });
  expect(updated).toMatchObject({
    tags: { red: true, green: true },
    titles: { 'en-GB': 'Lady', de: 'Frau' },
    emails: { a: { ...stored.emails.a, label: 'Work' } },
  });
  expect(await parties.update(told.id, { login: 'ÀNN', words: ['ONE', 'TWO'] })).toEqual({
    login: 'ànn',
    words: ['one', 'two'],
  });
  const twice = await parties.update(told.id, { 'tags/A': true, 'tags/a': true });
  expect(twice.type).toBe('invalidPatch');
  expect(await parties.create({ login: 'Ànn' })).toMatchObject({
    type: 'alreadyExists',
    existingId: told.id,
  });
}

/** Values that a format refuses, also where it stands within a value. */
async function judgeRefusals(parties: Parties): Promise<void> {
  const wrong: Readonly<Record<string, unknown>> = {
    email: 'ann',
    length: 'P1Y',
    price: '1e3',
    day: '2026-02-30',
    zone: 'europe/berlin',
    site: '/relative',
    language: 'en_GB',
    key: 'none',
    emails: { a: { address: 'none' } },
    titles: { '?': 'none' },
    words: [5],
    name: 'x'.repeat(51),
  };
  for (const [property, value] of Object.entries(wrong)) {
    const refused = await parties.create({ [property]: value });
    expect(refused).toMatchObject({ type: 'invalidProperties', properties: [property] });
  }
  expect(await parties.create({ name: ` ${'x'.repeat(50)} ` })).toMatchObject({
    name: 'x'.repeat(50),
  });
}

async function judgeOrders(parties: Parties): Promise<void> {
  const lengths = ['-P1D', 'PT0S', 'PT59M', 'PT60M', 'PT1H', 'P1D', 'P1W', 'P8D'];
  const prices = ['-10', '-9.5', '0', '0.05', '0.5', '9', '10', '100.01'];
  const byLength = new Map<string, string>();
  for (const at of [3, 0, 7, 5, 1, 6, 2, 4]) {
    const { id } = await parties.create({ length: lengths[at], price: prices[at] });
    byLength.set(lengths[at] ?? '', id);
  }
  const idOf = (length: string): string => byLength.get(length) ?? '';
  const ids = lengths.map(idOf);
  const sorted = await parties.find(null, 'length');
  // Two of one length are in order of their ids.
  expect(sorted.filter((id) => id !== idOf('PT1H'))).toEqual(
    ids.filter((id) => id !== idOf('PT1H')),
  );
  expect(await parties.find(null, 'price')).toEqual(ids);
  expect(await parties.find({ length: 'PT1H' })).toEqual([idOf('PT1H')]);
  const found = async (filter: object) => [...(await parties.find(filter, 'price'))];
  expect(await found({ shorter: 'PT60M' })).toEqual(['-P1D', 'PT0S', 'PT59M'].map(idOf));
  expect(await found({ longer: 'PT24H' })).toEqual(['P1D', 'P1W', 'P8D'].map(idOf));
  expect(await found({ atMost: 'PT0S' })).toEqual(['-P1D', 'PT0S'].map(idOf));
  expect(await found({ dearer: '9.00' })).toEqual(ids.slice(5));
  expect(await found({ cheaper: '-9.5' })).toEqual(ids.slice(0, 1));
  expect(await parties.find({ dearer: 'many' })).toBe('invalidArguments');
  await parties.update(idOf('P8D'), { price: '-11' });
  expect((await parties.find(null, 'price'))[0]).toBe(idOf('P8D'));
}

async function judgeNow(parties: Parties): Promise<void> {
  const before = new Date(Date.now() - 2000).toISOString();
  const told = await parties.create({});
  const after = new Date(Date.now() + 2000).toISOString();
  const { made, seen, local, today, created } = await parties.read(told.id);
  expect(told).toMatchObject({ made, seen, local, today });
  expect([before < made, made < after]).toEqual([true, true]);
  expect([made, seen, `${local}Z`]).toEqual([created, created, created]);
  expect(today).toBe(created.slice(0, 10));
  const own = await parties.create({ made: '2000-01-01T00:00:00Z' });
  expect(own).not.toHaveProperty('made');
  expect((await parties.read(own.id)).made).toBe('2000-01-01T00:00:00Z');
  const restored = await parties.update(own.id, { made: null });
  expect(restored.made > before).toBe(true);
  expect(await parties.find({ seenFrom: before }, 'seen')).toEqual([told.id, own.id]);
}

async function judgeNulls(parties: Parties): Promise<void> {
  const none = await parties.create({ slot: null });
  expect(await parties.create({ slot: null })).toMatchObject({
    type: 'alreadyExists',
    existingId: none.id,
  });
  const other = await parties.create({ slot: 'a' });
  // They may swap in one call.
  const swapped = await parties.set({
    update: { [none.id]: { slot: 'a' }, [other.id]: { slot: null } },
  });
  expect(Object.keys(swapped.updated)).toHaveLength(2);
  const taken = await parties.update(none.id, { slot: null });
  expect(taken).toMatchObject({ type: 'alreadyExists', existingId: other.id });
  const both = await parties.create({ row: null, seat: null });
  expect(await parties.create({ row: null, seat: null })).toMatchObject({
    existingId: both.id,
  });
  const seated = await parties.create({ row: null, seat: 1 });
  expect(await parties.create({ row: null, seat: 1 })).toMatchObject({ existingId: seated.id });
  expect(await parties.create({ row: null, seat: 2 })).toHaveProperty('created');
  const two = await parties.set({
    create: { a: { login: 'x1', seat: 9 }, b: { login: 'x2', slot: 'x', seat: 9, row: 9 } },
    destroy: [other.id],
  });
  expect(Object.keys(two.created)).toEqual(['a', 'b']);
}

describe('values', { timeout: 240_000 }, () => {
  const postgresql = usePostgresql();

  it('have one form, an order and a default on both databases', async () => {
    const project = await createProject({ 'parties.yaml': DESCRIPTOR });
    const { code, stderr } = await project.generate();
    expect([code, stderr]).toEqual([0, '']);
    const url = await postgresql().createDatabase('values');
    for (const at of [undefined, url]) {
      const served = await serve(project.root, at);
      try {
        const parties = new Parties(served);
        for (const judge of [judgeForms, judgeRefusals, judgeOrders, judgeNow, judgeNulls]) {
          await judge(parties);
          await parties.clear();
        }
      } finally {
        await served.close();
      }
    }
  });
});
