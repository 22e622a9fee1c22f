import { describe, expect, it } from 'vitest';
import { makeTable, openAccount, ToyServer } from '../support/toy-server.js';

// Cycles of an account whose server, or whose network, does what ours doesn't.

const THING = makeTable('Thing');

describe('a copy whose history ends while an answer is on its way', () => {
  it('is read anew', async () => {
    const server = new ToyServer();
    const account = await openAccount(server, [THING]);
    await account.sync.settle();
    expect(account.store.replica.cursor('Thing')).toBe('1');
    const sweeps = server.count('Thing/query');
    server.before = () => {
      server.before = () => undefined;
      account.renew();
    };
    await account.sync.settle();
    expect(server.count('Thing/query')).toBeGreaterThan(sweeps);
    expect(account.store.replica.cursor('Thing')).toBe('1');
  });
});

describe('a type that the server refuses to tell of', () => {
  it('leaves the others in step', async () => {
    const server = new ToyServer();
    const account = await openAccount(server, [THING, makeTable('Secret')]);
    server.answer = ([name, , id]) =>
      name.startsWith('Secret/') ? [['error', { type: 'forbidden' }, id]] : undefined;
    await account.sync.settle();
    account.create('Thing', 'one');
    await account.sync.settle();
    expect(account.failures.filter((failure) => failure !== null)).toEqual([]);
    expect([...account.store.replica.rows('Thing')]).toMatchObject([{ text: 'one' }]);
    const asked = server.count('Secret/query');
    await account.sync.settle();
    expect(server.count('Secret/query')).toBe(asked);
  });

  it('is asked for again in a new session', async () => {
    const server = new ToyServer();
    const account = await openAccount(server, [THING]);
    server.answer = ([, , id]) => [['error', { type: 'forbidden' }, id]];
    await account.sync.settle();
    server.answer = () => undefined;
    account.renew();
    await account.sync.settle();
    expect(account.store.replica.cursor('Thing')).toBe('1');
  });
});
