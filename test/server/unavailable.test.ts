import { expect, it } from 'vitest';
import { UnavailableError } from '../../src/protocol/errors.js';
import { createUnavailableLog } from '../../src/server/unavailable.js';

function rig() {
  const lines: (readonly [object, string])[] = [];
  const clock = { now: 0 };
  const warn = (fields: object, message: string) => void lines.push([fields, message]);
  const tell = createUnavailableLog({ warn } as never, () => clock.now);
  return { lines, clock, tell };
}

const full = () =>
  new UnavailableError('The database is unavailable (SQLITE_FULL).', {
    cause: Object.assign(new Error('database or disk is full'), { code: 'SQLITE_FULL' }),
  });

it('logs a cause at once, then at most every 30 s with its count, each by itself', () => {
  const { lines, clock, tell } = rig();
  for (let n = 0; n < 1000; n += 1) tell(full());
  tell(new UnavailableError('Too many writes are waiting.'));
  const reason = 'The database is unavailable (SQLITE_FULL). <- database or disk is full';
  expect(lines).toEqual([
    [{ reason }, 'unavailable'],
    [{ reason: 'Too many writes are waiting.' }, 'unavailable'],
  ]);
  clock.now = 29_999;
  tell(full());
  expect(lines).toHaveLength(2);
  clock.now = 30_000;
  tell(full());
  tell(full());
  expect(lines.slice(2)).toEqual([[{ reason, unlogged: 1000 }, 'unavailable']]);
});

it('logs codes and the addresses of a name, and no other member of an error', () => {
  const { lines, tell } = rig();
  const refused = ['::1', '127.0.0.1'].map((host) => new Error(`connect ECONNREFUSED ${host}:1`));
  const cause = Object.assign(new AggregateError(refused), { code: 'ECONNREFUSED' });
  const detail = { detail: 'Key (text)=(a secret) exists.', password: 'hunter2' };
  tell(new UnavailableError('The database is unavailable (ECONNREFUSED).', { cause }));
  tell(Object.assign(new UnavailableError('No room.'), detail, { code: 'ENOSPC' }));
  expect(lines.map(([fields]) => fields)).toEqual([
    {
      reason:
        'The database is unavailable (ECONNREFUSED). <- connect ECONNREFUSED ::1:1; connect ' +
        'ECONNREFUSED 127.0.0.1:1',
    },
    { reason: 'No room. (ENOSPC)' },
  ]);
});

it('remembers a bounded number of causes', () => {
  const { lines, tell } = rig();
  for (let n = 0; n < 300; n += 1) tell(new UnavailableError(`cause ${n}`));
  tell(new UnavailableError('cause 299'));
  tell(new UnavailableError('cause 0'));
  expect(lines).toHaveLength(301);
});
