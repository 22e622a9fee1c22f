import { expect, it } from 'vitest';
import type { ListSearch } from '../../src/store/list-state.js';
import { Replica } from '../../src/store/replica.js';
import { ListSync } from '../../src/sync/list-sync.js';
import { makeTable } from '../support/toy-server.js';

// Lists that the server refuses to tell.

const SEARCH: ListSearch = { name: 'all', type: 'Note', search: {}, position: 0, length: 10 };
const ROOM = { accountId: 'A', room: 16, maxCalls: 16, maxObjectsInGet: 100 };

/** Asks for an open list, which the server answers with an error. */
const NOTHING = { outcomes: [], unsettled: new Set<string>() };

function fail(type: string) {
  const replica = new Replica([makeTable('Note')]);
  const lists = new ListSync(replica, () => [SEARCH]);
  lists.want(SEARCH.name);
  const request = lists.plan(ROOM);
  const response = {
    methodResponses: request.calls.map(([, , id]) => ['error', { type }, id] as const),
    sessionState: '1',
  };
  return { lists, failure: lists.read(request, response, NOTHING).failure };
}

it('a list is refused where the server takes no such question', () => {
  const { lists, failure } = fail('unsupportedFilter');
  expect([lists.isRefused(SEARCH.name), lists.isDue, failure]).toEqual([true, false, null]);
});

it('a list is asked for again where its account was not found', () => {
  const { lists, failure } = fail('accountNotFound');
  expect([lists.isRefused(SEARCH.name), lists.isDue]).toEqual([false, true]);
  expect(failure).toBe('accountNotFound');
});
