import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { AccessRule } from '../../src/capability/access-rules.js';
import { described } from './described-type.js';
import { methodsOf } from './gadget.js';
import { CORE, type Json, Rig, U1 } from './rig.js';
import { Shares, viewer } from './viewers.js';
import { Widget } from './widget.js';

// Users see the blobs of objects that they see, and those that they have uploaded.

const RULES: readonly AccessRule[] = [
  { who: { kind: 'everyone' }, where: [{ property: 'rankNumber', values: [1] }], read: true },
  { who: { kind: 'share', right: 'mayRead' }, read: true },
  { who: { kind: 'property', property: 'tags' }, read: true, create: true, update: true },
];
const READER = viewer('u2');

let rig: Rig;
let blobs: Record<'seen' | 'hidden' | 'both' | 'loose', string>;
let ids: readonly string[];

beforeEach(async () => {
  rig = new Rig({}, { widget: { ...Widget, access: RULES } });
  const upload = (text: string): Promise<string> => rig.upload(text, U1);
  const [seen, hidden, both, loose] = await Promise.all(
    ['seen', 'hidden', 'both', 'loose'].map(upload),
  );
  blobs = { seen, hidden, both, loose } as typeof blobs;
  ids = await rig.create('Widget', [
    { title: 'seen', rankNumber: 1, blobId: blobs.seen, iconId: blobs.both },
    { title: 'hidden', blobId: blobs.hidden, iconId: blobs.both },
  ]);
});
afterEach(() => rig.close());

const call = (name: string, args: object): Promise<Json> => rig.call(name, args, { user: READER });
const idsOf = (list: readonly Json[]): readonly string[] => list.map(({ id }) => id).sort();

async function visible(): Promise<readonly string[]> {
  const { list } = await call('Blob/get', { ids: Object.values(blobs), properties: ['size'] });
  return idsOf(list);
}

describe('a blob', () => {
  it('is visible through an object that the user sees', async () => {
    expect(await visible()).toEqual([blobs.seen, blobs.both].sort());
    const shares = new Shares(rig, ['Widget']);
    await shares.toggle('u2', [`Widget:${ids[1]}/mayRead`]);
    expect(await visible()).toEqual([blobs.seen, blobs.both, blobs.hidden].sort());
    await shares.toggle('u2', [`Widget:${ids[1]}/mayRead`]);
    expect(await visible()).toEqual([blobs.seen, blobs.both].sort());
  });

  it('is its uploader’s', async () => {
    const own = await rig.upload('own', READER);
    const draft = { title: 'own', tags: { u2: true }, blobId: own };
    const { created } = await call('Widget/set', { create: { k: draft } });
    const { id } = created['k'];
    await rig.call('Widget/set', { update: { [id]: { tags: {} } } });
    expect((await call('Widget/get', { ids: [id] })).notFound).toEqual([id]);
    const { list } = await call('Blob/get', { ids: [own], properties: ['size'] });
    expect(idsOf(list)).toEqual([own]);
  });

  it('is looked up in objects that the user sees alone', async () => {
    const args = { typeNames: ['Widget'], ids: [blobs.both, blobs.hidden] };
    const { list } = await call('Blob/lookup', args);
    expect(list).toEqual([
      { id: blobs.both, matchedIds: { Widget: [ids[0]] } },
      { id: blobs.hidden, matchedIds: { Widget: [] } },
    ]);
  });

  it('can be named on an object by users who see it', async () => {
    const draft = (blobId: string) => ({ title: 'own', tags: { u2: true }, blobId });
    const create = { seen: draft(blobs.seen), hidden: draft(blobs.hidden), none: draft('b0') };
    const { created, notCreated } = await call('Widget/set', { create });
    expect(Object.keys(created)).toEqual(['seen']);
    const errors = Object.values<Json>(notCreated).map(({ type, properties }) => [
      type,
      properties,
    ]);
    expect(errors).toEqual(Array(2).fill(['invalidProperties', ['blobId']]));
  });
});

describe('an account that the user reaches by shares alone', () => {
  it('shows nothing of types without access rules', async () => {
    const [account] = [...READER.accounts.values()];
    const access = { ...account, isShared: true } as NonNullable<typeof account>;
    const user = { ...READER, accounts: new Map([['a1', access]]) };
    const own = await rig.create('Gadget', [{ title: 'open' }]);
    const { list, notFound } = await rig.call('Gadget/get', { ids: own }, { user });
    expect([list, notFound]).toEqual([[], own]);
    const made = await rig.call('Gadget/set', { create: { k: { title: 'x' } } }, { user });
    expect(made.notCreated['k']).toMatchObject({ type: 'forbidden' });
    const setting = await rig.call(
      'Setting/set',
      { update: { singleton: { theme: 'x' } } },
      { user },
    );
    expect(setting.notUpdated['singleton']).toMatchObject({ type: 'notFound' });
  });
});

describe('a hook', () => {
  const page = described({
    Page: {
      properties: {
        title: { type: 'string', default: '' },
        cover: {
          ...{ type: ['string', 'null'], blob: true, access: 'serverSet' },
          computed: { from: ['title'] },
        },
      },
    },
    Shelf: {
      properties: {
        name: { type: 'string', default: '' },
        sign: {
          ...{ type: ['string', 'null'], blob: true, access: 'serverSet' },
          computed: { on: ['Page.title'] },
        },
        own: { type: ['string', 'null'], blob: true, default: null },
      },
    },
  });
  const access: readonly AccessRule[] = [
    { who: { kind: 'everyone' }, read: true, create: true, update: true },
  ];
  const using = [CORE, page.capability.urn];
  let logo = '';
  let shelf = '';
  const hooks = {
    types: {
      Page: {
        compute: { cover: () => (logo === '' ? null : logo) },
        inTransaction: async (changes: Json, _: Json, tx: Json) => {
          if (changes.created.length === 0) return;
          const type = rig.services.registry.dataTypes.get('Shelf');
          await tx.set(type, { update: { [shelf]: { own: logo } } });
        },
      },
      Shelf: { computeOn: { sign: async () => new Map([[shelf, logo === '' ? null : logo]]) } },
    },
  };

  it('names blobs of objects that the user does not see', async () => {
    const dataTypes = page.capability.dataTypes.map((type) => ({ ...type, access }));
    const methods = dataTypes.flatMap(methodsOf);
    const capability = { ...page.capability, dataTypes, methods, hooks } as never;
    await rig.close();
    rig = new Rig(
      {},
      { widget: { ...Widget, access: RULES }, more: { capability, tables: page.tables } },
    );
    const hidden = await rig.upload('hidden', U1);
    await rig.create('Widget', [{ title: 'hidden', blobId: hidden }]);
    const made = await rig.call('Shelf/set', { create: { k: {} } }, { using });
    shelf = made.created['k'].id;
    logo = hidden;
    const user = READER;
    const set = await rig.call('Page/set', { create: { k: { title: 'x' } } }, { using, user });
    expect(rig.failures.map(({ error }) => String(error))).toEqual([]);
    expect(set.created?.['k'], JSON.stringify(set)).toMatchObject({ cover: hidden });
    const { list } = await rig.call('Shelf/get', { ids: [shelf] }, { using, user });
    expect(list[0]).toMatchObject({ sign: hidden, own: hidden });
    // The user itself may name it only now, and an unknown one never.
    const named = { update: { [shelf]: { own: 'b0' } } };
    const { notUpdated } = await rig.call('Shelf/set', named, { using, user });
    expect(notUpdated[shelf]).toMatchObject({ type: 'invalidProperties', properties: ['own'] });
  });
});
