import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { AccessMode, Principal } from '../../src/accounts/principal.js';
import type { MethodDefinition } from '../../src/capability/capability-definition.js';
import { BLOB, CORE, type Json, NOTES, Rig, TODOS, U1, WIDGETS } from './rig.js';

type Modes = Readonly<Record<string, AccessMode>>;

/** The rig's first user, narrowed to capabilities and types. */
function narrowed(capabilities: Modes | null, types: Modes | null = null): Principal {
  const mapOf = (modes: Modes | null) => modes && new Map(Object.entries(modes));
  return { ...U1, capabilities: mapOf(capabilities), types: mapOf(types) };
}

const own = (name: string, account: MethodDefinition['account']): MethodDefinition => ({
  ...{ name, capability: WIDGETS, account, acceptSnakeCase: false, body: 'hookFile' },
  validateArguments: () => true,
});

let rig: Rig;
let seen: boolean[];

beforeEach(() => {
  seen = [];
  const noteCall = async (_: unknown, call: { readonly isReadOnly: boolean }) => {
    seen.push(call.isReadOnly);
    return {};
  };
  const names = ['Widget/count', 'Widget/tidy', 'Report/make', 'Note/tidy'];
  rig = new Rig(
    {},
    {
      methods: [
        own('Widget/count', 'read'),
        own('Widget/tidy', 'write'),
        own('Report/make', 'read'),
        own('Note/tidy', 'write'),
      ],
      hooks: { methods: Object.fromEntries(names.map((name) => [name, noteCall])) },
    },
  );
});
afterEach(() => rig.close());

/** The error of a call, or null where it has none. */
async function errorOf(user: Principal, name: string, args: object = {}): Promise<string | null> {
  const answer = await rig.call(name, args, { user });
  return answer.error ?? null;
}

describe('a principal that may only read a capability', () => {
  const reader = narrowed({ [TODOS]: 'read', [WIDGETS]: 'read', [NOTES]: 'full', [BLOB]: 'read' });

  it('reads by its methods', async () => {
    const [id = ''] = await rig.create('Todo', [{ text: 'Tea' }]);
    expect(await rig.call('Todo/get', { ids: [id] }, { user: reader })).toMatchObject({
      list: [{ text: 'Tea' }],
    });
    expect(await errorOf(reader, 'Todo/query')).toBe(null);
    expect(await errorOf(reader, 'Todo/changes', { sinceState: '0' })).toBe(null);
    expect(await errorOf(reader, 'Blob/get', { ids: [] })).toBe(null);
    expect(await errorOf(reader, 'Widget/count')).toBe(null);
  });

  it('gets accountReadOnly for each that writes, and nothing is written', async () => {
    const create = { k: { text: 'Tea' } };
    const copy = { accountId: 'a2', fromAccountId: 'a1' };
    const writes: [string, object][] = [
      ['Todo/set', { create }],
      ['Todo/set', {}],
      ['Todo/copy', { ...copy, create: {} }],
      ['Widget/tidy', {}],
      ['Blob/upload', { create: {} }],
      ['Blob/copy', { ...copy, blobIds: [] }],
    ];
    for (const [name, args] of writes)
      expect([name, await errorOf(reader, name, args)]).toEqual([name, 'accountReadOnly']);
    expect(await rig.call('Todo/get', { ids: null })).toMatchObject({ list: [] });
    expect(seen).toEqual([]);
  });

  it('writes by the other capabilities', async () => {
    const set = { create: { k: { title: 'T', body: '' } } };
    expect(await rig.call('Note/set', set, { user: reader })).toMatchObject({ notCreated: null });
  });

  it('is told to hooks as one that only reads', async () => {
    await rig.call('Widget/count', {}, { user: reader });
    await rig.call('Widget/count', {}, { user: narrowed({ [WIDGETS]: 'full' }) });
    expect(seen).toEqual([true, false]);
  });
});

describe('a method of one capability about a type of another', () => {
  it('is judged by its own capability, and by the types that the principal reaches', async () => {
    expect(await errorOf(narrowed({ [WIDGETS]: 'full' }), 'Note/tidy')).toBe(null);
    expect(await errorOf(narrowed({ [WIDGETS]: 'read' }), 'Note/tidy')).toBe('accountReadOnly');
    expect(await errorOf(narrowed(null, { Note: 'read' }), 'Note/tidy')).toBe('accountReadOnly');
    expect(await errorOf(narrowed(null, { Widget: 'full' }), 'Note/tidy')).toBe('forbidden');
  });
});

describe('a principal without the capability of blobs', () => {
  const user = narrowed({ [TODOS]: 'full' });

  it('can’t copy blobs by the method of core', async () => {
    const args = { accountId: 'a2', fromAccountId: 'a1', blobIds: [] };
    expect(await errorOf(user, 'Blob/copy', args)).toBe('accountNotSupportedByMethod');
    expect(await errorOf(U1, 'Blob/copy', args)).toBe(null);
  });
});

describe('a principal of some types', () => {
  const user = narrowed(null, { Todo: 'read', Widget: 'full' });

  it('gets forbidden for any method of another type, whatever the account', async () => {
    const names = ['get', 'changes', 'set', 'copy', 'query', 'queryChanges'];
    for (const name of names) expect(await errorOf(user, `Note/${name}`)).toBe('forbidden');
    expect(await errorOf(user, 'Note/get', { accountId: 'nobodys' })).toBe('forbidden');
    const { description } = await rig.call('Note/get', { ids: [] }, { user });
    expect(description).toBe(
      'The token reaches only the types Todo, Widget, so not the type "Note".',
    );
  });

  it('reads or writes its own types as it may', async () => {
    expect(await errorOf(user, 'Todo/get', { ids: null })).toBe(null);
    expect(await errorOf(user, 'Todo/set', {})).toBe('accountReadOnly');
    expect(await errorOf(user, 'Widget/set', {})).toBe(null);
    expect(await errorOf(user, 'Widget/tidy')).toBe(null);
    expect(await errorOf(narrowed(null, { Widget: 'read' }), 'Widget/tidy')).toBe(
      'accountReadOnly',
    );
    expect(await errorOf(narrowed({ [WIDGETS]: 'read' }, { Widget: 'full' }), 'Widget/tidy')).toBe(
      'accountReadOnly',
    );
  });

  it('can’t call own methods of no type, which may do anything', async () => {
    expect(await errorOf(user, 'Report/make')).toBe('forbidden');
    expect(await errorOf(narrowed({ [WIDGETS]: 'full' }), 'Report/make')).toBe(null);
    expect(seen).toEqual([false]);
  });

  it('keeps the methods of the engine that are of no type', async () => {
    expect(await errorOf(user, 'Core/echo')).toBe(null);
    expect(await errorOf(user, 'Blob/upload', { create: {} })).toBe(null);
  });

  it('can’t look up blobs in other types', async () => {
    const lookUp = (typeNames: readonly string[], by: Principal): Promise<string | null> =>
      errorOf(by, 'Blob/lookup', { ids: [], typeNames });
    expect(await lookUp(['Widget'], user)).toBe(null);
    expect(await lookUp(['Widget'], narrowed(null, { Todo: 'full' }))).toBe('forbidden');
  });

  it('gets only an error for a result reference to a refused call', async () => {
    const ids = { resultOf: 'c0', name: 'Note/query', path: '/ids' };
    const using = [CORE, NOTES, TODOS];
    const answers: Json = await rig.calls(
      [
        ['Note/query', { accountId: 'a1' }],
        ['Todo/get', { accountId: 'a1', '#ids': ids }],
      ],
      { user, using },
    );
    expect(answers.map((answer: Json) => answer[1].type)).toEqual([
      'forbidden',
      'invalidResultReference',
    ]);
  });
});

describe('a copy that destroys its originals', () => {
  it('needs no more than the copy, and does both', async () => {
    const [id = ''] = await rig.create('Todo', [{ text: 'Tea' }]);
    const answers: Json = await rig.calls(
      [
        [
          'Todo/copy',
          {
            ...{ accountId: 'a2', fromAccountId: 'a1', onSuccessDestroyOriginal: true },
            create: { k: { id } },
          },
        ],
      ],
      { user: narrowed({ [TODOS]: 'full' }, { Todo: 'full' }), using: [TODOS] },
    );
    expect(answers).toMatchObject([
      ['Todo/copy', { notCreated: null }],
      ['Todo/set', { destroyed: [id] }],
    ]);
  });
});

describe('a key of a call that was made by another token', () => {
  it('gives no answer to a principal that may not make the call', async () => {
    const once = 'urn:jmapsmith:once';
    const args = { create: { k: { text: 'Tea' } }, onceKey: 'key-1' };
    const using = [CORE, TODOS, once];
    const first = await rig.call('Todo/set', args, { using });
    expect(first.created).not.toBe(null);
    const user = narrowed({ [TODOS]: 'read' });
    expect(await rig.call('Todo/set', args, { using, user })).toMatchObject({
      error: 'accountReadOnly',
    });
    expect(await rig.call('Todo/set', args, { using })).toEqual(first);
  });
});
