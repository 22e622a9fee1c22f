import { createHash } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { DIGEST_ALGORITHMS } from '../../src/methods/blob/blob-get.js';
import { MAX_DATA_SOURCES } from '../../src/methods/blob/upload-object.js';
import { UnknownOutcomeError } from '../../src/protocol/errors.js';
import { BLOB, type Json, Rig, U2 } from './rig.js';

let rig: Rig;

beforeEach(() => {
  rig = new Rig({ maxSizeUpload: 1000, maxObjectsInGet: 5, maxObjectsInSet: 5 });
});
afterEach(() => rig.close());

const text = (value: string): object => ({ 'data:asText': value });
const base64 = (value: string): object => ({ 'data:asBase64': value });

async function upload(create: object): Promise<Json> {
  return rig.call('Blob/upload', { create });
}

/** The SetError of one refused upload, or what was created. */
async function one(upload_: Json): Promise<Json> {
  const { created, notCreated } = await upload({ k: upload_ });
  return created?.k ?? notCreated.k;
}

async function octets(id: string): Promise<string> {
  const { list } = await rig.call('Blob/get', { ids: [id], properties: ['data:asBase64'] });
  return Buffer.from(list[0]['data:asBase64'], 'base64').toString('latin1');
}

describe('RFC 9404 4.1: Blob/upload', () => {
  it('stores one text under an id that is its blobId, too', async () => {
    const made = await one({ data: [text('abc')], type: 'text/plain' });
    expect(made).toEqual({ id: made.blobId, blobId: made.blobId, type: 'text/plain', size: 3 });
    expect(await octets(made.id)).toBe('abc');
  });

  it('keeps the octets if nobody knows whether their rows were committed', async () => {
    const { store } = rig.services;
    const write = store.write.bind(store);
    const lost = vi.spyOn(store, 'write').mockImplementationOnce(async (...args) => {
      await write(...args);
      throw new UnknownOutcomeError('The connection broke while committing.');
    });
    const failed = await upload({ k: { data: [text('abc')] } });
    lost.mockRestore();
    expect(failed).toMatchObject({ type: 'serverUnavailable' });
    expect(rig.blobFiles()).toBe(1);
  });

  it('joins data sources in order, none too, and has a type by default', async () => {
    expect(await one({ data: [] })).toMatchObject({ size: 0, type: 'application/octet-stream' });
    const made = await one({ data: [text('é'), base64('AP8='), text('')], type: null });
    expect(made).toMatchObject({ size: 4, type: 'application/octet-stream' });
    expect(await octets(made.id)).toBe('\u00c3\u00a9\u0000\u00ff');
  });

  it.each([
    ['a range beyond the end', [{ blobId: '#src', offset: 5, length: 6 }]],
    ['an offset beyond the end', [{ blobId: '#src', offset: 11 }]],
    ['a negative offset', [{ blobId: '#src', offset: -1 }]],
    ['a length with a fraction', [{ blobId: '#src', length: 1.5 }]],
    ['a source of two kinds', [{ 'data:asText': 'a', blobId: '#src' }]],
    ['a source of no kind', [{}]],
    ['a source whose kinds are all null', [{ 'data:asText': null, 'data:asBase64': null }]],
    ['a range of a text', [{ 'data:asText': 'a', offset: 0 }]],
    ['a text that is no string', [{ 'data:asText': 1 }]],
    ['an unknown member', [{ 'data:asText': 'a', foo: 1 }]],
    ['an unknown blob', [{ blobId: 'bnope' }]],
    ['an unknown creation id', [{ blobId: '#nope' }]],
    ['an upload of itself', [{ blobId: '#k' }]],
    ['base64 with white space', [base64('aGVs bG8=')]],
    ['base64 without its padding', [base64('aGVsbG8')]],
    ["base64 in the URL's alphabet", [base64('-_-_')]],
    ['base64 with bits in its padding', [base64('aGVsbG9=')]],
    ['data that is null', null],
    ['data that is no array', {}],
    ['data with null in it', [null]],
  ])('%s is refused', async (_, data) => {
    const create = { src: { data: [text('0123456789')] }, k: { data } };
    const { created, notCreated } = await upload(create);
    expect(notCreated.k).toMatchObject({ type: 'invalidProperties', properties: ['data'] });
    expect(Object.keys(created)).toEqual(['src']);
  });

  it.each([[3], [null], [[]]])('%j is no UploadObject', async (value) => {
    expect((await one(value)).type).toBe('invalidProperties');
  });

  it('names everything that is wrong', async () => {
    const error = await one({ data: [{}], type: 'no type', foo: 1 });
    expect(error.properties.toSorted()).toEqual(['data', 'foo', 'type']);
  });

  it('refuses a blob that another user has uploaded, as if it were unknown', async () => {
    const theirs = await rig.upload('theirs', U2);
    const seen = await one({ data: [{ blobId: theirs }] });
    const unknown = await one({ data: [{ blobId: 'bnope' }] });
    expect({ ...seen, description: seen.description.replace(theirs, 'bnope') }).toEqual(unknown);
  });

  it('takes parts of blobs of the same call, whatever their order', async () => {
    const { created, notCreated } = await upload({
      cat: {
        data: [
          text('How'),
          { blobId: '#b4', length: 7, offset: 3 },
          text('was t'),
          { blobId: '#b4', length: 1, offset: 1 },
          base64('YXQ/'),
        ],
      },
      b4: { data: [text('The quick brown fox jumped over the lazy dog.')] },
      x: { data: [{ blobId: '#y' }] },
      y: { data: [{ blobId: '#x' }] },
      z: { data: [{ blobId: '#y' }] },
    });
    expect(Object.keys(created)).toEqual(['cat', 'b4']);
    expect(Object.keys(notCreated)).toEqual(['x', 'y', 'z']);
    expect(await octets(created.cat.id)).toBe('How quick was that?');
  });

  it('takes as many data sources as the session says', async () => {
    const sources = (count: number): object => ({
      data: Array.from({ length: count }, () => text('a')),
    });
    expect(MAX_DATA_SOURCES).toBeGreaterThanOrEqual(64);
    expect(await one(sources(MAX_DATA_SOURCES))).toMatchObject({ size: MAX_DATA_SOURCES });
    expect((await one(sources(MAX_DATA_SOURCES + 1))).type).toBe('tooLarge');
  });

  it('refuses a larger blob than maxSizeUpload by a SetError', async () => {
    const { created, notCreated } = await upload({
      most: { data: [text('x'.repeat(1000))] },
      over: { data: [text('x'.repeat(1001))] },
      joined: { data: [{ blobId: '#most' }, { blobId: '#most', length: 1 }] },
    });
    expect(Object.keys(created)).toEqual(['most']);
    expect([notCreated.over.type, notCreated.joined.type]).toEqual(['tooLarge', 'tooLarge']);
  });

  it('the id can be used by creation id and by result reference', async () => {
    const request = await rig.request(
      [
        ['Blob/upload', { accountId: 'a1', create: { k: { data: [text('abc')] } } }, 'u'],
        ['Widget/set', { accountId: 'a1', create: { w: { title: 'w', blobId: '#k' } } }],
        ['Blob/get', { accountId: 'a1', ids: ['#k'] }],
        ['Core/echo', { '#id': { resultOf: 'u', name: 'Blob/upload', path: '/created/k/blobId' } }],
        ['Core/echo', { '#id': { resultOf: 'u', name: 'Blob/upload', path: '/created/k/id' } }],
      ],
      { createdIds: {} },
    );
    const [[, made], [, set], [, get], ...echoes] = request.methodResponses;
    const { id } = made.created.k;
    expect(request.createdIds).toMatchObject({ k: id });
    expect(set.created.w.blobId).toBe(id);
    expect(get.list[0].id).toBe(id);
    expect(echoes.map((triple: Json) => triple[1])).toEqual([{ id }, { id }]);
  });

  it('refuses more creates than maxObjectsInSet', async () => {
    const create = Object.fromEntries([...'abcdef'].map((key) => [key, { data: [] }]));
    expect((await upload(create)).error).toBe('requestTooLarge');
  });

  it('keeps neither rows nor octets if the answer has no room', async () => {
    const small = new Rig({ maxSizeResponse: 500 });
    const files = small.blobFiles.bind(small);
    await small.upload('one file makes the folder');
    const before = files();
    const create = Object.fromEntries([...'abcdefgh'].map((key) => [key, { data: [text('a')] }]));
    expect((await small.call('Blob/upload', { create })).error).toBe('requestTooLarge');
    expect(files()).toBe(before);
    await small.close();
  });
});

describe('RFC 9404 4.2: Blob/get', () => {
  const BAD = Buffer.from('The quick brown fox jumped over the \x81\x81 dog.', 'latin1');

  async function get(ids: readonly string[], more: object = {}): Promise<Json> {
    return rig.call('Blob/get', { ids, ...more });
  }

  it('answers data and size by default, each blob once, without a state', async () => {
    const id = await rig.upload('hello world');
    expect(await get([id, 'bnope', id, '#x'])).toEqual({
      accountId: 'a1',
      list: [{ id, 'data:asText': 'hello world', size: 11 }],
      notFound: ['#x', 'bnope'],
    });
  });

  it('answers octets that are no UTF-8 as base64, and says so', async () => {
    const id = await rig.upload(BAD);
    const asBase64 = BAD.toString('base64');
    const both = { id, isEncodingProblem: true, size: 43 };
    expect((await get([id])).list).toEqual([{ ...both, 'data:asBase64': asBase64 }]);
    const asText = await get([id], { properties: ['data:asText', 'size'] });
    expect(asText.list).toEqual([{ ...both, 'data:asText': null }]);
    const plain = await get([id], { properties: ['data:asBase64', 'size'] });
    expect(plain.list).toEqual([{ id, 'data:asBase64': asBase64, size: 43 }]);
  });

  it('a range that ends within a character is no UTF-8, a good range is', async () => {
    const bad = await rig.upload(BAD);
    const range = await get([bad], { offset: 0, length: 5 });
    expect(range.list).toEqual([{ id: bad, 'data:asText': 'The q', size: 43 }]);
    const cut = await get([await rig.upload('é')], { length: 1 });
    expect(cut.list[0]).toMatchObject({ isEncodingProblem: true, 'data:asBase64': 'ww==' });
  });

  it('truncates ranges that the blob does not have', async () => {
    const bad = await rig.upload(BAD);
    const hello = await rig.upload('hello world');
    const both = await get([bad, hello], { offset: 20, length: 100 });
    expect(both.list).toEqual([
      {
        id: bad,
        isTruncated: true,
        isEncodingProblem: true,
        'data:asBase64': BAD.subarray(20).toString('base64'),
        size: 43,
      },
      { id: hello, isTruncated: true, 'data:asText': '', size: 11 },
    ]);
    const tail = async (args: object): Promise<Json> => (await get([hello], args)).list[0];
    expect(await tail({ offset: 6 })).toEqual({ id: hello, 'data:asText': 'world', size: 11 });
    expect(await tail({ offset: 11 })).not.toHaveProperty('isTruncated');
    expect(await tail({ offset: 12 })).toMatchObject({ isTruncated: true, 'data:asText': '' });
    expect(await tail({ offset: 6, length: 5 })).not.toHaveProperty('isTruncated');
    expect(await tail({ offset: 6, length: 6 })).toMatchObject({ isTruncated: true });
    expect(await tail({ offset: 0, length: 0 })).toEqual({
      id: hello,
      'data:asText': '',
      size: 11,
    });
  });

  it('answers digests of the range, by every algorithm of the session', async () => {
    const id = await rig.upload('The quick brown fox jumped over the lazy dog.');
    const properties = DIGEST_ALGORITHMS.map((name) => `digest:${name}`);
    const { list } = await get([id], { properties, offset: 4, length: 9 });
    expect(list[0]['digest:sha']).toBe('QiRAPtfyX8K6tm1iOAtZ87Xj3Ww=');
    expect(list[0]['digest:sha-256']).toBe('gdg9INW7lwHK6OQ9u0dwDz2ZY/gubi0En0xlFpKt0OA=');
    expect(Object.keys(list[0]).sort()).toEqual(['id', ...properties].sort());
    const nothing = await get([id], { properties: ['digest:sha-256'], offset: 100 });
    expect(nothing.list[0]['digest:sha-256']).toBe(createHash('sha256').digest('base64'));
  });

  it('refuses null ids, unknown properties and too many ids', async () => {
    expect((await rig.call('Blob/get', { ids: null })).error).toBe('invalidArguments');
    expect((await rig.call('Blob/get')).error).toBe('invalidArguments');
    expect((await get([], { properties: ['digest:md5'] })).error).toBe('invalidArguments');
    expect((await get([], { offset: -1 })).error).toBe('invalidArguments');
    expect((await get([...'abcdef'])).error).toBe('requestTooLarge');
  });

  it('RFC 8620 6.1: an unreferenced blob is for its uploader alone', async () => {
    const id = await rig.upload('mine');
    const other = await rig.call('Blob/get', { ids: [id] }, { user: U2 });
    expect(other).toMatchObject({ list: [], notFound: [id] });
    await rig.create('Widget', [{ title: 'w', blobId: id }]);
    const shared = await rig.call('Blob/get', { ids: [id] }, { user: U2 });
    expect(shared.list).toHaveLength(1);
  });

  it('refuses more octets than a response holds', async () => {
    const small = new Rig({ maxSizeResponse: 3000 });
    const ids = [await small.upload('x'.repeat(2000)), await small.upload('y'.repeat(2000))];
    expect((await small.call('Blob/get', { ids })).error).toBe('requestTooLarge');
    const sizes = await small.call('Blob/get', { ids, properties: ['size'] });
    expect(sizes.list.map((blob: Json) => blob.size)).toEqual([2000, 2000]);
    await small.close();
  });
});

describe('RFC 9404 4.3: Blob/lookup', () => {
  async function lookup(ids: readonly string[], typeNames: readonly string[]): Promise<Json> {
    return rig.call('Blob/lookup', { ids, typeNames });
  }

  it('lists objects per type, none for a blob that is not there', async () => {
    const id = await rig.upload('x');
    const [one_, two] = await rig.create('Widget', [
      { title: 'a', blobId: id },
      { title: 'b', iconId: id },
    ]);
    expect((await lookup([id, 'bnope', id], ['Widget'])).list).toEqual([
      { id, matchedIds: { Widget: [one_, two] } },
      { id: 'bnope', matchedIds: { Widget: [] } },
    ]);
    expect((await lookup([], ['Widget'])).list).toEqual([]);
    expect((await lookup([id], [])).list).toEqual([{ id, matchedIds: {} }]);
  });

  it('refuses types without blobs, unknown ones, and types that `using` lacks', async () => {
    for (const name of ['Todo', 'Nope', '__proto__']) {
      expect((await lookup([], ['Widget', name])).error).toBe('unknownDataType');
    }
    const args = { ids: [], typeNames: ['Widget'] };
    const without = await rig.call('Blob/lookup', args, { using: [BLOB] });
    expect(without.error).toBe('unknownDataType');
  });
});

describe('RFC 8620 6.3: Blob/copy', () => {
  async function copy(blobIds: readonly string[], more: object = {}): Promise<Json> {
    return rig.call('Blob/copy', { fromAccountId: 'a1', accountId: 'a2', blobIds, ...more });
  }

  it('copies each blob once under a new id; a map without members is null', async () => {
    const id = await rig.upload('abc');
    const { copied, notCopied } = await copy([id, id]);
    expect(notCopied).toBeNull();
    expect(copied[id]).not.toBe(id);
    const read = await rig.call('Blob/get', { accountId: 'a2', ids: [copied[id]] });
    expect(read.list).toMatchObject([{ 'data:asText': 'abc' }]);
    expect(await copy(['bnope', '#x'])).toMatchObject({
      copied: null,
      notCopied: { bnope: { type: 'notFound' }, '#x': { type: 'notFound' } },
    });
    expect(await copy([])).toMatchObject({ copied: null, notCopied: null });
  });

  it('a blob that the user can not see is not found', async () => {
    const theirs = await rig.upload('abc', U2);
    expect((await copy([theirs])).notCopied[theirs].type).toBe('notFound');
  });

  it.each([
    ['refuses an unknown source account', { fromAccountId: 'zz' }, 'fromAccountNotFound'],
    ['refuses an unknown target account', { accountId: 'zz' }, 'accountNotFound'],
    ['refuses a read-only target account', { accountId: 'ar' }, 'accountReadOnly'],
    [
      'refuses a source account without blobs',
      { fromAccountId: 'an' },
      'accountNotSupportedByMethod',
    ],
    ['refuses a target account without blobs', { accountId: 'an' }, 'accountNotSupportedByMethod'],
    ['refuses to copy within one account', { accountId: 'a1' }, 'invalidArguments'],
  ])('%s', async (_, more, error) => {
    expect((await copy([], more)).error).toBe(error);
  });
});
