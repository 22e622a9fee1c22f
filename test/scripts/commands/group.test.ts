import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { BUILD_TIMEOUT, buildTools, Workplace } from './tool.js';

let place: Workplace;

beforeAll(async () => {
  buildTools();
  place = new Workplace();
  for (const user of ['ann', 'bob  two'])
    await place.lines('account', 'create', '--name', 'A', '--user', user);
}, BUILD_TIMEOUT);

afterAll(() => place.remove());

describe('group', () => {
  it('create prints an id, and list a line for each: id, created, members, name', async () => {
    const [team = ''] = await place.lines('group', 'create', 'team');
    const [other = ''] = await place.lines('group', 'create', 'the others');
    expect(team).toMatch(/^g[0-9a-z]{26}$/);
    const silent = [
      ['add', 'team', '--user', 'bob  two'],
      ['add', 'team', '--user', 'ann'],
      ['add', 'team', '--user', 'ann'],
      ['remove', 'team', '--user', 'bob  two'],
    ];
    const results = await place.runEach('group', silent);
    expect(results).toEqual(silent.map(() => ({ code: 0, stdout: '', stderr: '' })));
    const lines = await place.lines('group', 'list');
    expect(lines.map((line) => line.split(/ {2,}/))).toEqual([
      [team, expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/), 'ann', 'team'],
      [other, expect.any(String), '-', 'the others'],
    ]);
    const json = JSON.parse((await place.lines('group', 'list', '--json')).join('\n'));
    expect(json).toMatchObject([{ id: team, name: 'team', members: ['ann'] }, { id: other }]);
    const acts = (await place.lines('user', 'audit')).map((line) => line.split('  ')[2]);
    expect(acts.filter((act) => act?.startsWith('group/'))).toEqual([
      ...['group/create', 'group/create', 'group/add', 'group/add', 'group/remove'],
    ]);
  });

  it('delete prints nothing, and its name is free then', async () => {
    const [first] = await place.lines('group', 'create', 'short');
    await place.lines('group', 'add', 'short', '--user', 'ann');
    expect(await place.lines('group', 'delete', 'short')).toEqual([]);
    const [second] = await place.lines('group', 'create', 'short');
    expect(second).not.toBe(first);
    expect((await place.lines('group', 'list')).at(-1)).toMatch(/ {2}- {2,}short$/);
  });

  it('says what is wrong with exit code 2', async () => {
    await place.lines('group', 'create', 'one');
    const calls: readonly (readonly [args: readonly string[], reason: RegExp])[] = [
      [[], /create, list/],
      [['create'], /NAME/],
      [['create', 'one'], /a group "one" already/],
      [['create', ' one'], /can't be the name of a group/],
      [['add', 'one'], /--user/],
      [['add', 'one', '--user', 'nobody'], /no user "nobody"/],
      [['add', 'none', '--user', 'ann'], /no group "none"/],
      [['remove', 'one', '--user', 'ann'], /is no member/],
      [['delete', 'none'], /no group "none"/],
    ];
    const results = await place.runEach(
      'group',
      calls.map(([args]) => args),
    );
    for (const [at, [, reason]] of calls.entries()) {
      expect(results[at]).toMatchObject({ code: 2, stdout: '' });
      expect(results[at]?.stderr).toMatch(reason);
      expect(results[at]?.stderr).not.toMatch(/\n\s+at /);
    }
  });
});
