import { expect, it, vi } from 'vitest';
import { eventually } from '../../../test/support/poll.js';
import { RequestError } from '../../src/call/errors.js';
import { makeTable, openAccount, ToyServer } from '../support/toy-server.js';

// In the long tier, since its files share no modules.
vi.mock('../../src/sync/failed-calls.js', () => {
  throw new TypeError('The file can not be fetched.');
});

it('a server that is away together with its files is away, and no fault', async () => {
  const server = new ToyServer();
  const { sync, failures } = await openAccount(server, [makeTable('Thing')]);
  await sync.settle();
  failures.length = 0;
  server.before = () => {
    throw new RequestError(503, {});
  };
  sync.want();
  await eventually(() => expect(failures.length).toBeGreaterThan(1));
  await sync.close();
  expect(new Set(failures)).toEqual(new Set(['transport']));
});
