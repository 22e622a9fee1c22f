import { describe, expect, it } from 'vitest';
import { TransportError } from '../../src/call/errors.js';
import type { Invocation } from '../../src/index.js';
import { makeTable, openAccount, ToyServer } from '../support/toy-server.js';

// Writes of a type that the server doesn't let the client read. The number of requests counts.

const TABLES = [makeTable('Thing'), makeTable('Other')];

const errorOf = (type: string, id: string): readonly Invocation[] => [['error', { type }, id]];

const open = (server: ToyServer, hasKeys = false) => openAccount(server, TABLES, { hasKeys });

describe('a server without keys', () => {
  it.each(['serverFail', 'serverUnavailable'])(
    'takes writes behind those of a type that it can not tell: %s',
    async (type) => {
      const server = new ToyServer();
      server.answer = ([name, , id]) => (name.startsWith('Thing/') ? errorOf(type, id) : undefined);
      const { sync, create, goOn, isMade } = await open(server);
      sync.want();
      await goOn(20);
      create('Thing', 'mine');
      create('Other', 'one');
      expect(await goOn(60, () => isMade('one'))).toBe(true);
      await sync.close();
    },
  );

  it('takes writes behind a lost one of a type that it tells no more', async () => {
    const server = new ToyServer();
    const { sync, create, goOn, isMade } = await open(server);
    await sync.settle();
    let isLost = false;
    server.answer = ([name, , id]) =>
      name.startsWith('Thing/') && name !== 'Thing/set' ? errorOf('forbidden', id) : undefined;
    server.before = ({ methodCalls }) => {
      if (isLost || !methodCalls.some(([name]) => name === 'Thing/set')) return;
      isLost = true;
      throw new TransportError('The answer is lost.');
    };
    create('Thing', 'mine');
    await goOn(10);
    create('Other', 'one');
    expect(await goOn(60, () => isMade('one'))).toBe(true);
    await sync.close();
  });
});

describe('an update that was made, and that the server fails to answer', () => {
  it('counts as made where the type is not told', async () => {
    const server = new ToyServer();
    const { sync, store, outcomes, goOn } = await open(server, true);
    server.objects.set('x', { id: 'x', type: 'Thing', text: 'old' });
    sync.want();
    await sync.settle();
    const keys = new Set<unknown>();
    server.answer = ([name, args, id]) => {
      if (name !== 'Thing/set')
        return name.startsWith('Thing/') ? errorOf('forbidden', id) : undefined;
      const isUsed = keys.has(args['onceKey']);
      keys.add(args['onceKey']);
      return errorOf(isUsed ? 'invalidArguments' : 'serverFail', id);
    };
    const write = { ids: ['w'], type: 'Thing', key: 'x', sentAs: null, kind: 'update' } as const;
    void store.commit({ log: [{ ...write, patch: { text: 'new' }, unchanged: null }] });
    sync.want();
    await goOn(100, () => outcomes.length > 0);
    expect(outcomes).toMatchObject([{ isMade: true }]);
    await sync.close();
  });
});
