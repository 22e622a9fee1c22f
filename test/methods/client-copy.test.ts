import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { CapabilityHooks } from '../../src/capability/capability-hooks.js';
import { listTellingTypes } from '../../src/hooks/telling-types.js';
import { Random } from '../support/random.js';
import { described } from './described-type.js';
import { CORE, type Json, Rig } from './rig.js';

// `setTellsAll` says that a client keeps its copy right by the answers to its sets alone. The type
// has every kind of property for which the server says so.

const about = { description: 'One of them.' };
const text = { ...about, type: 'string', maxLength: 40 };
const textOrNull = { ...text, type: ['string', 'null'] };
const link = (references: string, onDestroy: string) => ({
  ...{ ...about, type: ['string', 'null'], references, onDestroy },
});

const page = described({
  List: {
    ...about,
    properties: {
      title: { ...text, normalize: ['nfc', 'trim', 'lowercase'], default: 'none' },
      code: { ...textOrNull, unique: true },
      slug: { ...textOrNull, access: 'serverSet', computed: { from: ['title', 'rank'] } },
      rank: { ...about, type: 'integer', minimum: 0, maximum: 9, default: 3 },
      due: { ...about, type: ['string', 'null'], format: 'utc-date' },
      since: { ...about, type: 'string', format: 'utc-date', default: { now: true } },
      tags: { ...about, setOf: 'string', maxLength: 9, default: {} },
      notes: { ...about, type: 'array', items: text, maxItems: 4, default: [] },
      meta: {
        ...{ ...about, type: 'object', default: {} },
        properties: { a: textOrNull, b: { ...about, type: 'object', properties: { c: text } } },
      },
      kind: { ...text, enum: ['open', 'shut'], access: 'immutable', default: 'open' },
      above: link('List', 'restrict'),
      seen: link('List', 'keep'),
      item: link('Item', 'restrict'),
    },
  },
  Item: {
    ...about,
    properties: {
      list: { ...link('List', 'cascade'), type: 'string' },
      title: text,
      lists: {
        ...{ ...about, type: 'integer', access: 'serverSet', default: 0 },
        computed: { count: 'List', by: 'item' },
      },
    },
    required: ['list', 'title'],
  },
});

const hooks: CapabilityHooks = {
  types: {
    List: {
      check: (wanted) => {
        for (const { after, refuse } of wanted)
          if (after?.['rank'] === 9) refuse({ type: 'forbidden', description: 'Nine is refused.' });
      },
      compute: { slug: ({ title, rank }) => (rank === 0 ? null : `${title}-${rank}`) },
    },
  },
};

const using = [CORE, page.capability.urn];
const call = async (name: string, args: object): Promise<Json> => rig.call(name, args, { using });

let rig: Rig;
beforeAll(() => {
  rig = new Rig({}, { more: { ...page, capability: { ...page.capability, hooks } } });
});
afterAll(() => rig.close());

/** Applies a patch as a client does: null takes a member away, and a property to null. */
function applyPatch(object: Json, patch: Json): Json {
  const next = structuredClone(object);
  for (const [pointer, value] of Object.entries<Json>(patch)) {
    const names = pointer.split('/');
    const last = names.pop() ?? '';
    let at = next;
    for (const name of names) at = at[name];
    if (value === null && names.length > 0) delete at[last];
    else at[last] = value;
  }
  return next;
}

/** A client's lists, by the answers to its own sets. */
class Copy {
  readonly lists = new Map<string, Json>();
  #state = '0';

  async set(request: { create?: Json; update?: Json; destroy?: Json }): Promise<Json> {
    const answer = await call('List/set', request);
    expect(answer.oldState).toBe(this.#state);
    this.#state = answer.newState;
    for (const [key, told] of Object.entries<Json>(answer.created ?? {}))
      this.lists.set(told.id, { ...request.create[key], ...told });
    for (const [id, told] of Object.entries<Json>(answer.updated ?? {})) {
      const patched = applyPatch(this.lists.get(id), request.update?.[id] ?? {});
      this.lists.set(id, { ...patched, ...told });
    }
    for (const id of answer.destroyed ?? []) this.lists.delete(id);
    return answer;
  }

  async compare(): Promise<void> {
    const { list, state } = await call('List/get', { ids: null });
    expect(new Map(list.map((one: Json) => [one.id, one]))).toEqual(this.lists);
    expect(state).toBe(this.#state);
  }
}

const DATES = ['2026-01-02T03:04:05Z', '2026-01-02T03:04:05.600Z', '2026-01-02T03:04:05.000Z'];

/** A few values of a list, some of them wrong. */
function drawValues(random: Random, ids: readonly string[]): Json {
  const id = ids.length === 0 ? null : random.pick([null, ...ids]);
  const values = {
    title: random.pick([' E\u0301t ', 'plain', null, 'UPPER', 7]),
    code: random.pick([null, 'c1', 'c2', 'c3']),
    rank: random.integer(0, 9),
    due: random.pick([null, ...DATES]),
    since: random.pick([null, ...DATES]),
    tags: random.pick([{}, { red: true }, { red: true, blue: true }, { red: false }]),
    notes: random.pick([[], ['a'], ['a', 'b'], null]),
    meta: random.pick([{}, { a: null }, { a: 'x', b: { c: 'y' } }, { b: {} }]),
    above: id,
    seen: random.pick([id, 'r0']),
  };
  return Object.fromEntries(Object.entries(values).filter(() => random.integer(0, 3) === 0));
}

function drawPatch(random: Random, before: Json, ids: readonly string[]): Json {
  if (random.integer(0, 2) > 0) return drawValues(random, ids);
  const members = {
    'tags/red': random.pick([true, null]),
    'tags/green': random.pick([true, null]),
    'meta/a': random.pick(['z', null]),
    ...(before.meta.b === undefined ? {} : { 'meta/b/c': random.pick(['w', null]) }),
  };
  return Object.fromEntries(Object.entries(members).filter(() => random.integer(0, 1) === 0));
}

describe('a copy that is kept by the answers of /set alone', () => {
  it('is the server’s, after random calls', async () => {
    expect(listTellingTypes(rig.services.registry).has('List')).toBe(true);
    const random = new Random(21);
    const copy = new Copy();
    const seen = { created: 0, updated: 0, destroyed: 0, notUpdated: 0, notDestroyed: 0 };
    for (let turn = 0; turn < 100; turn += 1) {
      const ids = [...copy.lists.keys()];
      const some = ids.filter(() => random.integer(0, 3) === 0);
      const create = { a: { ...drawValues(random, ids), kind: random.pick(['open', 'shut']) } };
      const update = Object.fromEntries(
        some.map((id) => [id, drawPatch(random, copy.lists.get(id), ids)]),
      );
      const destroy = ids.filter(() => random.integer(0, 9) === 0);
      const answer = await copy.set({ create, update, destroy });
      for (const name of Object.keys(seen) as (keyof typeof seen)[])
        seen[name] += Object.keys(answer[name] ?? {}).length;
      await copy.compare();
      // Items go with lists and count them, and change none of them.
      const [list] = copy.lists.keys();
      if (list === undefined) continue;
      const made = await call('Item/set', { create: { i: { list, title: 'item' } } });
      const { id } = made.created.i;
      await copy.set({ update: { [list]: { item: id } } });
      await copy.compare();
      const [item] = (await call('Item/get', { ids: [id] })).list;
      expect(item).toMatchObject({ list, lists: copy.lists.get(list).item === id ? 1 : 0 });
    }
    expect(Math.min(...Object.values(seen))).toBeGreaterThan(10);
  });
});
