import type { Call } from '../model.js';
import { type Client, requestOf } from './client.js';
import { USING } from './project.js';

/** A request that is as large, or asks for as much, as the server lets it. */
export interface WaitKind {
  readonly name: string;
  /** Stores what the request is about; resolves to what sends it. */
  prepare(client: Client): Promise<() => Promise<unknown>>;
}

/** Octets: what is around it fits into maxSizeRequest (10 MB) as well. */
const LARGE = 9_900_000;
const ALPHABET = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789 .';

/** Text that has as many different trigrams as it can: what takes longest to index. */
function randomText(length: number): string {
  const octets = Buffer.alloc(length);
  let seed = length;
  for (let at = 0; at < length; at += 1) {
    seed = (Math.imul(seed, 1_103_515_245) + 12_345) & 0x7fff_ffff;
    octets[at] = ALPHABET.charCodeAt((seed >>> 16) % ALPHABET.length);
  }
  return octets.toString('latin1');
}

function times<T>(count: number, value: (index: number) => T): readonly T[] {
  return Array.from({ length: count }, (_, index) => value(index));
}

function members<T>(count: number, value: (index: number) => T, prefix = 'k'): Record<string, T> {
  return Object.fromEntries(times(count, (index) => [`${prefix}${index}`, value(index)]));
}

/** Calls that need nothing to be there. */
function sendCalls(name: string, calls: (client: Client) => readonly Call[]): WaitKind {
  return body(name, (client) => requestOf(...calls(client)));
}

function body(name: string, text: (client: Client) => string): WaitKind {
  return {
    name,
    async prepare(client) {
      const octets = Buffer.from(text(client));
      return () => client.send(octets);
    },
  };
}

/** A /set of one type. */
function set(name: string, type: string, args: () => object): WaitKind {
  return sendCalls(name, ({ accountId }) => [[`${type}/set`, { accountId, ...args() }, '0']]);
}

/** A /set about objects that are there. */
function change(
  name: string,
  type: string,
  objects: () => readonly object[],
  args: (ids: readonly string[]) => object,
): WaitKind {
  return {
    name,
    async prepare(client) {
      const ids = await client.create(type, objects());
      const { accountId } = client;
      const request = requestOf([`${type}/set`, { accountId, ...args(ids) }, '0']);
      return () => client.send(request);
    },
  };
}

function create(count: number, object: (index: number) => object): () => object {
  return () => ({ create: members(count, object) });
}

function update(patch: (index: number) => object): (ids: readonly string[]) => object {
  return (ids) => ({ update: Object.fromEntries(ids.map((id, index) => [id, patch(index)])) });
}

/** `size` characters each, all different. */
const pages = (count: number, size: number) => () =>
  times(count, (index) => ({ body: randomText(size - 10) + index }));

const LIGATURE = '\ufdfa';
const item = { a: [1, 2, 3], b: 'text', c: true, d: { e: null } };
const smallValues = (): readonly object[] =>
  times(LARGE / (JSON.stringify(item).length + 1), () => item);
/** Maps of nearly as many members as an object may have. */
const manyMaps = (): object => ({ meta: members(8, () => members(90_000, () => 0), 'm') });
/** An id that is none. */
const unknownId = (index: number): string => `r${String(index).padStart(20, '0')}`;

const CREATES: readonly WaitKind[] = [
  set('create 1 of 9.9 MB, indexed', 'Page', () => ({ create: { k: pages(1, LARGE)()[0] } })),
  set(
    'create 100 of 99 kB, indexed',
    'Page',
    create(100, () => ({ body: randomText(98_900) })),
  ),
  set(
    'create 1,000 of 9.9 kB, indexed',
    'Page',
    create(1000, () => ({ body: randomText(9850) })),
  ),
  set(
    'create 90 of 4 kB, indexed',
    'Page',
    create(90, () => ({ body: randomText(4000) })),
  ),
  set(
    'create 1 of 9.9 MB, folded',
    'Sheet',
    create(1, () => ({ text: randomText(LARGE) })),
  ),
  set(
    'create 100 of 99 kB, folded',
    'Sheet',
    create(100, () => ({ text: randomText(98_900) })),
  ),
  set(
    'create with 3.3 million U+FDFA',
    'Sheet',
    create(1, () => ({ text: LIGATURE.repeat(3_300_000) })),
  ),
  set(
    'create with 4.9 million combining marks',
    'Sheet',
    create(1, () => ({ text: 'a\u0301\u0316'.repeat(1_950_000) })),
  ),
  set(
    'create with one run of 4.9 million marks',
    'Sheet',
    create(1, () => ({ text: `a${'\u0316\u0301'.repeat(2_450_000)}` })),
  ),
  set(
    'create with 3.3 million Hangul',
    'Sheet',
    create(1, () => ({ text: '\u1100\u1161\u11a8'.repeat(1_100_000) })),
  ),
  set('create with 700,000 unknown members', 'Bag', () => ({
    create: { k: members(700_000, () => 0) },
  })),
  set(
    'create 1,000 with 700 unknown members',
    'Bag',
    create(1000, () => members(700, () => 0)),
  ),
  set('create with members in snake case', 'Bag', () => ({
    create: { k: members(500_000, () => 0, 'a_b') },
  })),
  set('create with 10 MB of small values', 'Bag', () => ({
    create: { k: { meta: { list: smallValues() } } },
  })),
  set(
    'create with 100,000 integers, 9 times',
    'Bag',
    create(9, () => ({ list: times(100_000, (n) => n) })),
  ),
  set(
    'create with 700,000 texts for integers',
    'Bag',
    create(7, () => ({ list: times(100_000, () => '') })),
  ),
  set(
    'create with 100,000 tags, 5 times',
    'Bag',
    create(5, () => ({ tags: members(100_000, () => true) })),
  ),
  set(
    'create with 100,000 tags that are wrong, 5 times',
    'Bag',
    create(5, () => ({ tags: members(100_000, () => 1) })),
  ),
  set(
    'create with 100,000 unknown references, 3 times',
    'Bag',
    create(3, () => ({ links: Object.fromEntries(times(100_000, (n) => [unknownId(n), true])) })),
  ),
  set('create with 8 maps of 90,000 members', 'Bag', () => ({ create: { k: manyMaps() } })),
  set('create with 800,000 members in a map', 'Bag', () => ({
    create: { k: { meta: members(800_000, () => 0) } },
  })),
  set(
    'create with a nesting of 2,400, 2,000 times',
    'Bag',
    create(999, () => ({ meta: { a: JSON.parse('['.repeat(2400) + ']'.repeat(2400)) } })),
  ),
  set(
    'create 1,000 with unique values',
    'Bag',
    create(1000, (n) => ({ code: `${'x'.repeat(480)}${n}` })),
  ),
  set(
    'create 300,000',
    'Bag',
    create(300_000, () => ({})),
  ),
  set(
    'create 1 of 9.9 MB for a pattern',
    'Word',
    create(1, () => ({ word: 'ab'.repeat(LARGE / 2) })),
  ),
  set(
    'create 150 of 65 kB for a pattern',
    'Word',
    create(150, () => ({ word: `${'ab'.repeat(32_767)}d` })),
  ),
];

const CHANGES: readonly WaitKind[] = [
  change(
    'update 1 of 9.9 MB, indexed',
    'Page',
    pages(1, 1000),
    update(() => ({ body: randomText(LARGE) })),
  ),
  change(
    'update 100 of 99 kB, indexed',
    'Page',
    pages(100, 98_000),
    update((n) => ({ body: randomText(98_000) + n })),
  ),
  change(
    'update a flag of 1 of 9.9 MB',
    'Page',
    pages(1, LARGE),
    update(() => ({ done: true })),
  ),
  change(
    'update a flag of 100 of 99 kB',
    'Page',
    pages(100, 98_000),
    update(() => ({ done: true })),
  ),
  change(
    'update a flag of 9 of 9.9 MB',
    'Page',
    pages(9, LARGE),
    update(() => ({ done: true })),
  ),
  change('destroy 1 of 9.9 MB, indexed', 'Page', pages(1, LARGE), (destroy) => ({ destroy })),
  change('destroy 9 of 9.9 MB, indexed', 'Page', pages(9, LARGE), (destroy) => ({ destroy })),
  change('destroy 1,000 of 9.9 kB, indexed', 'Page', pages(1000, 9850), (destroy) => ({ destroy })),
  change(
    'update with 500,000 unknown members',
    'Bag',
    () => [{}],
    update(() => members(500_000, () => 0)),
  ),
  change(
    'update with 100,000 pointers',
    'Bag',
    () => [{ meta: members(100_000, () => 0) }],
    update(() => members(100_000, () => 1, 'meta/k')),
  ),
  change(
    'update with 400,000 pointers',
    'Bag',
    () => [{}],
    update(() => members(400_000, () => 1, 'meta/k')),
  ),
  change(
    'update with 400,000 pointers into nothing',
    'Bag',
    () => [{}],
    update(() => members(400_000, () => 1, 'meta/no/k')),
  ),
  change(
    'update with 300,000 pointers to unknown references',
    'Bag',
    () => [{}],
    update(() => Object.fromEntries(times(300_000, (n) => [`links/${unknownId(n)}`, true]))),
  ),
  change(
    'update 100,000 tags, 5 times',
    'Bag',
    () => times(5, () => ({ tags: members(100_000, () => true) })),
    update(() => ({ tags: members(100_000, () => true, 'l') })),
  ),
  change(
    'update with 10 MB of small values',
    'Bag',
    () => [{}],
    update(() => ({ meta: { list: smallValues() } })),
  ),
  change(
    'update that changes none of 10 MB of small values',
    'Bag',
    () => [{ meta: { list: smallValues() } }],
    update(() => ({ meta: { list: smallValues() } })),
  ),
  change(
    'update 1 member of 720,000',
    'Bag',
    () => [manyMaps()],
    update(() => ({ 'meta/m4/k5': 1 })),
  ),
];

const SIZES = [1000, 9_900_000] as const;

const READS: readonly WaitKind[] = [
  {
    name: 'get 9 of 9.9 MB',
    async prepare(client) {
      const ids = await client.create('Page', pages(9, LARGE)());
      return () => client.send(requestOf(['Page/get', { accountId: client.accountId, ids }, '0']));
    },
  },
  {
    name: 'get 1,000 of 90 kB',
    async prepare(client) {
      const ids = await client.create(
        'Sheet',
        times(1000, () => ({ text: 'x'.repeat(90_000) })),
      );
      return () => client.send(requestOf(['Sheet/get', { accountId: client.accountId, ids }, '0']));
    },
  },
  {
    name: 'get 9 with 10 MB of small values',
    async prepare(client) {
      const objects = times(9, () => ({ meta: { list: smallValues() } }));
      const ids = await client.create('Bag', objects);
      return () => client.send(requestOf(['Bag/get', { accountId: client.accountId, ids }, '0']));
    },
  },
  sendCalls('get of 400,000 ids', ({ accountId }) => [
    ['Bag/get', { accountId, ids: times(400_000, unknownId) }, '0'],
  ]),
  sendCalls('get of 900,000 properties', ({ accountId }) => [
    ['Bag/get', { accountId, ids: [], properties: times(900_000, (n) => `p${n}`) }, '0'],
  ]),
  set('destroy of 400,000 ids', 'Bag', () => ({ destroy: times(400_000, unknownId) })),
  ...SIZES.flatMap((size): readonly WaitKind[] => [
    sendCalls(`query, a needle of ${size}, indexed`, ({ accountId }) => [
      ['Page/query', { accountId, filter: { body: randomText(size) } }, '0'],
    ]),
    sendCalls(`query, words of ${size}, indexed`, ({ accountId }) => [
      ['Page/query', { accountId, filter: { words: randomText(size) } }, '0'],
    ]),
    sendCalls(`query, a needle of ${size}, folded`, ({ accountId }) => [
      ['Sheet/query', { accountId, filter: { text: randomText(size) } }, '0'],
    ]),
  ]),
  sendCalls('query, a needle of 3.3 million U+FDFA', ({ accountId }) => [
    ['Sheet/query', { accountId, filter: { start: LIGATURE.repeat(3_300_000) } }, '0'],
  ]),
  sendCalls('query, a needle of marks', ({ accountId }) => [
    ['Sheet/query', { accountId, filter: { text: 'a\u0301\u0316'.repeat(1_950_000) } }, '0'],
  ]),
  sendCalls('query, a scan of long texts', ({ accountId }) => [
    [
      'Sheet/query',
      {
        accountId,
        filter: { text: 'not there' },
        sort: [{ property: 'text' }],
        calculateTotal: true,
      },
      '0',
    ],
  ]),
  sendCalls('query, a list of 800,000 values', ({ accountId }) => [
    ['Sheet/query', { accountId, filter: { title: times(800_000, (n) => `t${n}`) } }, '0'],
  ]),
  ...(['AND', 'OR', 'NOT'] as const).flatMap((operator): readonly WaitKind[] => [
    sendCalls(`query, ${operator} of 300,000 conditions`, ({ accountId }) => [
      [
        'Page/query',
        {
          accountId,
          filter: { operator, conditions: times(300_000, (n) => ({ body: `needle ${n}` })) },
        },
        '0',
      ],
    ]),
    body(`query, ${operator} nested 1,200 deep`, ({ accountId }) => {
      const open = `{"operator":"${operator}","conditions":[`.repeat(1200);
      const filter = `${open}{"done":true}${']}'.repeat(1200)}`;
      const call = `["Page/query",{"accountId":"${accountId}","filter":${filter}},"0"]`;
      return `{"using":${JSON.stringify(USING)},"methodCalls":[${call}]}`;
    }),
  ]),
  sendCalls('query, 400,000 comparators', ({ accountId }) => [
    ['Sheet/query', { accountId, sort: times(400_000, () => ({ property: 'title' })) }, '0'],
  ]),
  sendCalls('query, 200,000 unknown comparators', ({ accountId }) => [
    ['Sheet/query', { accountId, sort: times(200_000, (n) => ({ property: `title${n}` })) }, '0'],
  ]),
  {
    name: 'queryChanges of 10,000',
    async prepare(client) {
      const { accountId } = client;
      const { queryState } = await client.call('Sheet/query', { accountId });
      await client.create(
        'Sheet',
        times(10_000, (n) => ({ title: `title ${n}` })),
      );
      return () =>
        client.send(
          requestOf(['Sheet/queryChanges', { accountId, sinceQueryState: queryState }, '0']),
        );
    },
  },
  {
    name: 'changes of 10,000',
    async prepare(client) {
      const { accountId } = client;
      return () => client.send(requestOf(['Sheet/changes', { accountId, sinceState: '0' }, '0']));
    },
  },
];

const copy = (name: string, type: string, objects: () => readonly object[]): WaitKind => ({
  name,
  async prepare(client) {
    const { accountId, fromAccountId } = client;
    const ids = await client.create(type, objects(), fromAccountId);
    const create = Object.fromEntries(ids.map((id, n) => [`k${n}`, { id }]));
    return () =>
      client.send(requestOf([`${type}/copy`, { accountId, fromAccountId, create }, '0']));
  },
});

const references = (path: string, count: number): WaitKind =>
  sendCalls(`${count} result references ${path} of 300 kB`, () => [
    ['Core/echo', { list: times(20_000, (n) => ({ id: `id${n}`, tags: [n] })) }, '0'],
    ...times(
      31,
      (n): Call => [
        'Core/echo',
        members(count / 31, () => ({ resultOf: '0', name: 'Core/echo', path }), '#'),
        `r${n}`,
      ],
    ),
  ]);

const OTHERS: readonly WaitKind[] = [
  copy('copy 1 of 9.9 MB, indexed', 'Page', pages(1, LARGE)),
  copy('copy 100 of 98 kB, indexed', 'Page', pages(100, 98_000)),
  copy('copy 1 with 10 MB of small values', 'Bag', () => [{ meta: { list: smallValues() } }]),
  copy('copy 1 with 720,000 members', 'Bag', () => [manyMaps()]),
  references('/list', 31),
  references('/list/*/id', 31),
  references('/list/*/tags', 3100),
  references('/list/*/none', 31_000),
  sendCalls('Core/echo of a text of 9.9 MB', () => [
    ['Core/echo', { text: 'x'.repeat(LARGE) }, '0'],
  ]),
  sendCalls('Core/echo of 10 MB of small values', () => [
    ['Core/echo', { list: smallValues() }, '0'],
  ]),
  sendCalls('Core/echo of 900,000 members', () => [['Core/echo', members(700_000, () => 0), '0']]),
  sendCalls('700,000 unknown arguments', ({ accountId }) => [
    ['Bag/get', { accountId, ...members(700_000, () => 0) }, '0'],
  ]),
  sendCalls('700,000 unknown arguments in snake case', ({ accountId }) => [
    ['Bag/get', { accountId, ...members(700_000, () => 0, 'a_b') }, '0'],
  ]),
  sendCalls('names of 3 MB', ({ accountId }) => [
    [`x${'x'.repeat(3_000_000)}`, { accountId, ['y'.repeat(3_000_000)]: 1 }, 'z'.repeat(3_000_000)],
  ]),
  body('300,000 calls', () =>
    JSON.stringify({ using: USING, methodCalls: times(300_000, (n) => ['Core/echo', {}, `${n}`]) }),
  ),
  body('900,000 names in using', () =>
    JSON.stringify({ using: times(900_000, (n) => `u${n}`), methodCalls: [] }),
  ),
  body('300,000 entries of createdIds', () =>
    JSON.stringify({ using: USING, methodCalls: [], createdIds: members(300_000, unknownId) }),
  ),
  body(
    '10 MB of escapes',
    () => `{"using":[],"methodCalls":[],"x":"${'\\u0041'.repeat(1_650_000)}"}`,
  ),
  body(
    '10 MB of duplicate members',
    () =>
      `{"using":[],"methodCalls":[${times(900_000, () => '{"a":1,"a":2}')
        .join(',')
        .slice(0, LARGE)}`,
  ),
  body(
    '10 MB of numbers that no double holds',
    () =>
      `{"using":[],"methodCalls":[],"x":[${times(450_000, () => '4.9999999999999999999').join()}]}`,
  ),
  body('10 MB of brackets', () => '['.repeat(LARGE)),
  sendCalls('Blob/upload of a text of 9.9 MB', ({ accountId }) => [
    [
      'Blob/upload',
      { accountId, create: { k: { data: [{ 'data:asText': 'x'.repeat(LARGE) }] } } },
      '0',
    ],
  ]),
  sendCalls('Blob/upload of base64 of 9.9 MB', ({ accountId }) => [
    [
      'Blob/upload',
      { accountId, create: { k: { data: [{ 'data:asBase64': 'AAAA'.repeat(LARGE / 4) }] } } },
      '0',
    ],
  ]),
  sendCalls('Blob/upload of 400,000 parts', ({ accountId }) => [
    [
      'Blob/upload',
      { accountId, create: { k: { data: times(400_000, () => ({ 'data:asText': 'x' })) } } },
      '0',
    ],
  ]),
  sendCalls('Blob/upload of 1,000', ({ accountId }) => [
    [
      'Blob/upload',
      { accountId, create: members(1000, (n) => ({ data: [{ 'data:asText': `text ${n}` }] })) },
      '0',
    ],
  ]),
  sendCalls('Blob/lookup of 400,000 ids', ({ accountId }) => [
    ['Blob/lookup', { accountId, typeNames: ['Bag'], ids: times(400_000, unknownId) }, '0'],
  ]),
  {
    name: 'Blob/get with digests of 30 MB',
    async prepare(client) {
      const blobId = await client.upload(Buffer.alloc(30_000_000, 'x'));
      const { accountId } = client;
      const properties = ['size', 'digest:sha', 'digest:sha-256', 'data:asBase64'];
      return () =>
        client.send(requestOf(['Blob/get', { accountId, ids: [blobId], properties }, '0']));
    },
  },
  {
    name: 'a WebSocket message of 10 MB of small values',
    async prepare(client) {
      const send = await client.webSocket();
      const text = JSON.stringify({
        '@type': 'Request',
        using: USING,
        methodCalls: [['Core/echo', { list: smallValues() }, '0']],
      });
      return () => send(text);
    },
  },
  {
    name: '8 requests with 1,000 secrets together',
    async prepare(client) {
      const { accountId } = client;
      const secrets = create(125, (n) => ({
        password: `a password of a hundred octets ${n}`.padEnd(100, 'x'),
      }));
      const request = requestOf(['Vault/set', { accountId, ...secrets() }, '0']);
      return () => Promise.all(times(8, () => client.send(request)));
    },
  },
];

export const WAIT_KINDS: readonly WaitKind[] = [...CREATES, ...CHANGES, ...READS, ...OTHERS];
