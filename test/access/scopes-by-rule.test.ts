import { describe, expect, it } from 'vitest';
import { type Operation, scopesFor } from '../../src/access/scopes-by-rule.js';
import type { AccessRule } from '../../src/capability/access-rules.js';

const TODO = { id: 't1', listId: 'l1', assignee: 'u2', watchers: { u3: true, g1: true } };

const find = (rules: readonly AccessRule[], operation: Operation, object: object = TODO) =>
  scopesFor(rules, operation, { type: 'Todo', object: { ...TODO, ...object } }, ANCESTORS);

const ANCESTORS = {
  inherited: (type: string, id: string) => ({
    readers: [`reads ${type} ${id}`],
    shares: [
      { object: `${type}:${id}`, right: null },
      { object: 'Space:s1', right: 'mayRead' },
      { object: 'Space:s2', right: 'mayWrite' },
    ],
  }),
};

describe('a rule', () => {
  it.each<readonly [AccessRule['who'], readonly string[]]>([
    [{ kind: 'owner' }, ['o']],
    [{ kind: 'everyone' }, ['*']],
    [{ kind: 'role', role: 'auditor' }, ['r:auditor']],
    [{ kind: 'property', property: 'assignee' }, ['p:u2']],
    [{ kind: 'property', property: 'watchers' }, ['p:g1', 'p:u3']],
    [{ kind: 'share', right: 'mayRead' }, ['Todo:t1/mayRead']],
    [
      { kind: 'parent', reference: 'listId', type: 'TodoList', right: 'mayRead' },
      ['Space:s1/mayRead', 'TodoList:l1/mayRead'],
    ],
    [{ kind: 'parent', reference: 'listId', type: 'TodoList' }, ['reads TodoList l1']],
  ])('has the scopes of its users: %j', (who, scopes) => {
    expect(find([{ who, read: true }], 'read')).toEqual(scopes);
  });

  it('has none where the property that names its users is null', () => {
    const who = { kind: 'property', property: 'assignee' } as const;
    expect(find([{ who, read: true }], 'read', { assignee: null })).toEqual([]);
  });

  it('allows the operations that it names alone', () => {
    const rules: AccessRule[] = [{ who: { kind: 'everyone' }, read: true, update: ['done'] }];
    expect(find(rules, 'read')).toEqual(['*']);
    expect(find(rules, { update: 'done' })).toEqual(['*']);
    expect(find(rules, { update: 'text' })).toEqual([]);
    expect(find(rules, 'create')).toEqual([]);
    expect(find(rules, 'destroy')).toEqual([]);
  });

  it('allows updates of all properties', () => {
    expect(find([{ who: { kind: 'owner' }, update: true }], { update: 'text' })).toEqual(['o']);
  });

  it('is about objects that meet its conditions', () => {
    const where = [{ property: 'listId', values: ['l1'] }];
    const rules: AccessRule[] = [{ who: { kind: 'everyone' }, where, read: true }];
    expect(find(rules, 'read')).toEqual(['*']);
    expect(find(rules, 'read', { listId: 'l2' })).toEqual([]);
  });
});

describe('several rules', () => {
  it('have the scopes of all of them, each once', () => {
    const rules: AccessRule[] = [
      { who: { kind: 'role', role: 'auditor' }, read: true },
      { who: { kind: 'property', property: 'assignee' }, read: true },
      { who: { kind: 'role', role: 'auditor' }, read: true },
    ];
    expect(find(rules, 'read')).toEqual(['p:u2', 'r:auditor']);
  });
});
