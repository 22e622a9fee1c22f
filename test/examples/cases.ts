import { expect, test } from 'vitest';
import { DONE } from './calls.js';
import type { ServedExamples } from './project.js';

/** Tests what contacts, tasks and tracker are about, on whatever database serves them. */
export function firstCases(examples: () => ServedExamples): void {
  test('contacts: a deeply nested card, patched entry by entry, in several books', async () => {
    const { create, update, destroy, read, ids, call } = examples();
    const { id: work } = await create('AddressBook', { name: 'Work' });
    const { id: home } = await create('AddressBook', { name: 'Home' });
    const again = await call('AddressBook/set', { create: { k: { name: 'Work' } } });
    expect(again.notCreated.k).toMatchObject({ type: 'alreadyExists', existingId: work });
    const card = {
      uid: 'urn:uuid:1',
      fullName: 'Ada Lovelace',
      mainBookId: work,
      addressBookIds: { [work]: true, [home]: true },
      name: { components: [{ kind: 'given', value: 'Ada' }], sortAs: { surname: 'Lovelace' } },
      emails: { e1: { address: 'ada@example.com', contexts: { work: true }, pref: 1 } },
      addresses: { a1: { countryCode: 'GB', geo: { latitude: 51.5, longitude: -0.13 } } },
      anniversaries: { b: { kind: 'birth', date: { year: 1815, month: 12, day: 10 } } },
    };
    const { id } = await create('ContactCard', card);
    expect(await read('ContactCard', id)).toMatchObject(card);
    expect((await read('AddressBook', work)).cards).toBe(1);

    const patch = {
      'emails/e1/contexts/private': true,
      'emails/e2': { address: 'a@example.org' },
      'addresses/a1/geo/latitude': 52,
      'name/sortAs/surname': null,
      'anniversaries/b/date/day': null,
    };
    expect(await update('ContactCard', id, patch)).toEqual(DONE);
    expect(await read('ContactCard', id)).toMatchObject({
      name: { components: [{ kind: 'given', value: 'Ada' }], sortAs: {} },
      emails: {
        e1: { address: 'ada@example.com', contexts: { work: true, private: true }, pref: 1 },
        e2: { address: 'a@example.org' },
      },
      addresses: { a1: { countryCode: 'GB', geo: { latitude: 52, longitude: -0.13 } } },
      anniversaries: { b: { kind: 'birth', date: { year: 1815, month: 12 } } },
    });
    for (const [path, value] of [
      ['emails/e1/pref', 101],
      ['emails/e1/contexts/pub', true],
      ['emails/e1/address', null],
      ['addresses/a1/geo/longitude', 181],
    ] as const) {
      const refused = await update('ContactCard', id, { [path]: value });
      expect(refused, path).toMatchObject({ type: 'invalidProperties' });
    }
    expect(await update('ContactCard', id, { 'phones/p1/number': '1' })).toMatchObject({
      type: 'invalidPatch',
    });

    expect(await ids('ContactCard', { filter: { inAddressBook: home } })).toEqual([id]);
    expect(await ids('ContactCard', { filter: { name: 'LOVE', text: 'ada' } })).toEqual([id]);
    expect(await destroy('AddressBook', work)).toMatchObject({ type: 'objectIsLinked' });
    expect(await destroy('AddressBook', home)).toBeUndefined();
    expect((await read('ContactCard', id)).addressBookIds).toEqual({ [work]: true });
  });

  test('tasks: a list takes its tasks along; local date-times, tags, a tree of parts', async () => {
    const { create, update, destroy, read, ids, call } = examples();
    const { id: taskListId } = await create('TaskList', { name: 'Home', role: 'inbox' });
    const other = await call('TaskList/set', { create: { k: { name: 'Other', role: 'inbox' } } });
    expect(other.notCreated.k.type).toBe('alreadyExists');
    const due = '2026-03-01T18:00:00';
    const first = { taskListId, title: 'Paint the door', due, keywords: { diy: true } };
    const { id: door } = await create('Task', first);
    const { id: later } = await create('Task', {
      ...first,
      title: 'Hang it',
      due: '2026-03-02T09:30:00.5',
      keywords: {},
      parentId: door,
      dependsOn: [door],
    });
    expect(await read('Task', door)).toMatchObject({ ...first, progress: 'needs-action' });
    expect(await update('Task', door, { due: `${due}Z` })).toMatchObject({
      type: 'invalidProperties',
      properties: ['due'],
    });
    expect(await update('Task', door, { parentId: later })).toMatchObject({
      type: 'invalidProperties',
      properties: ['parentId'],
    });
    expect(await update('Task', door, { 'keywords/urgent': true, 'keywords/diy': null })).toEqual(
      DONE,
    );
    expect(await ids('Task', { filter: { hasKeyword: 'urgent' } })).toEqual([door]);
    expect(await ids('Task', { filter: { hasKeyword: 'diy' } })).toEqual([]);
    expect(await ids('Task', { filter: { dependsOn: door } })).toEqual([later]);
    expect(await ids('Task', { filter: { dueBefore: '2026-03-02T00:00:00' } })).toEqual([door]);
    const sort = [{ property: 'due', isAscending: false }];
    expect(await ids('Task', { filter: { inList: taskListId }, sort })).toEqual([later, door]);
    expect((await read('TaskList', taskListId)).tasks).toBe(2);

    const { state } = await call('Task/get', { ids: [] });
    expect(await destroy('TaskList', taskListId)).toBeUndefined();
    const changes = await call('Task/changes', { sinceState: state });
    expect(changes.destroyed.sort()).toEqual([door, later].sort());
    expect(await ids('Task')).toEqual([]);
  });

  test('tracker: own methods, hooks, counts, unique numbers and a search', async () => {
    const { create, update, destroy, read, ids, call, accountId } = examples();
    const { id: projectId } = await create('Project', {
      key: 'JM',
      name: 'Smith',
      token: 's3cret',
    });
    expect(await read('Project', projectId)).not.toHaveProperty('token');
    const issue = { projectId, number: 1, title: 'Door is stuck', body: 'The hinge rusted.' };
    const { id, slug } = await create('Issue', issue);
    expect(slug).toBe('1-door-is-stuck');
    const second = await create('Issue', {
      ...issue,
      number: 2,
      title: 'Hinge',
      labels: { a: true },
    });
    const twice = await call('Issue/set', { create: { k: issue } });
    expect(twice.notCreated.k).toMatchObject({ type: 'alreadyExists', existingId: id });
    await create('Comment', { issueId: id, body: 'Oil it.' });
    expect((await read('Issue', id)).comments).toBe(1);
    expect((await read('Project', projectId)).issues).toBe(2);

    const byNumber = [{ property: 'number' }];
    const search = (words: string) => ids('Issue', { filter: { search: words }, sort: byNumber });
    expect(await search('HINGE')).toEqual([id, second.id]);
    expect(await search('door rusted')).toEqual([id]);
    expect(await ids('Issue', { filter: { projectId, hasLabel: 'a' } })).toEqual([second.id]);

    const args = { ids: [id, 'nobody'], resolution: 'fixed' };
    expect(await call('Issue/close', args)).toEqual({
      accountId,
      closed: [id],
      notFound: ['nobody'],
    });
    expect(await read('Issue', id)).toMatchObject({
      status: 'closed',
      resolution: 'fixed',
      comments: 2,
    });
    expect((await read('Issue', id)).closings).toBeUndefined();
    const said = await ids('Comment', { filter: { issueId: id, body: 'closed: fixed' } });
    expect((await read('Comment', said[0] ?? '')).system).toBe(true);
    expect((await call('Issue/close', args)).error).toBe('invalidArguments');
    expect((await call('Issue/close', { ...args, resolution: 'x' })).error).toBe(
      'invalidArguments',
    );
    expect(await call('Project/summary', { id: projectId })).toEqual({
      accountId,
      counts: { open: 1, closed: 1 },
    });
    expect(await update('Issue', id, { status: 'open' })).toMatchObject({ properties: ['status'] });

    expect(await update('Project', projectId, { archived: true })).toEqual(DONE);
    const late = await call('Issue/set', { create: { k: { ...issue, number: 3 } } });
    expect(late.notCreated.k).toMatchObject({ type: 'forbidden' });
    expect(await destroy('Project', projectId)).toMatchObject({ type: 'objectIsLinked' });
    expect(await destroy('Issue', id)).toBeUndefined();
    expect(await ids('Comment')).toEqual([]);
  });
}
