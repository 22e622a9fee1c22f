import { expect, test } from 'vitest';
import { valuesAt } from '../../src/capability/parts.js';

const PLACE = [{ each: 'value' }, { member: 'name' }] as const;

test('where names members of items, and members of these by a path', () => {
  const people = {
    a: { name: 'Ann', roles: { owner: true }, 'a/b': 1 },
    b: { name: 'Bob', roles: { owner: false } },
    c: { name: 'Cy', 'roles/owner': true },
    d: { name: 'Di', roles: null },
  };
  const named = (where: Record<string, string | number | boolean>) =>
    valuesAt({ place: PLACE, where }, people);
  expect(named({ 'roles/owner': true })).toEqual(['Ann']);
  expect(named({ 'roles~1owner': true })).toEqual(['Cy']);
  expect(named({ 'a~1b': 1, name: 'Ann' })).toEqual(['Ann']);
  expect(named({ 'roles/owner/x': true })).toEqual([]);
});
