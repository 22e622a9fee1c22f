import { afterEach, describe, expect, it } from 'vitest';
import type { JsonValue } from '../../../src/protocol/json.js';
import { type Change, type OpenStore, type Store, TABLES } from '../../src/persist/port.js';
import { FencedError, StoreLostError } from '../../src/persist/store-errors.js';

export interface StoreRig {
  /** Makes the store, as another page or process has it: one with the same data. */
  makeStore(): Store;
  /** A change whose value can't be read; by default, a getter that throws. */
  readonly unreadable?: Change;
}

/** Keys in the order of their code units; the order of code points is another one. */
const KEYS = [
  '',
  ' ',
  'A Todo t1',
  'A Todo t10',
  'A Todo t2',
  'A TodoList l1',
  'A\u0000Todo',
  'a',
  'a b',
  "a'b%_",
  '\u00e9',
  'e\u0301',
  '\ud7ff',
  '😀',
  '😀😀',
  '\udbff\udfff',
  '\ue000',
  '\uffff',
  '\uffff\uffff',
  '\uffffa',
].sort((one, other) => (one < other ? -1 : 1));

const PREFIXES = [...KEYS, 'A ', 'A Todo', 'A Todo ', 'b', '\ud83d', '😀\uffff', 'A\uffff'];

const VALUES: readonly JsonValue[] = [
  null,
  true,
  false,
  0,
  -1.5,
  1e300,
  Number.MAX_SAFE_INTEGER,
  '',
  'a\u0000b\n"\\',
  '😀\uffff',
  [],
  [[], [null, {}]],
  {},
  { '': { a: [1, { b: null }] }, 'a/b': 'c', length: 1, constructor: 'x' },
  JSON.parse('{"__proto__": {"x": 1}}') as JsonValue,
  Object.freeze({ frozen: Object.freeze([1]) }),
];

const NAMES = [
  '',
  ' ',
  'https://api.example.com/jmap user@example.com 1',
  "a'b/../c:\\*?",
  '😀\uffff',
];

let made = 0;

/** Returns a name that no test has used. */
function makeName(): string {
  made += 1;
  return `https://api.example.com u${made} ${crypto.randomUUID()}`;
}

function put(key: string, value: JsonValue = 1): Change {
  return { table: 'objects', key, value };
}

async function keysOf(store: OpenStore, prefix?: string): Promise<readonly string[]> {
  return (await store.load('objects', prefix)).map(([key]) => key);
}

/** Describes the contract that every store keeps. */
export function describeStore(title: string, rig: StoreRig): void {
  const opened: OpenStore[] = [];
  const open = async (name = makeName()): Promise<OpenStore> => {
    const store = await rig.makeStore().open(name);
    opened.push(store);
    return store;
  };
  describe(title, () => {
    afterEach(async () => {
      for (const store of opened.splice(0)) await store.close();
    });
    describeRows(open);
    describeBlobs(open);
    describeAtomicity(open, rig.unreadable ?? UNREADABLE);
    describeEpochs(open);
    describeHandles(open);
  });
}

const UNREADABLE: Change = {
  table: 'objects',
  key: 'unreadable',
  get value(): JsonValue {
    throw new Error('This value can’t be read.');
  },
};

type Open = (name?: string) => Promise<OpenStore>;

function describeRows(open: Open): void {
  it('a new store has no row', async () => {
    const store = await open();
    for (const table of TABLES) expect(await store.load(table)).toEqual([]);
  });

  it('a row is of its table alone', async () => {
    const store = await open();
    await store.commit(
      TABLES.map((table) => ({ table, key: 'k', value: table })),
      {},
    );
    await store.commit([{ table: 'log', key: 'k' }], {});
    for (const table of TABLES)
      expect(await store.load(table)).toEqual(table === 'log' ? [] : [['k', table]]);
  });

  it('keys come in the order of their code units', async () => {
    const store = await open();
    await store.commit(
      KEYS.toReversed().map((key) => put(key, key)),
      {},
    );
    expect(await store.load('objects')).toEqual(KEYS.map((key) => [key, key]));
  });

  it('a prefix selects keys, whatever characters it ends with', async () => {
    const store = await open();
    await store.commit(
      KEYS.map((key) => put(key)),
      {},
    );
    for (const prefix of PREFIXES) {
      const wanted = KEYS.filter((key) => key.startsWith(prefix));
      expect(await keysOf(store, prefix), JSON.stringify(prefix)).toEqual(wanted);
    }
  });

  it('pages have all rows of a prefix, each once and in their order', async () => {
    const store = await open();
    const most = 5001;
    const keys = Array.from({ length: most }, (_, at) => `A Todo ${String(at).padStart(6, '0')}`);
    await store.commit(
      [...KEYS, ...keys].map((key) => put(key, key)),
      {},
    );
    for (const prefix of ['A Todo ', '', '\uffff', 'none']) {
      const wanted = [...KEYS, ...keys].filter((key) => key.startsWith(prefix));
      wanted.sort((one, other) => (one < other ? -1 : 1));
      const found: string[] = [];
      for (let page = await store.loadPage('objects', prefix); ; ) {
        for (const [key, value] of page.rows) if (key === value) found.push(key);
        if (page.isLast) break;
        expect(page.rows.length).toBeGreaterThan(0);
        page = await store.loadPage('objects', prefix, found.at(-1));
      }
      expect(found, prefix).toEqual([...new Set(wanted)]);
    }
  });

  it('rows are read by their keys, as far as there are any', async () => {
    const store = await open();
    await store.commit([put('a', null), put('b', 2), { table: 'log', key: 'c', value: 3 }], {});
    expect(await store.read('objects', ['b', 'none', 'a', 'c'])).toEqual([
      ['b', 2],
      ['a', null],
    ]);
    expect(await store.read('objects', [])).toEqual([]);
  });

  it('a value comes back as it was, whatever JSON it is', async () => {
    const store = await open();
    const keys = VALUES.map((_, index) => `${index}`.padStart(2, '0'));
    await store.commit(
      VALUES.map((value, index) => put(keys[index] ?? '', value)),
      { durable: true },
    );
    const rows = await store.load('objects');
    expect(rows).toEqual(VALUES.map((value, index) => [keys[index], value]));
    expect(JSON.stringify(rows.map(([, value]) => value))).toBe(JSON.stringify(VALUES));
  });

  it('a later change of a key wins, within a commit and behind it', async () => {
    const store = await open();
    await store.commit([put('a', 1), put('a', 2), put('b'), { table: 'objects', key: 'b' }], {});
    expect(await store.load('objects')).toEqual([['a', 2]]);
    await store.commit([{ table: 'objects', key: 'a' }, put('a', 3)], {});
    await store.commit([{ table: 'objects', key: 'none' }], {});
    expect(await store.load('objects')).toEqual([['a', 3]]);
  });

  it('a commit without changes does nothing', async () => {
    const store = await open();
    await store.commit([], { durable: true });
    expect(await store.load('objects')).toEqual([]);
  });

  it('a commit has 20,000 rows', async () => {
    const name = makeName();
    const store = await open(name);
    const rows = Array.from({ length: 20_000 }, (_, index) => {
      const id = `${index}`.padStart(5, '0');
      return [`A Todo ${id}`, { id, text: 'Pack the bag', done: index % 2 === 0 }] as const;
    });
    await store.commit(
      rows.map(([key, value]) => put(key, value)),
      {},
    );
    expect(await (await open(name)).load('objects')).toEqual(rows);
    expect(await store.load('objects', 'A Todo 0199')).toEqual(rows.slice(1990, 2000));
    await store.commit(
      rows.map(([key]) => ({ table: 'objects', key })),
      { durable: true },
    );
    expect(await store.load('objects')).toEqual([]);
  });
}

function describeBlobs(open: Open): void {
  const octets = Uint8Array.from({ length: 70_000 }, (_, index) => index % 256);

  it('octets come back as they were, and no table has them', async () => {
    const name = makeName();
    const store = await open(name);
    const empty = new Uint8Array();
    await store.commit([put('k', 1), { table: 'blobs', key: 'k', value: octets }], {
      durable: true,
    });
    await store.commit([{ table: 'blobs', key: 'empty', value: empty }], {});
    const other = await open(name);
    expect(await other.loadBlob('k')).toEqual(octets);
    expect(await other.loadBlob('empty')).toEqual(empty);
    expect(await other.loadBlob('')).toBeNull();
    for (const table of TABLES)
      expect(await other.load(table)).toEqual(table === 'objects' ? [['k', 1]] : []);
  });

  it('octets are replaced, removed and wiped', async () => {
    const store = await open();
    const change = { table: 'blobs', key: 'k' } as const;
    await store.commit([{ ...change, value: octets }], {});
    await store.commit([{ ...change, value: octets.subarray(1, 3) }], {});
    expect(await store.loadBlob('k')).toEqual(Uint8Array.of(1, 2));
    await store.commit([change], {});
    expect(await store.loadBlob('k')).toBeNull();
    await store.commit([{ ...change, value: octets }], {});
    await store.wipe();
    expect(await store.loadBlob('k')).toBeNull();
  });

  it('octets of an older epoch are refused, with all that is written with them', async () => {
    const store = await open();
    const epoch = await store.fence();
    await store.fence();
    const commit = store.commit([put('k'), { table: 'blobs', key: 'k', value: octets }], { epoch });
    await expect(commit).rejects.toBeInstanceOf(FencedError);
    expect(await store.loadBlob('k')).toBeNull();
    expect(await keysOf(store)).toEqual([]);
  });
}

function describeAtomicity(open: Open, unreadable: Change): void {
  it('a commit that fails in the middle leaves nothing', async () => {
    const name = makeName();
    const store = await open(name);
    await store.commit([put('a', 1), put('b', 1)], {});
    const changes = [put('a', 2), { table: 'objects', key: 'b' }, put('c'), unreadable, put('d')];
    await expect(store.commit(changes as Change[], {})).rejects.toThrow();
    expect(await store.load('objects')).toEqual([
      ['a', 1],
      ['b', 1],
    ]);
    await store.commit([put('e')], {});
    expect(await keysOf(await open(name))).toEqual(['a', 'b', 'e']);
  });

  it('commits that nobody waits for are made in their order', async () => {
    const store = await open();
    const commits = Array.from({ length: 50 }, (_, index) => store.commit([put('a', index)], {}));
    const rows = await store.load('objects');
    expect(rows).toEqual([['a', 49]]);
    await Promise.all(commits);
  });
}

function describeEpochs(open: Open): void {
  it('a fence raises the epoch, for all handles', async () => {
    const name = makeName();
    const [one, other] = [await open(name), await open(name)];
    await one.commit([put('a')], { epoch: 0 });
    const first = await one.fence();
    const second = await other.fence();
    expect(second).toBeGreaterThan(first);
    expect(first).toBeGreaterThan(0);
    await other.commit([put('b')], { epoch: second });
    await one.commit([put('c')], { epoch: second });
    await one.close();
    const third = await open(name);
    await third.commit([put('d')], { epoch: second });
    expect(await keysOf(third)).toEqual(['a', 'b', 'c', 'd']);
  });

  it('a commit of an older epoch is refused as a whole', async () => {
    const name = makeName();
    const [one, other] = [await open(name), await open(name)];
    const old = await one.fence();
    await one.commit([put('a', 'old')], { epoch: old });
    const young = await other.fence();
    const commit = one.commit([put('a', 'late'), put('b')], { epoch: old, durable: true });
    await expect(commit).rejects.toBeInstanceOf(FencedError);
    await expect(one.commit([], { epoch: old })).rejects.toBeInstanceOf(FencedError);
    expect(await one.load('objects')).toEqual([['a', 'old']]);
    await one.commit([put('c')], { epoch: young });
    await one.commit([put('d')], {});
    expect(await keysOf(other)).toEqual(['a', 'c', 'd']);
  });

  it('of a commit and a fence at once, the first one wins', async () => {
    const name = makeName();
    const [one, other] = [await open(name), await open(name)];
    let epoch = await one.fence();
    for (let round = 0; round < 20; round += 1) {
      const commit = one.commit([put('round', round)], { epoch }).then(
        () => true,
        (error: unknown) => {
          expect(error).toBeInstanceOf(FencedError);
          return false;
        },
      );
      epoch = await other.fence();
      // A commit that was let pass is there when the fence is up.
      const [[, value] = []] = await other.load('objects');
      expect(value === round).toBe(await commit);
    }
  });
}

function describeHandles(open: Open): void {
  it('rows outlive the handle that wrote them', async () => {
    const name = makeName();
    const store = await open(name);
    await store.commit([put('a'), { table: 'log', key: 'A 000000000001', value: { n: 1 } }], {
      durable: true,
    });
    await store.close();
    const again = await open(name);
    expect(await again.load('objects')).toEqual([['a', 1]]);
    expect(await again.load('log', 'A ')).toEqual([['A 000000000001', { n: 1 }]]);
  });

  it('two handles of a name have the same rows', async () => {
    const name = makeName();
    const [one, other] = [await open(name), await open(name)];
    await one.commit([put('a', 1)], {});
    await other.commit([put('b', 2), put('a', 3)], { durable: true });
    expect(await one.load('objects')).toEqual([
      ['a', 3],
      ['b', 2],
    ]);
  });

  it.each(NAMES.map((name) => [name]))('the name %j has data of its own', async (name) => {
    const unique = name + crypto.randomUUID();
    const [one, other] = [await open(unique), await open(`${unique} `)];
    await one.commit([put('a', name)], {});
    await other.fence();
    await one.commit([put('b')], { epoch: 0 });
    expect(await other.load('objects')).toEqual([]);
    expect(await (await open(unique)).load('objects', 'a')).toEqual([['a', name]]);
  });

  it('a wipe removes all of a name and nothing of another', async () => {
    const name = makeName();
    const [store, neighbour] = [await open(name), await open(`${name}2`)];
    await neighbour.commit([put('a')], {});
    await store.commit(
      TABLES.map((table) => ({ table, key: 'k', value: table })),
      {},
    );
    await store.wipe();
    for (const table of TABLES) {
      expect(await store.load(table)).toEqual([]);
      expect(await (await open(name)).load(table)).toEqual([]);
    }
    await store.commit([put('b')], {});
    expect(await keysOf(await open(name))).toEqual(['b']);
    expect(await keysOf(neighbour)).toEqual(['a']);
  });

  it('a wipe leaves the rows behind that it is given', async () => {
    const store = await open(makeName());
    await store.commit([put('a'), { table: 'meta', key: 'k', value: 1 }], {});
    await store.wipe([{ table: 'meta', key: 'life', value: { id: null } }]);
    expect(await store.load('objects')).toEqual([]);
    expect(await store.load('meta')).toEqual([['life', { id: null }]]);
  });

  it('a handle of before a wipe by another brings nothing back', async () => {
    const name = makeName();
    const [one, other] = [await open(name), await open(name)];
    const epoch = await one.fence();
    await one.commit([put('a')], { epoch });
    await other.wipe();
    for (const call of [
      () => one.commit([put('a')], {}),
      () => one.commit([put('a')], { epoch }),
      () => one.commit([put('a')], { epoch: 0 }),
      () => one.load('objects'),
      () => one.loadPage('objects', ''),
      () => one.read('objects', ['a']),
      () => one.fence(),
    ])
      await expect(call()).rejects.toBeInstanceOf(StoreLostError);
    expect(await other.load('objects')).toEqual([]);
    await expect(other.commit([put('a')], { epoch })).rejects.toBeInstanceOf(FencedError);
    await one.close();
    expect(await keysOf(await open(name))).toEqual([]);
  });

  it('a handle that is closed has done earlier calls and refuses later ones', async () => {
    const name = makeName();
    const store = await open(name);
    const commit = store.commit([put('a')], { durable: true });
    const closed = store.close();
    const late = [
      () => store.commit([put('b')], {}),
      () => store.load('objects'),
      () => store.fence(),
      () => store.wipe(),
    ].map((call) => expect(call()).rejects.toBeInstanceOf(StoreLostError));
    await Promise.all([commit, closed, ...late]);
    await store.close();
    expect(await keysOf(await open(name))).toEqual(['a']);
  });
}
