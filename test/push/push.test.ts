import { describe, expect, it } from 'vitest';
import type { Principal } from '../../src/accounts/principal.js';
import type { DataTypeDefinition } from '../../src/capability/definition.js';
import type { Hub } from '../../src/push/hub/hub.js';
import { Push } from '../../src/push/push.js';

const TYPE = { name: 'Todo', capability: 'urn:example:todos' } as DataTypeDefinition;
const DEAF = { wake: () => undefined, ended: () => undefined };
const HUB = { publish: () => undefined } as unknown as Hub;

/** Returns a token that reaches so many accounts. */
function principalOf(accounts: number): Principal {
  const access = { capabilities: null, readOnly: false };
  const reached = Array.from({ length: accounts }, (_, n) => [`a${n}`, access] as const);
  return { tokenId: 't', userId: 'u', accounts: new Map(reached) } as unknown as Principal;
}

/** Returns a process's push; `state` is what the database says of every account. */
function pushOf(state: () => number): Push {
  return new Push({
    store: {
      onCommit: () => () => undefined,
      readStates: async (ids) => new Map(ids.map((id) => [id, new Map([['Todo', state()]])])),
    },
    types: new Map([['Todo', TYPE]]),
    live: { follow: () => () => undefined },
    readGeneration: async () => 'g',
    hub: HUB,
    onError: (error) => {
      throw error;
    },
  });
}

describe('a receiver that comes to another process', () => {
  it.each([1, 400])('is told no earlier state than before, with %i accounts', async (accounts) => {
    let state = 16;
    const principal = principalOf(accounts);
    const request = { kind: 'websocket', principal, types: null, lastId: null } as const;
    const here = pushOf(() => state);
    // This one knows the states, for another receiver of the token.
    const other = await here.open(request, DEAF);
    state = 17;
    // The other process has heard of the commit, and tells of it.
    const there = pushOf(() => state);
    const { id } = await there.open(request, DEAF);
    const channel = await here.open({ ...request, lastId: id }, DEAF);
    expect(channel.take()).toBe(null);
    expect(channel.id).toBe(id);
    // The others are told of it, too.
    expect(JSON.parse(other.take()?.changed ?? '{}')).toMatchObject({ a0: { Todo: '17' } });
    here.close();
    there.close();
  });

  it('is told no earlier state where the other has pushed more than it stored', async () => {
    let state = 16;
    const principal = principalOf(2);
    const request = { kind: 'subscription', principal, types: null, lastId: '' } as const;
    const here = pushOf(() => state);
    const early = await here.open(request, DEAF);
    const stored = early.id;
    await here.open(request, DEAF);
    state = 18;
    // The other process has pushed 18, and dies before it stores that: the stored states are older.
    const channel = await here.open({ ...request, lastId: stored }, DEAF);
    expect(JSON.parse(channel.take()?.changed ?? '{}')).toEqual({
      a0: { Todo: '18' },
      a1: { Todo: '18' },
    });
    here.close();
  });
});
