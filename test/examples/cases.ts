import { expect, test } from 'vitest';
import { DONE } from './calls.js';
import type { ServedExamples } from './project.js';

/** Tests what tracker is about, on whatever database serves it. */
export function firstCases(examples: () => ServedExamples): void {
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
