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
