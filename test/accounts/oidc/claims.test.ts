import { describe, expect, it } from 'vitest';
import {
  type AccessRule,
  accountsOf,
  claimAt,
  rolesOf,
  scopesOf,
} from '../../../src/accounts/oidc/claims.js';

const teams = (mode: AccessRule['mode'], is = /^team-([a-z]+)$/u): AccessRule => ({
  ...{ claim: 'groups', is, account: '{1}', mode },
});

describe('A claim', () => {
  it('is one of the very name before one at the path of its dots', () => {
    const claims = { 'a.b': 1, a: { b: 2, c: { d: 3 } }, 'https://x.example/groups': ['red'] };
    expect(claimAt(claims, 'a.b')).toBe(1);
    expect(claimAt(claims, 'a.c.d')).toBe(3);
    expect(claimAt(claims, 'https://x.example/groups')).toEqual(['red']);
    for (const name of ['a.x', 'a.b.c', 'x', '', 'toString', 'a.__proto__', 'a.c.constructor'])
      expect(claimAt(claims, name)).toBeUndefined();
  });
});

describe('Accounts', () => {
  it('are those of fitting values of a text or a list; others give nothing', () => {
    const rules = [teams('write')];
    const of = (groups: unknown) => [...accountsOf({ groups }, rules)];
    expect(of(['team-red', 'team-blue', 'admins'])).toEqual([
      ['red', false],
      ['blue', false],
    ]);
    expect(of('team-red')).toEqual([['red', false]]);
    for (const groups of [undefined, null, 7, [7, null, ['team-red']], { 0: 'team-red' }, []])
      expect(of(groups)).toEqual([]);
  });

  it('are not those of texts that no database keeps', () => {
    const all = { ...teams('write'), is: /^(.+)$/s };
    const groups = ['a\u0000b', 'line\nend', '\ud800', 'red'];
    expect([...accountsOf({ groups }, [all]).keys()]).toEqual(['red']);
    const rule = { claim: 'groups', allow: new Set(groups) };
    expect(rolesOf({ groups }, rule)).toEqual(['red']);
    expect([...scopesOf({ scope: 'a \u0000', scp: ['b\u0000', 'c'] })]).toEqual(['c']);
  });

  it('have the wider mode of two rules, in either order', () => {
    const claims = { groups: ['team-red'] };
    for (const modes of [
      ['read', 'write'],
      ['write', 'read'],
    ] as const)
      expect([
        ...accountsOf(
          claims,
          modes.map((mode) => teams(mode)),
        ),
      ]).toEqual([['red', false]]);
    expect([...accountsOf(claims, [teams('read'), teams('read')])]).toEqual([['red', true]]);
  });

  it('may be named by no group or several of them', () => {
    const rule = { ...teams('read', /^([a-z]+)-([a-z]+)?$/u), account: '{2}/{1}/{9}' };
    expect([...accountsOf({ groups: ['team-red'] }, [rule]).keys()]).toEqual(['red/team/']);
    expect([...accountsOf({ groups: ['team-'] }, [rule]).keys()]).toEqual(['/team/']);
  });
});

it('Roles are the allowed values, each once, in order', () => {
  const rule = { claim: 'realm_access.roles', allow: new Set(['customer', 'agent']) };
  const claims = { realm_access: { roles: ['customer', 'root', 'agent', 'customer'] } };
  expect(rolesOf(claims, rule)).toEqual(['agent', 'customer']);
  expect(rolesOf({}, rule)).toEqual([]);
  expect(rolesOf(claims, null)).toEqual([]);
});

it('Scopes are those of scope and scp, as texts and as lists', () => {
  expect([...scopesOf({ scope: 'a b  c', scp: ['b', 'd e'] })]).toEqual(['a', 'b', 'c', 'd', 'e']);
  expect([...scopesOf({ scp: 'a b' })]).toEqual(['a', 'b']);
  expect([...scopesOf({ scope: '' })]).toEqual([]);
  expect([...scopesOf({ scope: { a: true } })]).toEqual([]);
});
