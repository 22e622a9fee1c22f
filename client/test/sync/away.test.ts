import { describe, expect, it } from 'vitest';
import { makeTable, openAccount, ToyServer } from '../support/toy-server.js';

// Changes of others while a client was away.

const THING = makeTable('Thing');
const MOST = 5000;

/** Has a server make objects whose changes are told in pages, as the client asks for them. */
function makeMany(server: ToyServer): void {
  const ids = Array.from({ length: MOST }, (_, n) => `t${n}`);
  for (const id of ids) server.objects.set(id, { id, type: 'Thing', text: id });
  let created: readonly string[] = [];
  const readAt = (state: unknown) => Number(String(state).split('.')[1] ?? 0);
  server.answer = ([name, args, id]) => {
    if (name === 'Thing/changes') {
      const from = readAt(args['sinceState']);
      const to = Math.min(from + Number(args['maxChanges'] ?? 500), MOST);
      created = ids.slice(from, to);
      const more = { hasMoreChanges: to < MOST, updated: [], destroyed: [] };
      return [[name, { newState: `1.${to}`, created: [...created], ...more }, id]];
    }
    if (name !== 'Thing/get') return undefined;
    const isOfCreated = JSON.stringify(args['#ids'] ?? '').includes('created');
    const wanted = isOfCreated ? created : ((args['ids'] ?? []) as readonly string[]);
    const list = wanted.map((one) => ({ id: one, type: 'Thing', text: one }));
    return [[name, { state: `1.${MOST}`, list, notFound: [] }, id]];
  };
}

describe('a client that was away', () => {
  it('reads 5,000 changes page by page, and no object anew', async () => {
    const server = new ToyServer();
    server.objects.set('old', { id: 'old', type: 'Thing', text: 'old' });
    const { store, sync } = await openAccount(server, [THING]);
    await sync.settle();
    const [queries, gets] = [server.count('Thing/query'), server.count('Thing/get')];
    makeMany(server);
    await sync.settle();
    expect([...store.replica.rows('Thing')]).toHaveLength(MOST + 1);
    expect(store.replica.cursor('Thing')).toBe(`1.${MOST}`);
    expect(server.count('Thing/query')).toBe(queries);
    const asked = server.requests
      .flatMap(({ methodCalls }) => methodCalls)
      .filter(([name]) => name === 'Thing/get')
      .slice(gets);
    expect(JSON.stringify(asked)).not.toContain('"old"');
    // The server gives at most 100 objects at a time.
    const pages = server.count('Thing/changes');
    expect(pages).toBeGreaterThanOrEqual(MOST / 100);
    expect(pages).toBeLessThan(MOST / 100 + 5);
  });
});
