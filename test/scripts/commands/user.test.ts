import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { BUILD_TIMEOUT, buildTools, Workplace } from './tool.js';

let place: Workplace;
let account: string;

beforeAll(async () => {
  buildTools();
  place = new Workplace();
  [account = ''] = await place.lines('account', 'create', '--name', 'A', '--user', 'alice');
  await place.lines('account', 'grant', account, '--user', 'bob  two');
}, BUILD_TIMEOUT);

afterAll(() => place.remove());

describe('user', () => {
  it('list has a line for each user: id, created, state, roles, identities, name', async () => {
    await place.runEach('user', [
      ['roles', 'alice', 'support', 'admin'],
      ['disable', 'bob  two'],
    ]);
    const lines = await place.lines('user', 'list');
    expect(lines.map((line) => line.split(/ {2,}/).slice(2))).toEqual([
      ['enabled', 'admin,support', '-', 'alice'],
      ['disabled', '-', '-', 'bob', 'two'],
    ]);
    const [first = ''] = lines;
    expect(first).toMatch(/^u[0-9a-z]{26} {2}\d{4}-\d\d-\d\dT[\d:.]+Z {2}enabled/);
  });

  it('disable, enable, sign-out and roles print nothing; roles of a user are printed', async () => {
    await place.lines('token', 'create', '--user', 'alice');
    const silent = [
      ['disable', 'alice'],
      ['disable', 'alice'],
      ['enable', 'alice'],
      ['sign-out', 'bob  two'],
      ['roles', 'alice', 'b', 'a'],
    ];
    const results = await place.runEach('user', silent);
    expect(results).toEqual(silent.map(() => ({ code: 0, stdout: '', stderr: '' })));
    expect(await place.lines('user', 'roles', 'alice')).toEqual(['a', 'b']);
    expect(await place.lines('user', 'roles', 'alice', '--none')).toEqual([]);
    expect(await place.lines('user', 'roles', 'alice')).toEqual([]);
    const signedOut = await place.run('user', ['sign-out', 'alice']);
    expect(signedOut).toMatchObject({ code: 0, stdout: '' });
    expect(signedOut.stderr).toContain('tokens of the server: 1');
  });

  it('audit prints the acts since a while, oldest first, and no token', async () => {
    const [token = ''] = await place.lines('token', 'create', '--user', 'alice');
    const lines = await place.lines('user', 'audit');
    const acts = lines.map((line) => line.split('  '));
    expect(acts.slice(0, 2).map(([, actor, action]) => [actor, action])).toEqual([
      ['-', 'user/create'],
      ['-', 'account/create'],
    ]);
    expect(acts[1]?.[3]).toBe(account);
    const last = acts.at(-1);
    expect(last?.slice(1, 4)).toEqual(['-', 'token/create', token.split('_')[1]]);
    expect(JSON.parse(last?.[4] ?? '')).toMatchObject({ user: 'alice', readOnly: false });
    const times = acts.map(([at = '']) => Date.parse(at));
    expect(times).toEqual([...times].sort((a, b) => a - b));
    expect(lines.join('\n')).not.toContain(token.slice(-43));
    expect(await place.lines('user', 'audit', '--since', '1h')).toEqual(lines);
  });

  it('says what is wrong with exit code 2', async () => {
    const calls: readonly (readonly [args: readonly string[], reason: RegExp])[] = [
      [[], /list, disable/],
      [['disable'], /NAME/],
      [['disable', 'bob', 'two'], /quotes/],
      [['enable', 'nobody'], /no user "nobody"/],
      [['sign-out', 'nobody'], /no user "nobody"/],
      [['roles'], /NAME/],
      [['roles', 'nobody'], /no user "nobody"/],
      [['roles', 'alice', 'a b'], /can't be a role/],
      [['roles', 'alice', 'a', '--none'], /--none/],
      [['audit', '--since', 'yesterday'], /yesterday/],
    ];
    const results = await place.runEach(
      'user',
      calls.map(([args]) => args),
    );
    for (const [at, [, reason]] of calls.entries()) {
      expect(results[at]).toMatchObject({ code: 2, stdout: '' });
      expect(results[at]?.stderr).toMatch(reason);
      expect(results[at]?.stderr).not.toMatch(/\n\s+at /);
    }
  });
});
