import { describe, expect, it } from 'vitest';
import { ConfigError, readConfig } from '../../src/server/config.js';

const POSTGRESQL = 'postgresql://jmap:secret@localhost/jmap';

const read = (env: Record<string, string>) => readConfig(env, '/project').rateLimits;

describe('RATE_LIMITS', () => {
  it('is a list of rules; further ones of a subject name their window', () => {
    const { rules, isDefault } = read({ RATE_LIMITS: 'user:1000/1m, user:50/1s,address:100/24h' });
    expect(rules).toEqual([
      { subject: 'user', name: 'user', count: 1000, seconds: 60 },
      { subject: 'user', name: 'user-1s', count: 50, seconds: 1 },
      { subject: 'address', name: 'address', count: 100, seconds: 86_400 },
    ]);
    expect(isDefault).toBe(false);
  });

  it('limits no users by default, and nobody where it is off', () => {
    expect(read({})).toEqual({
      rules: [{ subject: 'address', name: 'address', count: 100, seconds: 60 }],
      isDefault: true,
      store: 'memory',
    });
    expect(read({ RATE_LIMITS: 'off' }).rules).toEqual([]);
  });

  it.each([
    ['users:100/1m', 'users:100/1m', 'user or address before the ":" of a rule'],
    ['user:1/1m,off', 'off', 'off, or rules such as'],
    ['user:100', 'user:100', 'off, or rules such as'],
    ['user:1/1m,', '', 'off, or rules such as'],
    ['user:100/60', 'user:100/60', 'a duration such as 1s, 5m or 1h'],
    ['user:10/500ms', 'user:10/500ms', 'a duration such as 1s, 5m or 1h'],
    ['user:10/25h', 'user:10/25h', 'a duration such as 1s, 5m or 1h'],
    ['user:10/2d', 'user:10/2d', 'a duration such as 1s, 5m or 1h'],
    ['user:0/1m', 'user:0/1m', 'a count from 1 to 1000000000'],
    ['user:-1/1m', 'user:-1/1m', 'a count from 1 to 1000000000'],
    ['user:1.5/1m', 'user:1.5/1m', 'a count from 1 to 1000000000'],
    ['user:1000000001/1m', 'user:1000000001/1m', 'a count from 1 to 1000000000'],
    ['user:1/1m,address:1/1m,user:2/60s', 'user:2/60s', 'one rule for each user in 60s'],
    ['user:5/1s,user:8/2s,user:9/3s,user:9/4s,user:9/5s', 'user:9/5s', 'at most 4 rules'],
    [
      'user:50/1s,user:3050/1m',
      'user:3050/1m',
      'at most 3049 for each user in 60s: 50/1s refuses all beyond it',
    ],
    ['address:9/1h,address:18/1s', 'address:18/1s', 'at most 17 for each address in 1s: 9/3600s'],
    ['user:18/1s,user:9/1h', 'user:9/1h', 'at most 17 for each user in 1s: 9/3600s'],
  ])('%s is refused with the item that is wrong', (value, item, legal) => {
    const start = (): unknown => read({ RATE_LIMITS: value });
    expect(start).toThrow(ConfigError);
    const message = `RATE_LIMITS=${JSON.stringify(item)} is not usable: it takes ${legal}`;
    expect(start).toThrow(message);
  });
});

describe('RATE_LIMITS_STORE', () => {
  it('is the database of several servers, or the memory of each', () => {
    const database = { DATABASE_URL: POSTGRESQL, RATE_LIMITS_STORE: 'database' };
    expect(read(database).store).toBe('database');
    expect(read({ DATABASE_URL: POSTGRESQL }).store).toBe('memory');
  });

  it('is refused on SQLite, whose one server counts everything', () => {
    const start = (): unknown => read({ RATE_LIMITS_STORE: 'database' });
    expect(start).toThrow(ConfigError);
    expect(start).toThrow('it takes memory on SQLite');
  });

  it('takes no other word', () => {
    const start = (): unknown => read({ RATE_LIMITS_STORE: 'redis' });
    expect(start).toThrow('it takes one of memory, database');
  });
});
