import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { HookTransaction } from '../../src/capability/hooks.js';
import { described } from './described-type.js';
import { BLOB, CORE, type Json, Rig, U2 } from './rig.js';

/** Blob ids that the server itself puts on objects are held to the same rules as a client's. */

const text = { type: 'string', default: '' };
const served = { type: ['string', 'null'], blob: true, access: 'serverSet' };
const capability = described({
  Page: {
    properties: {
      body: text,
      note: text,
      shelfId: text,
      sign: text,
      icon: { type: ['string', 'null'], blob: true },
      cover: { ...served, computed: { from: ['body', 'icon'] } },
      album: { setOf: 'blob', access: 'serverSet', default: {}, computed: { from: ['note'] } },
      hidden: { ...served, access: 'internal', computed: { from: ['shelfId'] } },
    },
  },
  Shelf: {
    properties: {
      name: text,
      stamp: served,
      sign: { ...served, computed: { on: ['Page.sign'] } },
    },
  },
});

const idOrNull = (id: string): string | null => (id === '' || id === 'icon' ? null : id);
const [Page, Shelf] = capability.capability.dataTypes;
if (Page === undefined || Shelf === undefined) throw new Error('There are two types.');
/** The work of inTransaction of a Page. */
let work: (tx: HookTransaction) => Promise<unknown> = async () => undefined;

/**
 * A body is a blob's id, or empty, or says that the cover is the icon. A note has an album's ids.
 */
const hooks = {
  types: {
    Page: {
      compute: {
        cover: ({ body, icon }: Json) => (body === 'icon' ? icon : idOrNull(body)),
        album: ({ note }: Json) =>
          Object.fromEntries(
            note.split(' ').flatMap((id: string) => (id === '' ? [] : [[id, true]])),
          ),
        hidden: ({ shelfId }: Json) => (shelfId.startsWith('b') ? shelfId : null),
      },
      inTransaction: (_changes: unknown, _call: unknown, tx: HookTransaction) => work(tx),
    },
    Shelf: {
      computeOn: {
        sign: async ({ Page: { created, updated } }: Json) => {
          const pages = [...created, ...updated.map(({ after }: Json) => after)];
          const signs = pages.flatMap(({ shelfId, sign }: Json) =>
            sign === '' ? [] : [[shelfId, sign] as const],
          );
          return new Map<string, string>(signs);
        },
      },
    },
  },
};

const more = { ...capability, capability: { ...capability.capability, hooks } as never };
const using = [CORE, BLOB, capability.capability.urn];
let rig: Rig;
let own: string;
/** Of the same account, and for another user's eyes alone. */
let foreign: string;

beforeEach(async () => {
  rig = new Rig({}, { more });
  work = async () => undefined;
  [own, foreign] = [await rig.upload('own'), await rig.upload('foreign', U2)];
});
afterEach(() => rig.close());

const call = (name: string, args: object): Promise<Json> => rig.call(name, args, { using });
const read = async (id: string): Promise<Json> => (await call('Page/get', { ids: [id] })).list[0];
const copy = async (create: object): Promise<Json> => {
  const args = { fromAccountId: 'a1', accountId: 'a2', create };
  const [[, response]] = (await rig.calls([['Page/copy', args]], { using })) as [[string, Json]];
  return response;
};
const refused = (...properties: string[]): object => ({ type: 'invalidProperties', properties });

describe('a computed blob id', () => {
  it('is refused in a create if it doesn’t exist, or only another user sees it', async () => {
    const { created, notCreated } = await call('Page/set', {
      create: {
        fine: { body: own, note: own },
        none: { body: 'bnothing' },
        theirs: { body: foreign },
        inside: { note: `${own} ${foreign}` },
        both: { body: foreign, icon: 'bnothing', note: own },
      },
    });
    expect(created).toEqual({
      fine: expect.objectContaining({ cover: own, album: { [own]: true } }),
    });
    expect(notCreated).toMatchObject({
      none: { ...refused('cover'), description: expect.stringContaining('"bnothing"') },
      theirs: refused('cover'),
      inside: refused('album'),
      both: refused('icon', 'cover'),
    });
  });

  it('is refused in an update; the object keeps the blobs that it named', async () => {
    const { created } = await call('Page/set', { create: { k: { body: own } } });
    const { id } = created.k;
    const update = async (patch: object): Promise<Json> => {
      const { updated, notUpdated } = await call('Page/set', { update: { [id]: patch } });
      return notUpdated?.[id] ?? updated[id];
    };
    expect(await update({ body: foreign, shelfId: 'x' })).toMatchObject(refused('cover'));
    expect(await read(id)).toMatchObject({ body: own, cover: own, shelfId: '' });
    rig.run(`UPDATE "Page" SET "body" = 'bgone', "cover" = 'bgone' WHERE "id" = '${id}'`);
    expect(await update({ shelfId: 'x' })).toHaveProperty('updated');
    expect(await update({ body: 'bother' })).toMatchObject(refused('cover'));
    expect(await read(id)).toMatchObject({ body: 'bgone', cover: 'bgone', shelfId: 'x' });
  });

  it('is judged as the call leaves it: an update may mend what a create computed', async () => {
    const { created, updated } = await call('Page/set', {
      create: { k: { body: 'bnothing' } },
      update: { '#k': { body: own } },
    });
    expect([created.k.cover, Object.keys(updated)]).toEqual([own, [created.k.id]]);
    expect(await read(created.k.id)).toMatchObject({ cover: own });
  });

  it('of a property that clients do not know is refused without its name', async () => {
    const { notCreated } = await call('Page/set', { create: { k: { shelfId: 'bnothing' } } });
    expect(notCreated.k).toMatchObject(refused());
    expect(notCreated.k.description).not.toMatch(/hidden|bnothing/);
  });

  it('is refused in a /copy, and may be a blob that the copy takes along', async () => {
    const there = await rig.upload('there', undefined, 'a2');
    const { created: made } = await call('Page/set', {
      create: { k: { body: own, icon: own }, l: { body: 'icon', icon: own } },
    });
    const [first, second] = [made.k.id, made.l.id];
    const { created, notCreated } = await copy({
      stale: { id: first },
      fine: { id: first, body: there },
      along: { id: second },
      nothing: { id: first, body: 'bnothing', icon: 'bnothing' },
    });
    expect(notCreated).toMatchObject({
      stale: refused('cover'),
      nothing: refused('icon', 'cover'),
    });
    expect(Object.keys(created)).toEqual(['fine', 'along']);
    expect(created.fine.cover).toBe(there);
    expect(created.along.cover).toBe(created.along.icon);
    expect([own, first]).not.toContain(created.along.icon);
  });

  it('costs one look-up for the whole call, and none if nothing names a blob', async () => {
    const counts = async (name: string, args: object): Promise<readonly number[]> => {
      const before = rig.statements.length;
      expect((await call(name, args)).error).toBeUndefined();
      const statements = rig.statements.slice(before);
      const lookUps = statements.filter((sql) => /^SELECT[^(]*FROM "JmapBlob" /.test(sql));
      return [statements.length, lookUps.length];
    };
    const pages = (count: number, page: object): object =>
      Object.fromEntries(Array.from({ length: count }, (_, at) => [`k${at}`, page]));
    for (const page of [{ body: own }, { icon: own }, { body: own, icon: own }]) {
      const one = await counts('Page/set', { create: pages(1, page) });
      expect(one[1]).toBe(1);
      expect(await counts('Page/set', { create: pages(50, page) })).toEqual(one);
    }
    expect((await counts('Page/set', { create: pages(50, { shelfId: 'x' }) }))[1]).toBe(0);
  });
});

describe('a blob id that a hook writes', () => {
  const failure = (): string => String(rig.failures.at(-1)?.error);

  it.each([
    ['a serverSet property', Shelf, 'stamp', { stamp: 'bnothing' }],
    ['a serverSet property, private', Shelf, 'stamp', { stamp: 'foreign' }],
    ['a computed property', Page, 'cover', { body: 'foreign' }],
  ])('by tx.set is refused in %s', async (_, type, name, object) => {
    const named = JSON.parse(JSON.stringify(object).replace('foreign', foreign));
    let isInner = false;
    work = async (tx) => {
      if (isInner) return;
      isInner = true;
      await tx.set(type, { create: { k: named } });
    };
    expect(await call('Page/set', { create: { k: {} } })).toMatchObject({ error: 'serverFail' });
    expect(failure()).toContain(`"${name}" names`);
    expect((await call('Page/get', { ids: null })).list).toEqual([]);
  });

  it('by computeOn undoes the call, and the log names the hook', async () => {
    const { created } = await call('Shelf/set', { create: { s: {} } });
    const { id } = created.s;
    const put = (sign: string): Promise<Json> =>
      call('Page/set', { create: { k: { shelfId: id, sign } } });
    const signOf = async (): Promise<Json> => (await call('Shelf/get', { ids: [id] })).list[0].sign;
    for (const sign of ['bnothing', foreign]) {
      expect(await put(sign)).toMatchObject({ error: 'serverFail' });
      expect(failure()).toContain('computeOn of Shelf.sign');
      expect(await signOf()).toBeNull();
    }
    expect(await put(own)).toMatchObject({ notCreated: null });
    expect(await signOf()).toBe(own);
    expect((await call('Page/get', { ids: null })).list).toHaveLength(1);
  });
});
