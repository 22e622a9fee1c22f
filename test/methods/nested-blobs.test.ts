import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { described } from './described-type.js';
import { BLOB, CORE, type Json, Rig, U2 } from './rig.js';

/** `blob: true` within the values of properties: all that it means at a property itself. */

const blob = { type: 'string', blob: true };
const blobOrNull = { type: ['string', 'null'], blob: true };
const types = {
  Page: {
    properties: {
      title: { type: 'string', default: '' },
      files: {
        type: 'array',
        items: { type: 'object', properties: { name: { type: 'string' }, fileId: blob } },
        default: [],
      },
      album: { setOf: 'blob', default: {} },
      captions: {
        type: 'object',
        propertyNames: { blob: true },
        additionalProperties: {
          type: 'object',
          properties: { text: { type: 'string' }, thumb: blobOrNull },
        },
        default: {},
      },
      covers: {
        type: 'object',
        properties: { count: { type: 'integer' }, note: { type: 'string' }, front: blobOrNull },
        additionalProperties: blob,
        default: {},
      },
      icon: blobOrNull,
    },
  },
};

const page = described(types);
const using = [CORE, BLOB, page.capability.urn];
let rig: Rig;

beforeEach(() => {
  rig = new Rig({}, { more: page });
});
afterEach(() => rig.close());

const call = (name: string, args: object, settings = {}): Promise<Json> =>
  rig.call(name, args, { using, ...settings });

async function put(object: object): Promise<Json> {
  const { created, notCreated } = await call('Page/set', { create: { k: object } });
  return created?.k ?? notCreated.k;
}

async function change(id: string, patch: object): Promise<Json> {
  const { updated, notUpdated } = await call('Page/set', { update: { [id]: patch } });
  return updated === null || updated === undefined ? notUpdated[id] : updated[id];
}

const read = async (id: string, accountId = 'a1'): Promise<Json> => {
  const [[, { list }]] = (await rig.calls([['Page/get', { accountId, ids: [id] }]], { using })) as [
    [string, Json],
  ];
  return list[0];
};

/** Ids of the pages that refer to each blob. */
async function holders(...ids: readonly string[]): Promise<Json> {
  const { list } = await call('Blob/lookup', { typeNames: ['Page'], ids });
  return list.map((one: Json) => one.matchedIds.Page);
}

/** Returns the blobs that stay when all others that may go have gone. */
async function left(...ids: readonly string[]): Promise<readonly string[]> {
  const { store } = rig.services;
  rig.time = (rig.time ?? Date.now()) + 10_000_000;
  await store.collectBlobs(rig.time - 1, 1000);
  const deadline = performance.now() + 60_000;
  const rows = await store.read('a1', { deadline }, (snapshot) => snapshot.blobs(ids));
  return rows.map(({ id }) => id);
}

describe('a blob within a value', () => {
  it.each([
    ['a member of a list’s items', (id: string) => ({ files: [{}, { fileId: id }] })],
    ['an entry of a set', (id: string) => ({ album: { [id]: true } })],
    ['a key of a map', (id: string) => ({ captions: { [id]: { text: 'a' } } })],
    ['a declared member', (id: string) => ({ covers: { front: id } })],
    ['a further member', (id: string) => ({ covers: { note: 'n', more: id } })],
  ])('is referenced, reported and kept as %s, until the object is gone', async (_, value) => {
    const [id, other] = [await rig.upload('held'), await rig.upload('other')];
    const { id: pageId } = await put(value(id));
    expect(await holders(id, other)).toEqual([[pageId], []]);
    expect(await left(id, other)).toEqual([id]);
    await call('Page/set', { destroy: [pageId] });
    expect(await holders(id)).toEqual([[]]);
    expect(await left(id)).toEqual([]);
  });

  it('is refused if it is not there, or is another user’s alone', async () => {
    const foreign = await rig.upload('foreign', U2);
    for (const id of ['bnothing', foreign, '#nothing', '', 'no id']) {
      const values = [
        { files: [{ fileId: id }] },
        { album: { [id]: true } },
        { captions: { [id]: {} } },
        { covers: { front: id } },
        { covers: { more: id } },
      ];
      for (const value of values) {
        const refused = { type: 'invalidProperties', properties: Object.keys(value) };
        expect({ value, ...(await put(value)) }).toMatchObject({ value, ...refused });
      }
    }
    const refused = await put({ files: [{ fileId: 'bnothing' }] });
    expect(refused.description).toContain('"bnothing"');
  });

  it('is found in blob properties alone: a plain text is no reference', async () => {
    const id = await rig.upload('words');
    const { id: pageId } = await put({
      title: id,
      files: [{ name: id }],
      covers: { note: id, front: null },
    });
    expect(pageId).toEqual(expect.any(String));
    expect(await holders(id)).toEqual([[]]);
    expect(await left(id)).toEqual([]);
  });

  it('may be named by its creation id, as a value, as a key and in a pointer', async () => {
    const data = [{ 'data:asText': 'x' }];
    const create = { b: { data }, c: { data }, d: { data } };
    const object = {
      files: [{ fileId: '#b' }],
      album: { '#b': true },
      captions: { '#c': { thumb: '#b' } },
    };
    const [[, { created }], [, set]] = (await rig.calls(
      [
        ['Blob/upload', { accountId: 'a1', create }],
        [
          'Page/set',
          {
            accountId: 'a1',
            create: { k: object },
            update: { '#k': { 'album/#d': true, 'captions/#c/text': 'a', 'album/#b': null } },
          },
        ],
      ],
      { using },
    )) as [[string, Json], [string, Json]];
    const [b, c, d] = ['b', 'c', 'd'].map((key) => created[key].id);
    const { id } = set.created.k;
    expect(await read(id)).toMatchObject({
      files: [{ fileId: b }],
      album: { [d]: true },
      captions: { [c]: { thumb: b, text: 'a' } },
    });
    expect(await holders(b, c, d)).toEqual([[id], [id], [id]]);
    for (const patch of [
      { 'album/#gone': true },
      { 'captions/#gone': {} },
      { 'covers/new': '#gone' },
    ])
      expect(await change(id, patch)).toMatchObject({ type: 'invalidProperties' });
    const [[, twice]] = (await rig.calls(
      [
        [
          'Page/set',
          {
            accountId: 'a1',
            update: { [id]: { 'album/#d': true, [`album/${d}`]: true } },
          },
        ],
      ],
      { using, createdIds: { d } },
    )) as [[string, Json]];
    expect(twice.notUpdated[id]).toMatchObject({ type: 'invalidPatch' });
  });
});

describe('a patch', () => {
  it('adds and removes references, wherever it reaches into a value', async () => {
    const [a, b, c] = [await rig.upload('a'), await rig.upload('b'), await rig.upload('c')];
    const { id } = await put({ album: { [a]: true }, captions: { [a]: { thumb: b } } });
    expect(await change(id, { [`album/${c}`]: true, 'covers/front': c })).toHaveProperty('updated');
    expect(await holders(a, b, c)).toEqual([[id], [id], [id]]);
    await change(id, { [`captions/${a}/thumb`]: null });
    expect(await holders(a, b, c)).toEqual([[id], [], [id]]);
    await change(id, { [`captions/${a}`]: null, [`album/${c}`]: null });
    expect(await holders(a, b, c)).toEqual([[id], [], [id]]);
    await change(id, { album: null, 'covers/front': null });
    expect(await holders(a, b, c)).toEqual([[], [], []]);
    expect(await left(a, b, c)).toEqual([]);
  });

  it('keeps a blob that the object names twice until both are gone', async () => {
    const a = await rig.upload('a');
    const { id } = await put({ icon: a, album: { [a]: true }, files: [{ fileId: a }] });
    await change(id, { icon: null });
    await change(id, { [`album/${a}`]: null });
    expect(await left(a)).toEqual([a]);
    expect(await holders(a)).toEqual([[id]]);
    await change(id, { files: [] });
    expect(await left(a)).toEqual([]);
  });

  it('is refused for a blob that is not there, and changes nothing', async () => {
    const [a, b] = [await rig.upload('a'), await rig.upload('b')];
    const { id } = await put({ album: { [a]: true } });
    for (const patch of [
      { 'album/bnothing': true },
      { 'captions/bnothing': {} },
      { 'covers/front': 'bnothing' },
      { [`captions/${b}`]: { thumb: 'bnothing' } },
    ])
      expect(await change(id, patch)).toMatchObject({ type: 'invalidProperties' });
    expect(await read(id)).toMatchObject({ album: { [a]: true }, captions: {}, covers: {} });
    expect(await holders(a, b)).toEqual([[id], []]);
  });

  it('is judged on what it changes: a neighbour whose blob is gone stays as it is', async () => {
    const [a, b] = [await rig.upload('a'), await rig.upload('b')];
    const { id } = await put({ album: { [a]: true } });
    rig.run(`UPDATE "Page" SET "album" = '{"bgone":true}' WHERE "id" = '${id}'`);
    await change(id, { [`album/${b}`]: true });
    expect((await read(id)).album).toEqual({ bgone: true, [b]: true });
    expect(await holders(b, 'bgone')).toEqual([[id], []]);
    expect(await change(id, { icon: 'bgone', album: {} })).toHaveProperty('updated');
    expect(await holders('bgone')).toEqual([[]]);
  });
});

describe('a copy', () => {
  it('takes the octets along, wherever the value names them', async () => {
    const [a, b, c] = [await rig.upload('one'), await rig.upload('two'), await rig.upload('three')];
    const own = await rig.upload('own', undefined, 'a2');
    const { id } = await put({
      files: [{ fileId: a, name: 'n' }, { fileId: b }, { fileId: a }],
      captions: { [a]: { thumb: c } },
      album: { [c]: true },
    });
    const create = { k: { id, album: { [own]: true } } };
    const args = { fromAccountId: 'a1', accountId: 'a2', create };
    const [[, { created }]] = (await rig.calls([['Page/copy', args]], { using })) as [
      [string, Json],
    ];
    const copy = await read(created.k.id, 'a2');
    const [first, second, third] = copy.files;
    expect(first).toEqual({ fileId: third.fileId, name: 'n' });
    expect(new Set([a, b, c, first.fileId, second.fileId]).size).toBe(5);
    expect(Object.keys(copy.captions)).toEqual([first.fileId]);
    expect(copy.album).toEqual({ [own]: true });
    expect(created.k).toMatchObject({ files: copy.files, captions: copy.captions });
    const ids = [first.fileId, second.fileId, copy.captions[first.fileId].thumb];
    const { list } = await call('Blob/get', {
      accountId: 'a2',
      ids,
      properties: ['data:asText'],
    });
    expect(list.map((one: Json) => one['data:asText'])).toEqual(['one', 'two', 'three']);
  });

  it('is refused where a blob of the original is gone, naming the property', async () => {
    const a = await rig.upload('a');
    const { id } = await put({ album: { [a]: true } });
    rig.run(`UPDATE "Page" SET "album" = '{"bgone":true}' WHERE "id" = '${id}'`);
    const args = { fromAccountId: 'a1', accountId: 'a2', create: { k: { id } } };
    const [[, { notCreated }]] = (await rig.calls([['Page/copy', args]], { using })) as [
      [string, Json],
    ];
    expect(notCreated.k).toMatchObject({ type: 'invalidProperties', properties: ['album'] });
  });
});

it('a blob within a value is seen by others of the account while something names it', async () => {
  const a = await rig.upload('shared');
  const asU2 = { user: U2, using };
  const see = async () => (await call('Blob/get', { ids: [a], properties: ['size'] }, asU2)).list;
  expect(await see()).toEqual([]);
  const { id } = await put({ files: [{ fileId: a }] });
  expect(await see()).toHaveLength(1);
  await change(id, { files: [] });
  expect(await see()).toEqual([]);
});
