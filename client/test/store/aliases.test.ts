import { expect, it } from 'vitest';
import { Replica } from '../../src/store/replica.js';
import { makeTable } from '../support/toy-server.js';

// Keys of objects that were made here, and the ids that the server has given them.

const [FIRST, SECOND] = ['~first', '~second'];

function makeReplica(): Replica {
  const replica = new Replica([makeTable('Thing')]);
  const objects = new Map(['t1', 't2'].map((id) => [id, { id }]));
  replica.apply({ objects: new Map([['Thing', objects]]) });
  return replica;
}

const alias = (replica: Replica, ids: Readonly<Record<string, string>>) =>
  replica.apply({
    aliases: new Map(Object.entries(ids).map(([key, id]) => [key, { type: 'Thing', id }])),
  });

const idsOf = (replica: Replica) => [FIRST, SECOND].map((key) => replica.row('Thing', key)?.id);

it('two keys may swap their objects', () => {
  const replica = makeReplica();
  alias(replica, { [FIRST]: 't1', [SECOND]: 't2' });
  alias(replica, { [FIRST]: 't2', [SECOND]: 't1' });
  expect(idsOf(replica)).toEqual(['t2', 't1']);
  expect([...replica.rows('Thing')]).toHaveLength(2);
});

it('a key may get the object of another key, which gets a new one', () => {
  const replica = makeReplica();
  alias(replica, { [SECOND]: 't1' });
  alias(replica, { [FIRST]: 't1', [SECOND]: 't2' });
  expect(idsOf(replica)).toEqual(['t1', 't2']);
});
