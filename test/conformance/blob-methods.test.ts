import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { CORE, NOTES } from '../support/client.js';
import { at, entry, err, serverId, setError } from '../support/expected.js';
import { useFixtures } from '../support/fixtures.js';
import type { Json, JsonMap } from '../support/json.js';

const { fixtures } = useFixtures({}, ['AR', 'AN', 'AX', 'u2']);

const upload = async (
  create: JsonMap,
): Promise<{ created: JsonMap | null; notCreated: JsonMap | null }> => {
  const {
    accountId,
    created = null,
    notCreated = null,
  } = await fixtures().u1.ok('Blob/upload', {
    accountId: fixtures().A1,
    create,
  });
  expect(accountId).toBe(fixtures().A1);
  return { created, notCreated } as { created: JsonMap | null; notCreated: JsonMap | null };
};
const make = async (...data: JsonMap[]): Promise<string> => {
  const { created } = await upload({ k: { data } });
  return String((entry(created, 'k') as JsonMap)['id']);
};
const text = (value: string): JsonMap => ({ 'data:asText': value });
const base64 = (value: string): JsonMap => ({ 'data:asBase64': value });
const get = async (args: object): Promise<JsonMap> =>
  fixtures().u1.ok('Blob/get', { accountId: fixtures().A1, ...args });
/** Returns the list of Blob/get, without members that have their default. */
const list = async (args: object): Promise<JsonMap[]> =>
  ((await get(args))['list'] as JsonMap[]).map((item) =>
    Object.fromEntries(
      Object.entries(item).filter(
        ([name, value]) =>
          !(value === false && (name === 'isTruncated' || name === 'isEncodingProblem')),
      ),
    ),
  );
const contentOf = async (id: string): Promise<Json> =>
  at(await list({ ids: [id], properties: ['data:asBase64'] }), 0)['data:asBase64'] ?? null;
const digest = (algorithm: string, value: string | Buffer): string =>
  createHash(algorithm).update(value).digest('base64');

const FOX = 'The quick brown fox jumped over the lazy dog.';
const BROKEN = 'VGhlIHF1aWNrIGJyb3duIGZveCBqdW1wZWQgb3ZlciB0aGUggYEgZG9nLg==';

describe('RFC 9404 4.1: Blob/upload', () => {
  it('created has id, blobId, type and size', async () => {
    const { created, notCreated } = await upload({
      k: { data: [text('abc')], type: 'text/plain' },
    });
    const made = entry(created, 'k') as JsonMap;
    expect(made).toEqual(
      expect.objectContaining({ id: serverId, blobId: made['id'], type: 'text/plain', size: 3 }),
    );
    expect(notCreated).toBeNull();
  });

  it('blobs have no state', async () => {
    const { A1, u1 } = fixtures();
    const answer = await u1.ok('Blob/upload', { accountId: A1, create: { k: { data: [] } } });
    expect([answer['oldState'] ?? null, answer['newState'] ?? null]).toEqual([null, null]);
  });

  it('no source makes an empty blob, several are joined in order', async () => {
    const empty = await upload({ k: { data: [] } });
    expect(entry(empty.created, 'k')).toEqual(expect.objectContaining({ size: 0 }));
    const id = await make(text('a€'), base64('/w=='), text(''), text('b'));
    expect(await contentOf(id)).toBe(
      Buffer.from([0x61, 0xe2, 0x82, 0xac, 0xff, 0x62]).toString('base64'),
    );
  });

  it('answers the complex example: ranges of blobs and a get, by creation ids', async () => {
    const { A1, u1 } = fixtures();
    const { methodResponses, createdIds } = await u1.api(
      [
        ['Blob/upload', { accountId: A1, create: { b4: { data: [text(FOX)] } } }, 'S4'],
        [
          'Blob/upload',
          {
            accountId: A1,
            create: {
              cat: {
                data: [
                  text('How'),
                  { blobId: '#b4', length: 7, offset: 3 },
                  text('was t'),
                  { blobId: '#b4', length: 1, offset: 1 },
                  base64('YXQ/'),
                ],
              },
            },
          },
          'CAT',
        ],
        ['Blob/get', { accountId: A1, properties: ['data:asText', 'size'], ids: ['#cat'] }, 'G4'],
      ],
      { createdIds: {} },
    );
    const got = at(methodResponses, 2)[1];
    expect(got['list']).toEqual([
      expect.objectContaining({ 'data:asText': 'How quick was that?', size: 19 }),
    ]);
    expect(got['notFound']).toEqual([]);
    expect(Object.keys(createdIds ?? {}).sort()).toEqual(['b4', 'cat']);
  });

  it('a range that is not there is notCreated', async () => {
    const blobId = await make(text('0123456789'));
    const wrong: readonly JsonMap[] = [
      { blobId, offset: 11 },
      { blobId, offset: 5, length: 6 },
      { blobId, length: 11 },
      { blobId, offset: -1 },
      { blobId, length: -1 },
      { blobId, offset: 0.5 },
      { blobId, length: 1.5 },
      { blobId, offset: '1' },
    ];
    const create = Object.fromEntries(
      wrong.map((source, index) => [`k${index}`, { data: [source] }]),
    );
    const { created, notCreated } = await upload(create);
    expect(created).toBeNull();
    expect(Object.keys(notCreated ?? {}).sort()).toEqual(Object.keys(create).sort());
    for (const [source, content] of [
      [{ blobId, offset: 10 }, ''],
      [{ blobId, offset: 10, length: 0 }, ''],
      [{ blobId, offset: 4 }, '456789'],
      [{ blobId, offset: null, length: null }, '0123456789'],
      [{ blobId, offset: 2, length: 3 }, '234'],
    ] as const) {
      expect(await contentOf(await make({ ...source }))).toBe(
        Buffer.from(content).toString('base64'),
      );
    }
  });

  it('a source has exactly one of its forms', async () => {
    const blobId = await make(text('x'));
    const wrong: Readonly<Record<string, Json>> = {
      none: [{}],
      two: [{ ...text('a'), ...base64('YQ==') }],
      mixed: [{ ...text('a'), blobId }],
      number: [5],
      nothing: [null],
      noText: [{ 'data:asText': 5 }],
      unknown: [{ ...text('a'), more: 1 }],
      noArray: 'x',
      missing: null,
    };
    const create = Object.fromEntries(Object.entries(wrong).map(([key, data]) => [key, { data }]));
    const { created, notCreated } = await upload({ ...create, no: null, list: [], text: 'x' });
    expect(created).toBeNull();
    expect(Object.keys(notCreated ?? {}).sort()).toEqual(
      [...Object.keys(wrong), 'no', 'list', 'text'].sort(),
    );
  });

  it('base64 with invalid characters or length is notCreated', async () => {
    const wrong = ['YQ=', 'Y', '!!!!', 'YQ==YQ==', 'YW Jj', 'YWJj\n', 'YQ', '-_-_'];
    const create = Object.fromEntries(
      wrong.map((value, index) => [`k${index}`, { data: [base64(value)] }]),
    );
    const { created, notCreated } = await upload(create);
    expect(Object.keys(created ?? {})).toEqual([]);
    expect(Object.keys(notCreated ?? {})).toHaveLength(wrong.length);
  });

  it('an unreadable blob is answered as an unknown one', async () => {
    const { AX, u2 } = fixtures();
    const { blobId } = await u2.upload(AX, 'theirs', 'text/plain');
    const { created, notCreated } = await upload({
      a: { data: [{ blobId }] },
      b: { data: [{ blobId: 'x1' }] },
      c: { data: [{ blobId: '#nope' }] },
    });
    expect(created).toBeNull();
    const textWithoutIds = (key: string) =>
      JSON.stringify(entry(notCreated, key)).replaceAll(blobId, '-').replaceAll('x1', '-');
    expect(textWithoutIds('a')).toBe(textWithoutIds('b'));
    expect(Object.keys(notCreated ?? {}).sort()).toEqual(['a', 'b', 'c']);
  });

  it('finds a blob of the same call by its creation id, unless they form a circle', async () => {
    const { created, notCreated } = await upload({
      a: { data: [{ blobId: '#b' }, text('!')] },
      b: { data: [text('b')] },
    });
    expect(entry(created, 'b')).toEqual(expect.objectContaining({ size: 1 }));
    if (notCreated === null)
      expect(entry(created, 'a')).toEqual(expect.objectContaining({ size: 2 }));
    else expect(Object.keys(notCreated)).toEqual(['a']);
  });

  it('RFC 9404 4.1: a blob has the given type, which must be a media type', async () => {
    const data = [text('x')];
    const { created, notCreated } = await upload({
      none: { data },
      null: { data, type: null },
      given: { data, type: 'image/x-y' },
      bad: { data, type: 'no media type' },
      number: { data, type: 5 },
    });
    const typed = (key: string) => (entry(created, key) as JsonMap)['type'];
    expect(typed('given')).toBe('image/x-y');
    for (const key of ['none', 'null']) {
      expect(typed(key) === null || typeof typed(key) === 'string').toBe(true);
    }
    expect(notCreated).toEqual({
      bad: setError('invalidProperties', ['type']),
      number: setError('invalidProperties', ['type']),
    });
  });

  it('takes as many sources as advertised, and no more', async () => {
    const { A1, u1 } = fixtures();
    const { accounts } = await u1.session();
    const account = (accounts as JsonMap)[A1] as JsonMap;
    const blob = (account['accountCapabilities'] as JsonMap)[
      'urn:ietf:params:jmap:blob'
    ] as JsonMap;
    const most = Number(blob['maxDataSources']);
    const sources = (length: number) => Array.from({ length }, () => text('x'));
    const { created, notCreated } = await upload({
      most: { data: sources(most) },
      more: { data: sources(most + 1) },
    });
    expect(entry(created, 'most')).toEqual(expect.objectContaining({ size: most }));
    expect(['tooLarge', 'invalidProperties']).toContain(
      (entry(notCreated, 'more') as JsonMap)['type'],
    );
  });

  it('/created/k/id and /created/k/blobId resolve', async () => {
    const { A1, u1 } = fixtures();
    for (const path of ['/created/k/id', '/created/k/blobId']) {
      const { methodResponses } = await u1.api([
        ['Blob/upload', { accountId: A1, create: { k: { data: [text('x')] } } }, 'u'],
        ['Core/echo', { '#id': { resultOf: 'u', name: 'Blob/upload', path } }, 'e'],
      ]);
      expect(at(methodResponses, 1)).toEqual(['Core/echo', { id: serverId }, 'e']);
    }
  });

  it('refuses accounts that do not fit, and missing arguments', async () => {
    const { AX, AR, AN, A1, u1 } = fixtures();
    const create = { k: { data: [] } };
    const call = (args: object) => u1.call('Blob/upload', args);
    expect(await call({ accountId: AX, create })).toEqual(err('accountNotFound'));
    expect(await call({ accountId: AR, create })).toEqual(err('accountReadOnly'));
    expect(await call({ accountId: AN, create })).toEqual(err('accountNotSupportedByMethod'));
    expect(await call({ create })).toEqual(err('invalidArguments', 'accountId'));
    expect(await call({ accountId: A1 })).toEqual(err('invalidArguments', 'create'));
    expect(await call({ accountId: A1, create, update: {} })).toEqual(
      err('invalidArguments', 'update'),
    );
  });

  it('a blob made by a method is downloaded like any other', async () => {
    const { A1, u1 } = fixtures();
    const { created } = await upload({ k: { data: [text('straße')], type: 'text/x-made' } });
    const id = String((entry(created, 'k') as JsonMap)['blobId']);
    const answer = await u1.http(`/jmap/download/${A1}/${id}/x`);
    expect([answer.text, answer.headers.get('content-type')]).toEqual(['straße', 'text/x-made']);
  });
});

describe('RFC 9404 4.2: Blob/get', () => {
  it('answers data and size by default', async () => {
    const { A1 } = fixtures();
    const id = await make(text(FOX));
    expect(await list({ ids: [id] })).toEqual([{ id, 'data:asText': FOX, size: 45 }]);
    const { list: _, ...rest } = await get({ ids: [id, 'not-a-blob'] });
    expect(rest).toEqual({ accountId: A1, notFound: ['not-a-blob'] });
  });

  it('answers the simple example: text, digests, ranges', async () => {
    const id = await make(text(FOX));
    expect(await list({ ids: [id], properties: ['data:asText', 'digest:sha', 'size'] })).toEqual([
      { id, 'data:asText': FOX, 'digest:sha': 'wIVPufsDxBzOOALLDSIFKebu+U4=', size: 45 },
    ]);
    expect(
      await list({
        ids: [id],
        properties: ['data:asText', 'digest:sha', 'digest:sha-256', 'size'],
        offset: 4,
        length: 9,
      }),
    ).toEqual([
      {
        id,
        'data:asText': 'quick bro',
        'digest:sha': 'QiRAPtfyX8K6tm1iOAtZ87Xj3Ww=',
        'digest:sha-256': 'gdg9INW7lwHK6OQ9u0dwDz2ZY/gubi0En0xlFpKt0OA=',
        size: 45,
      },
    ]);
  });

  it('answers the example with range and encoding errors', async () => {
    const b1 = await make(base64(BROKEN));
    const b2 = await make(text('hello world'));
    const ids = [b1, b2];
    const both = async (args: object) => {
      const items = await list({ ids, ...args });
      return [b1, b2].map((id) => items.find((item) => item['id'] === id));
    };
    // Where base64 is given for unreadable text, data:asText is null and may be left out.
    const withoutNull = (items: (JsonMap | undefined)[]) =>
      items.map((item) =>
        Object.fromEntries(Object.entries(item ?? {}).filter(([, value]) => value !== null)),
      );
    expect(withoutNull(await both({}))).toEqual([
      { id: b1, isEncodingProblem: true, 'data:asBase64': BROKEN, size: 43 },
      { id: b2, 'data:asText': 'hello world', size: 11 },
    ]);
    expect(await both({ properties: ['data:asText', 'size'] })).toEqual([
      { id: b1, 'data:asText': null, isEncodingProblem: true, size: 43 },
      { id: b2, 'data:asText': 'hello world', size: 11 },
    ]);
    expect(await both({ properties: ['data:asBase64', 'size'] })).toEqual([
      { id: b1, 'data:asBase64': BROKEN, size: 43 },
      { id: b2, 'data:asBase64': 'aGVsbG8gd29ybGQ=', size: 11 },
    ]);
    expect(await both({ offset: 0, length: 5 })).toEqual([
      { id: b1, 'data:asText': 'The q', size: 43 },
      { id: b2, 'data:asText': 'hello', size: 11 },
    ]);
    expect(withoutNull(await both({ offset: 20, length: 100 }))).toEqual([
      {
        id: b1,
        isTruncated: true,
        isEncodingProblem: true,
        'data:asBase64': 'anVtcGVkIG92ZXIgdGhlIIGBIGRvZy4=',
        size: 43,
      },
      { id: b2, isTruncated: true, 'data:asText': '', size: 11 },
    ]);
  });

  it('RFC 9404 4.2: a range that cuts a character in two is an encoding problem', async () => {
    const id = await make(text('a€b'));
    expect(await list({ ids: [id], properties: ['data:asText'], offset: 0, length: 2 })).toEqual([
      { id, 'data:asText': null, isEncodingProblem: true },
    ]);
    expect(await list({ ids: [id], properties: ['data:asText'], offset: 1, length: 3 })).toEqual([
      { id, 'data:asText': '€' },
    ]);
  });

  it('isTruncated is true if the offset lies beyond the end', async () => {
    const id = await make(text('0123456789'));
    const at4 = { ids: [id], properties: ['data:asText'] };
    expect(await list({ ...at4, offset: 4 })).toEqual([{ id, 'data:asText': '456789' }]);
    expect(await list({ ...at4, offset: 10 })).toEqual([{ id, 'data:asText': '' }]);
    expect(await list({ ...at4, offset: 11 })).toEqual([
      { id, 'data:asText': '', isTruncated: true },
    ]);
    expect(await list({ ...at4, offset: 4, length: 6 })).toEqual([{ id, 'data:asText': '456789' }]);
    expect(await list({ ...at4, offset: 4, length: 7 })).toEqual([
      { id, 'data:asText': '456789', isTruncated: true },
    ]);
    expect(await list({ ...at4, length: 0 })).toEqual([{ id, 'data:asText': '' }]);
  });

  it('digests are of the range', async () => {
    const id = await make(text('0123456789'));
    const properties = ['digest:sha', 'digest:sha-256'];
    const expected = (value: string) => [
      { id, 'digest:sha': digest('sha1', value), 'digest:sha-256': digest('sha256', value) },
    ];
    expect(await list({ ids: [id], properties })).toEqual(expected('0123456789'));
    expect(await list({ ids: [id], properties, length: 0 })).toEqual(expected(''));
    expect(await list({ ids: [id], properties, offset: 2, length: 3 })).toEqual(expected('234'));
  });

  it('answers each blob once', async () => {
    const id = await make(text('x'));
    const answer = await get({ ids: [id, id, 'x1', 'x1'], properties: ['size'] });
    expect(answer['list']).toEqual([{ id, size: 1 }]);
    expect(answer['notFound']).toEqual(['x1']);
  });

  it('RFC 9404 4.2: without properties it answers the id; an unknown one is refused', async () => {
    const { A1, u1 } = fixtures();
    const id = await make(text('x'));
    expect(await list({ ids: [id], properties: [] })).toEqual([{ id }]);
    for (const property of ['nope', 'digest:md0', 'digest:', 'Size', '__proto__']) {
      expect(
        await u1.call('Blob/get', { accountId: A1, ids: [id], properties: [property] }),
      ).toEqual(err('invalidArguments', property));
    }
  });

  it('refuses to list all blobs', async () => {
    const { A1, u1 } = fixtures();
    for (const args of [{ ids: null }, {}]) {
      const [name, answer] = await u1.call('Blob/get', { accountId: A1, ...args });
      expect(name).toBe('error');
      expect(['invalidArguments', 'requestTooLarge']).toContain(answer['type']);
    }
  });

  it('wrong arguments', async () => {
    const { A1, AX, AN, u1 } = fixtures();
    const call = (args: object) => u1.call('Blob/get', { accountId: A1, ids: [], ...args });
    for (const wrong of [
      { offset: -1 },
      { offset: 0.5 },
      { length: '1' },
      { ids: 'x' },
      { foo: 1 },
    ]) {
      expect(await call(wrong)).toEqual(err('invalidArguments', at(Object.keys(wrong), 0)));
    }
    expect(await call({ accountId: AX })).toEqual(err('accountNotFound'));
    expect(await call({ accountId: AN })).toEqual(err('accountNotSupportedByMethod'));
    const ids = Array.from({ length: 1001 }, (_, index) => `x${index}`);
    expect(await call({ ids })).toEqual(err('requestTooLarge'));
  });
});

describe('RFC 9404 4.3: Blob/lookup', () => {
  it('answers empty lists without ids or types', async () => {
    const { A1, u1 } = fixtures();
    const { notFound = [], ...answer } = await u1.ok('Blob/lookup', {
      accountId: A1,
      typeNames: [],
      ids: [],
    });
    expect(answer).toEqual({ accountId: A1, list: [] });
    expect(notFound).toEqual([]);
    const id = await make(text('x'));
    const some = await u1.ok('Blob/lookup', { accountId: A1, typeNames: [], ids: [id] });
    expect(some['list']).toEqual([{ id, matchedIds: {} }]);
  });

  it('RFC 9404 4.3: an unknown type name is unknownDataType', async () => {
    const { A1, u1 } = fixtures();
    for (const typeName of ['Nope', '', '__proto__', 'todo']) {
      expect(
        await u1.with([CORE, NOTES, 'urn:ietf:params:jmap:blob']).call('Blob/lookup', {
          accountId: A1,
          typeNames: [typeName],
          ids: [],
        }),
      ).toEqual(err('unknownDataType'));
    }
  });

  it('wrong arguments', async () => {
    const { A1, AX, u1 } = fixtures();
    const call = (args: object) => u1.call('Blob/lookup', args);
    expect(await call({ accountId: A1, ids: [] })).toEqual(err('invalidArguments', 'typeNames'));
    expect(await call({ accountId: A1, typeNames: [] })).toEqual(err('invalidArguments', 'ids'));
    expect(await call({ accountId: AX, typeNames: [], ids: [] })).toEqual(err('accountNotFound'));
  });
});
