import { expect, test } from 'vitest';
import { DONE } from './calls.js';
import type { ServedExamples } from './project.js';

/** Tests what bookmarks, preferences, catalogue and nested are about. */
export function secondCases(examples: () => ServedExamples): void {
  test('bookmarks: an icon is a blob of the account; pieces of a title are found', async () => {
    const { client, accountId, create, update, destroy, read, ids, call } = examples();
    const { blobId } = await client.upload(accountId, 'an icon', 'image/png');
    const bookmark = {
      url: 'https://example.com/a?b=1',
      title: 'Straße nach Rom',
      tags: { map: true },
    };
    const { id, host } = await create('Bookmark', { ...bookmark, icon_blob_id: blobId });
    expect(host).toBe('example.com');
    expect(await read('Bookmark', id)).toMatchObject({
      ...bookmark,
      iconBlobId: blobId,
      visits: 0,
    });
    const lookup = await call('Blob/lookup', { typeNames: ['Bookmark'], ids: [blobId] });
    expect(lookup.list).toEqual([{ id: blobId, matchedIds: { Bookmark: [id] } }]);
    expect(await update('Bookmark', id, { iconBlobId: 'Gnothing' })).toMatchObject({
      properties: ['iconBlobId'],
    });
    const twice = await call('Bookmark/set', { create: { k: { url: bookmark.url } } });
    expect(twice.notCreated.k).toMatchObject({ type: 'alreadyExists', existingId: id });

    const { id: plain } = await create('Bookmark', { url: 'http://example.org/', visits: 3 });
    expect(await ids('Bookmark', { filter: { title: 'STRASSE' } })).toEqual([id]);
    expect(await ids('Bookmark', { filter: { title: 'e n' } })).toEqual([id]);
    expect(await ids('Bookmark', { filter: { url: 'HTTPS://EX' } })).toEqual([id]);
    expect(await ids('Bookmark', { filter: { hasTag: 'map' } })).toEqual([id]);
    expect(await ids('Bookmark', { filter: { hasNoIcon: true } })).toEqual([plain]);
    expect(await ids('Bookmark', { filter: { minVisits: 1 } })).toEqual([plain]);
    const sort = [{ property: 'visits', isAscending: false }];
    expect(await ids('Bookmark', { sort })).toEqual([plain, id]);
    expect(await update('Bookmark', id, { url: 'https://example.net/' })).toMatchObject({
      host: 'example.net',
    });
    expect(await destroy('Bookmark', id)).toBeUndefined();
    const after = await call('Blob/lookup', { typeNames: ['Bookmark'], ids: [blobId] });
    expect(after.list).toEqual([{ id: blobId, matchedIds: { Bookmark: [] } }]);
  });

  test('preferences: a singleton is there with its defaults, and is updated alone', async () => {
    const { update, read, call } = examples();
    const id = 'singleton';
    expect(await read('Preferences', id)).toMatchObject({
      id,
      theme: 'system',
      pageSize: 50,
      notify: { email: { enabled: true, digest: 'daily' }, push: { enabled: false } },
    });
    const { list, state } = await call('Preferences/get', { ids: null });
    expect(list).toHaveLength(1);
    const patch = {
      theme: 'dark',
      scale: 1.25,
      'notify/email/digest': 'never',
      'shortcuts/compose': 'c',
      mutedWords: ['sale'],
      apiKey: 's3cret',
    };
    expect(await update('Preferences', id, patch)).toEqual(DONE);
    const now = await read('Preferences', id);
    expect(now).toMatchObject({
      theme: 'dark',
      scale: 1.25,
      notify: { email: { enabled: true, digest: 'never' }, push: { enabled: false } },
      shortcuts: { compose: 'c' },
      mutedWords: ['sale'],
    });
    expect(now).not.toHaveProperty('apiKey');
    expect(await call('Preferences/changes', { sinceState: state })).toMatchObject({
      updated: [id],
    });
    for (const wrong of [{ pageSize: 5 }, { language: 'EN' }, { mutedWords: ['a', 'a'] }])
      expect(await update('Preferences', id, wrong)).toMatchObject({ type: 'invalidProperties' });
    const refused = await call('Preferences/set', { create: { k: {} }, destroy: [id] });
    expect(refused.notCreated.k.type).toBe('singleton');
    expect(refused.notDestroyed[id].type).toBe('singleton');
    expect((await call('Preferences/query')).error).toBe('unknownMethod');
  });

  test('catalogue: forty properties and more, each kind stored, filtered and sorted', async () => {
    const { create, update, destroy, read, ids, call } = examples();
    const { id: categoryId } = await create('Category', { name: 'Tools' });
    const product = {
      sku: 'HAM-1',
      name: 'Hammer',
      size: 'xl',
      vatClass: 7,
      weight: 0.75,
      rating: 4.5,
      stock: 12,
      fragile: false,
      releasedAt: '2026-01-31T12:00:00Z',
      checkedAt: '2026-02-01T00:30:00+02:00',
      deliveryFrom: '2026-02-03T08:00:00',
      externalId: 'x-1',
      categoryId,
      alsoIn: { [categoryId]: true },
      aliases: ['Mallet'],
      sizes: [1, 2],
      prices: [{ amount: 999, currency: 'EUR' }],
      grid: [[0.5, 1], []],
      tags: { steel: true },
      colours: { red: true },
      names: { de: 'Hammer', fr: 'Marteau' },
      measures: { width: 1.5, height: 30 },
      price: { net: { amount: 839, currency: 'EUR' } },
      anything: { a: [1, { b: null }] },
      body: 'A hammer with a handle of ash.',
    };
    const { id, slug } = await create('Product', product);
    expect(slug).toBe('hammer-ham-1');
    const stored = await read('Product', id);
    expect(stored).toMatchObject(product);
    const wire = Object.keys(stored).filter((name) => !['id', 'created', 'updated'].includes(name));
    expect(wire.length).toBeGreaterThanOrEqual(40);
    expect(stored).not.toHaveProperty('supplierCode');
    expect(stored).not.toHaveProperty('licenceKey');
    expect(stored.since).toBe('2020-01-01T00:00:00Z');

    const { id: nail } = await create('Product', { sku: 'NAIL', name: 'Nail', relatedIds: [id] });
    for (const filter of [
      { sku: ['HAM-1', 'x'] },
      { name: 'AMM' },
      { namePrefix: 'ham' },
      { size: 'xl' },
      { minRating: 4.5 },
      { releasedBefore: '2026-02-01T00:00:00Z' },
      { checkedAfter: '2026-01-31T22:30:00Z' },
      { deliveryBefore: '2026-02-03T08:00:01' },
      { noPrice: false },
      { categoryId },
      { alsoIn: categoryId },
      { hasTag: 'steel' },
      { alias: 'Mallet' },
      { hasSize: 2 },
      { text: 'handle HAMMER' },
      { vatClass: [7] },
    ])
      expect(await ids('Product', { filter }), JSON.stringify(filter)).toEqual([id]);
    for (const property of ['name', 'sku', 'rating', 'stock', 'releasedAt', 'checkedAt']) {
      const sorted = [{ property, isAscending: false }];
      expect((await ids('Product', { sort: sorted })).sort(), property).toEqual([id, nail].sort());
    }
    for (const [property, value] of Object.entries({
      rank: 11,
      rating: 5.5,
      vatClass: 8,
      ean: '1',
      externalId: 'a b',
      aliases: ['a', 'a'],
      colours: { pink: true },
      prices: [{ amount: 1 }],
      measures: { width: 1 },
      slug: 'x',
      sku: 'OTHER',
      replacesId: id,
    })) {
      const refused = await update('Product', id, { [property]: value });
      expect(refused, property).toMatchObject({ type: 'invalidProperties' });
    }
    expect(await update('Product', id, { 'price/gross': { amount: 1, currency: 'EUR' } })).toEqual(
      DONE,
    );
    expect(await update('Product', id, { 'names/fr': null, size: null, tags: null })).toEqual({
      ...DONE,
      tags: {},
    });
    expect(await read('Product', id)).toMatchObject({
      names: { de: 'Hammer' },
      size: null,
      tags: {},
    });
    expect((await read('Category', categoryId)).products).toBe(1);
    expect(await destroy('Category', categoryId)).toBeUndefined();
    expect(await read('Product', id)).toMatchObject({ categoryId: null, alsoIn: {} });
    expect(await destroy('Product', id)).toBeUndefined();
    expect((await read('Product', nail)).relatedIds).toEqual([]);
    const root = await call('Category/set', { create: { a: { name: 'R' }, b: { name: 'R' } } });
    // Null equals nothing: two roots may have one name.
    expect(Object.keys(root.created)).toEqual(['a', 'b']);
  });

  test('nested: each entry of three levels of maps is within reach of a patch', async () => {
    const { create, update, read, ids } = examples();
    const { id } = await create('Building', {
      name: 'Mill',
      floors: { f1: { rooms: { r1: { sensors: { s1: { value: 20.5, unit: 'C' } } } } } },
      matrix: { a: { b: { c: 1 } } },
    });
    const patch = {
      'floors/f1/rooms/r1/sensors/s1/value': 21,
      'floors/f1/rooms/r1/sensors/s2': { value: 1 },
      'floors/f1/rooms/r2': { label: null },
      'floors/f2': { label: 'Attic' },
      'matrix/a/b/c': null,
      'matrix/a/x~1y': { 'm~n': 2 },
      'extra/deep': { any: [true] },
    };
    expect(await update('Building', id, patch)).toEqual(DONE);
    expect(await read('Building', id)).toMatchObject({
      floors: {
        f1: {
          rooms: {
            r1: { sensors: { s1: { value: 21, unit: 'C' }, s2: { value: 1 } } },
            r2: { label: null },
          },
        },
        f2: { label: 'Attic' },
      },
      matrix: { a: { b: {}, 'x/y': { 'm~n': 2 } } },
      extra: { deep: { any: [true] } },
    });
    expect(await update('Building', id, { 'matrix/a/x~1y/m~0n': 3 })).toEqual(DONE);
    expect((await read('Building', id)).matrix.a['x/y']).toEqual({ 'm~n': 3 });
    expect(await ids('Building', { filter: { hasFloor: 'f2' } })).toEqual([id]);
    for (const [path, value, type] of [
      ['floors/f1/rooms/r1/sensors/s1/value', null, 'invalidProperties'],
      ['floors/f1/rooms/r1/sensors/bad id', { value: 1 }, 'invalidProperties'],
      ['matrix/a/b/c', 1.5, 'invalidProperties'],
      ['floors/f9/rooms/r1', {}, 'invalidPatch'],
    ] as const)
      expect(await update('Building', id, { [path]: value }), path).toMatchObject({ type });
  });
}
