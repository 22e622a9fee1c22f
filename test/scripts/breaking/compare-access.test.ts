import { describe, expect, it } from 'vitest';
import { compareModels } from '../../../scripts/generator/breaking/compare.js';
import type { AccessRule } from '../../../src/capability/access-rules.js';
import { CREATOR } from '../../../src/capability/creator.js';
import { model, property, todo } from '../migrations/models.js';

const ASSIGNEE = property('assignee', 'string', { nullable: true, default: null });
const OWNER: AccessRule = { who: { kind: 'owner' }, read: true, update: true };
const THEIRS: AccessRule = {
  who: { kind: 'property', property: 'assignee' },
  read: true,
  update: ['text', 'done'],
};

/** Returns the changes from some access rules of a type to others, a line each. */
function compare(
  before: readonly AccessRule[] | undefined,
  after: readonly AccessRule[] | undefined,
  properties = [ASSIGNEE],
): readonly string[] {
  const of = (access: readonly AccessRule[] | undefined, own = [ASSIGNEE]) =>
    model([{ ...todo(own), ...(access && { access }) }]);
  return compareModels(of(before), of(after, properties)).map(
    ({ breaking, layer, where, what }) =>
      `${breaking ? 'breaking' : 'fine'} ${layer} ${where}: ${what}`,
  );
}

describe('breaking: access rules', () => {
  it('break clients if a type gets its first ones, and not if it loses all', () => {
    expect(compare(undefined, [OWNER])).toEqual([
      'breaking wire Todo: access: users may do what its rules give, and nothing else',
    ]);
    expect(compare([OWNER], undefined)).toEqual([
      'fine wire Todo: access: all users of the account may do everything',
    ]);
  });

  it('break clients if users may do less, and tell what', () => {
    const less: AccessRule = { ...THEIRS, update: ['done'], destroy: true };
    expect(compare([OWNER, THEIRS], [less])).toEqual([
      'breaking wire Todo: access: users who may write in all of the account may no longer ' +
        'read, update',
      'breaking wire Todo: access: users whom assignee names may no longer update text',
      'fine wire Todo: access: users whom assignee names may destroy',
    ]);
  });

  it('are the same in another order, and with a right to all in the place of one to some', () => {
    expect(compare([OWNER, THEIRS], [THEIRS, OWNER])).toEqual([]);
    expect(compare([THEIRS], [{ ...THEIRS, update: true }])).toEqual([
      'fine wire Todo: access: users whom assignee names may update',
    ]);
  });

  it('tell the objects that a rule is about', () => {
    const where = [{ property: 'assignee', values: [null] }];
    expect(compare([THEIRS], [THEIRS, { who: { kind: 'everyone' }, where, read: true }])).toEqual([
      'fine wire Todo: access: all users who reach the account ' +
        '([{"property":"assignee","values":[null]}]) may read',
    ]);
  });

  it('name the creator in words', () => {
    const rule: AccessRule = { who: { kind: 'property', property: CREATOR }, read: true };
    expect(compare([OWNER, rule], [OWNER])).toEqual([
      'breaking wire Todo: access: the user who created the object may no longer read',
    ]);
  });

  it('follow a property that is renamed', () => {
    const renamed = property('worker', 'string', {
      ...{ nullable: true, default: null, column: 'assignee', renamedFrom: 'assignee' },
    });
    const rule: AccessRule = { ...THEIRS, who: { kind: 'property', property: 'worker' } };
    const told = compare([THEIRS], [rule], [renamed]);
    expect(told.filter((line) => line.includes('access'))).toEqual([]);
  });
});
