import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Call, type Json, Rig, U2 } from '../methods/rig.js';
import { ROOT } from '../support/server.js';
import { type Method, methodsOf, modelOf } from './methods.js';

/**
 * RFC 8620 3.6.2: what is out of reach and what isn't there must not be told apart by what a call
 * does either. Time is what an attacker has; the statements that are run are what a test can count.
 */
let rig: Rig;
const methods = methodsOf(modelOf(ROOT));
/** "ax" is there, and belongs to `U2`. */
const OUT_OF_REACH = ['ax', 'unknown'] as const;

beforeAll(() => {
  rig = new Rig();
});
afterAll(() => rig.close());

/** The answer of a call and the SQL that it ran. */
async function watched(...call: Call): Promise<{ answer: Json; statements: readonly string[] }> {
  const before = rig.statements.length;
  const [answer] = await rig.calls([call]);
  return { answer, statements: rig.statements.slice(before) };
}

const withKind = (kind: Method['kind']) => methods.filter((method) => method.kind === kind);

describe('a call of an account out of reach', () => {
  it.each([...withKind('read'), ...withKind('write')])(
    '$name reads nothing of it',
    async (method) => {
      const asked = OUT_OF_REACH.map((accountId) =>
        watched(method.name, { accountId, ...method.rest }),
      );
      const [others, unknown] = await Promise.all(asked);
      expect(others?.answer[1].type).toBe('accountNotFound');
      expect(others?.statements).toEqual([]);
      expect(others).toEqual(unknown);
    },
  );

  it.each(withKind('copy'))('$name reads nothing of either account', async ({ name, rest }) => {
    for (const side of ['accountId', 'fromAccountId'] as const) {
      const other = side === 'accountId' ? 'fromAccountId' : 'accountId';
      const [others, unknown] = await Promise.all(
        OUT_OF_REACH.map((id) => watched(name, { [side]: id, [other]: 'a1', ...rest })),
      );
      expect(others?.answer[1].type).toMatch(/^(?:from)?accountNotFound$/i);
      expect(others?.statements).toEqual([]);
      expect(others).toEqual(unknown);
    }
  });
});

describe('an id of another account costs as many statements as an unknown one', () => {
  const SAMPLES: readonly (readonly [name: string, args: (id: string) => object])[] = [
    ['Note/get', (id) => ({ ids: [id] })],
    ['Note/set', (id) => ({ update: { [id]: { title: 'mine' } } })],
    ['Note/set', (id) => ({ destroy: [id] })],
    ['Note/query', (id) => ({ anchor: id })],
    ['Blob/get', (id) => ({ ids: [id] })],
    ['Blob/lookup', (id) => ({ ids: [id], typeNames: ['Note'] })],
    ['Blob/upload', (id) => ({ create: { k: { data: [{ blobId: id }] } } })],
    ['Widget/set', (id) => ({ create: { k: { title: 'w', blobId: id } } })],
    ['Note/copy', (id) => ({ fromAccountId: 'a2', create: { k: { id } } })],
    ['Blob/copy', (id) => ({ fromAccountId: 'a2', blobIds: [id] })],
  ];

  it.each(SAMPLES)('%s', async (name, args) => {
    const create = { k: { title: 'secret', body: 'secret' } };
    const note = await rig.call('Note/set', { accountId: 'ax', create }, { user: U2 });
    const foreign = name.startsWith('Note/')
      ? note.created.k.id
      : await rig.upload('secret', U2, 'ax');
    // As long, and as old, as an id that somebody has.
    const nothings = `${foreign.slice(0, -1)}${foreign.endsWith('0') ? '1' : '0'}`;
    const found = await watched(name, { accountId: 'a1', ...args(foreign) });
    const none = await watched(name, { accountId: 'a1', ...args(nothings) });
    expect(found.statements).toEqual(none.statements);
    expect(JSON.stringify(found.answer).replaceAll(foreign, nothings)).toBe(
      JSON.stringify(none.answer),
    );
    expect(JSON.stringify(found.answer)).not.toContain('secret');
  });
});
