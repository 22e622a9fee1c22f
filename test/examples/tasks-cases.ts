import { beforeAll, describe, expect, it } from 'vitest';
import { Client } from '../support/client.js';
import { eventually } from '../support/poll.js';
import { type Answer, calls } from './calls.js';
import type { Example } from './example-project.js';
import { RFC8984 } from './rfc8984.js';

/** Members that the server sets in a Task that has an `updated` of its own. */
const SET = ['isDraft', 'isOrigin', 'sortOrder', 'workflowStatus', 'estimatedWork', 'impact'];

const RULE = { '@type': 'RecurrenceRule', frequency: 'monthly' };
const ADA = { '@type': 'Participant', roles: { owner: true } };
const COMMENT = { '@type': 'Comment', message: 'Hi' };
const START = '2026-01-01T00:00:00';
const OVERRIDE = `recurrenceOverrides/${START}`;

/** Members of a task that recurs by one rule. */
const rules = (members: object) => ({ start: START, recurrenceRules: [{ ...RULE, ...members }] });
/** Members of a task with one changed occurrence. */
const overrides = (patch: object) => ({ recurrenceOverrides: { [START]: patch } });

/** Tests what examples/tasks is about, on whatever database serves it. */
export function taskCases(example: () => Example): void {
  let taskListId: string;
  const create = (object: object) => example().create('Task', { taskListId, ...object });
  const refusal = async (object: object): Promise<Answer> => {
    const task = { taskListId, uid: 'refused', ...object };
    return (await example().call('Task/set', { create: { k: task } })).notCreated?.k;
  };

  beforeAll(async () => {
    ({ id: taskListId } = await example().create('TaskList', { name: 'Home', role: 'inbox' }));
  });

  describe('RFC 8984 6: stores and returns unchanged', () => {
    const stored = async (object: object): Promise<void> => {
      const serverSet = 'updated' in object ? SET : [...SET, 'updated'];
      const id = await example().storesUnchanged('Task', object, {
        beside: { taskListId },
        serverSet,
      });
      expect(await example().destroy('Task', id)).toBeUndefined();
    };
    it.each(['6.2', '6.5'] as const)('the task of %s', (part) => stored(RFC8984[part]));

    it('the task in the group of 6.3', () => stored(RFC8984['6.3'].entries[1] ?? {}));

    // A task may have all members of an event but its duration.
    it.each(['6.1', '6.4', '6.6', '6.7', '6.8', '6.9', '6.10'] as const)(
      'the event of %s as a task',
      (part) => {
        const { duration, ...event }: { duration?: string } = RFC8984[part];
        const length = duration === undefined ? {} : { estimatedDuration: duration };
        return stored({ ...event, ...length, '@type': 'Task' });
      },
    );
  });

  it.each(['6.1', '6.3'] as const)('RFC 8984 %s: an event or a group is no task', async (part) => {
    const { properties } = await refusal({ ...RFC8984[part] });
    expect(properties).toContain('@type');
  });

  it('stores alerts of each kind of trigger, relations and what it does not know', async () => {
    const task = {
      '@type': 'Task',
      uid: 'everything',
      updated: '2026-01-02T03:04:05Z',
      timeZone: null,
      alerts: {
        a: { '@type': 'Alert', trigger: { '@type': 'OffsetTrigger', offset: '-PT15M' } },
        b: {
          '@type': 'Alert',
          trigger: { '@type': 'AbsoluteTrigger', when: '2026-01-02T08:00:00Z' },
          action: 'email',
        },
        c: { '@type': 'Alert', trigger: { '@type': 'example.com:place', near: { km: 2 } } },
      },
      relatedTo: { 'uid/with~all': { '@type': 'Relation', relation: { parent: true } } },
      checklists: {
        l: {
          '@type': 'Checklist',
          checkItems: [{ '@type': 'CheckItem', title: 'Milk', isComplete: false }],
        },
      },
      'example.com:mood': ['calm', { of: null }],
    };
    const options = { beside: { taskListId }, serverSet: SET };
    const id = await example().storesUnchanged('Task', task, options);
    const patch = {
      'alerts/a/trigger/offset': '-PT1H',
      'alerts/b': null,
      'relatedTo/uid~1with~0all/relation/first': true,
      'checklists/l/checkItems': [],
      'example.com:mood': null,
      timeZone: 'Europe/Berlin',
    };
    expect(await example().update('Task', id, patch)).toEqual({
      updated: expect.any(String),
    });
    expect(await example().read('Task', id)).toMatchObject({
      alerts: { a: { trigger: { offset: '-PT1H' } }, c: task.alerts.c },
      relatedTo: { 'uid/with~all': { relation: { parent: true, first: true } } },
      timeZone: 'Europe/Berlin',
    });
    const wrong = { 'alerts/a/trigger/offset': 'soon' };
    expect(await example().update('Task', id, wrong)).toMatchObject({ properties: ['alerts'] });
  });

  it('gives the times in UTC to who asks, by the zone of the task or of the call', async () => {
    const start = '2026-03-29T02:30:00';
    const { id: berlin } = await create({ uid: 'b', start, timeZone: 'Europe/Berlin' });
    const { id: floating } = await create({ uid: 'f', start, due: '2026-07-01T00:00:00' });
    const properties = ['utcStart', 'utcDue'];
    const args = { ids: [berlin, floating], properties, timeZone: 'America/New_York' };
    expect((await example().call('Task/get', args)).list).toEqual([
      // The clocks skip it.
      { id: berlin, utcStart: '2026-03-29T01:30:00Z', utcDue: null },
      { id: floating, utcStart: '2026-03-29T06:30:00Z', utcDue: '2026-07-01T04:00:00Z' },
    ]);
    expect(await example().read('Task', berlin)).not.toHaveProperty('utcStart');
  });

  it('keeps the statuses of a list, unique uids and what is no draft', async () => {
    expect(await refusal({ workflowStatus: 'odd' })).toMatchObject({
      properties: ['workflowStatus'],
      description: expect.stringContaining('needs-action'),
    });
    expect(await refusal({ workflowStatus: 'pending', progress: 'completed' })).toMatchObject({
      properties: ['progress'],
    });
    expect(await refusal({ '@type': 'Event' })).toMatchObject({ properties: ['@type'] });
    const { id } = await create({ uid: 'draft', isDraft: true, workflowStatus: 'pending' });
    expect(await example().update('Task', id, { isDraft: false })).not.toHaveProperty('type');
    expect(await example().update('Task', id, { isDraft: true })).toMatchObject({
      properties: ['isDraft'],
    });
    expect(await refusal({ uid: 'draft' })).toMatchObject({
      type: 'alreadyExists',
      existingId: id,
    });
    const other = await create({ uid: 'draft', recurrenceId: '2026-01-01T00:00:00' });
    expect(other.id).not.toBe(id);
  });

  it.each<[place: string, members: object]>([
    ['recurrenceRules/0/until', rules({ count: 2, until: '2030-01-01T00:00:00' })],
    ['recurrenceRules/0/byDay', rules({ byDay: [{ '@type': 'NDay', day: 'mo', nthOfPeriod: 0 }] })],
    ['recurrenceRules/0/byMonthDay', rules({ byMonthDay: [32] })],
    ['recurrenceRules/0/byMonth', rules({ byMonth: ['5L'] })],
    ['recurrenceRules', { recurrenceRules: [RULE] }],
    ['recurrenceRules', { ...rules({}), recurrenceId: START }],
    ['recurrenceOverrides', { ...overrides({}), recurrenceId: START }],
    ['recurrenceOverrides', { recurrenceOverrides: { tomorrow: {} } }],
    ['recurrenceIdTimeZone', { recurrenceIdTimeZone: 'Europe/Berlin' }],
    ['excludedRecurrenceRules', { excludedRecurrenceRules: [{ ...RULE, byMonthDay: [1, 0] }] }],
    [`${OVERRIDE}/isDraft`, overrides({ isDraft: true })],
    [OVERRIDE, overrides({ excluded: true, title: 'Not then' })],
    [`${OVERRIDE}/participants/a/name`, overrides({ 'participants/a/name': 'Ada' })],
    [
      `${OVERRIDE}/keywords/a`,
      { ...overrides({ keywords: {}, 'keywords/a': true }), keywords: {} },
    ],
    [`${OVERRIDE}/recurrence/0/a`, { ...overrides({ 'recurrence/0/a': 1 }), recurrence: [{}] }],
    [`${OVERRIDE}/title~2`, overrides({ 'title~2': 'Odd' })],
    ['localizations', { localizations: { 'not a tag': {} } }],
    ['localizations/de/locations/l/name', { localizations: { de: { 'locations/l/name': 'Hof' } } }],
    [
      `localizations/de/${OVERRIDE}/title`,
      { localizations: { de: { [`${OVERRIDE}/title`]: 'X' } } },
    ],
    ['locations/l', { locations: { l: { '@type': 'Location', relativeTo: 'start' } } }],
    ['locations', { locations: { l: { '@type': 'Location', coordinates: 'tel:1' } } }],
    ['locations', { locations: { l: { '@type': 'Location', name: 'Shed', links: {} } } }],
    ['links/l', { links: { l: { '@type': 'Link', title: 'Nowhere' } } }],
    ['links/l/display', { links: { l: { '@type': 'Link', href: 'a:b', display: 'badge' } } }],
    ['descriptionContentType', { descriptionContentType: 'text/html; charset=latin1' }],
    ['method', { method: 'request' }],
    ['replyTo', { replyTo: {} }],
    ['replyTo/web', { replyTo: { web: 'http://example.com/' } }],
    ['replyTo/a-b', { replyTo: { 'a-b': 'mailto:a@b.c' } }],
    ['requestStatus', { requestStatus: 'done' }],
    ['categories', { categories: { sports: true } }],
    [
      'participants/a/sendTo',
      { participants: { a: { ...ADA, sendTo: { imip: 'mailto:a@b.c' } } } },
    ],
    ['participants', { participants: { a: { ...ADA, email: 'Ada' } } }],
    ['participants/a/progress', { participants: { a: { ...ADA, progress: 'completed' } } }],
    ['participants/a/memberOf/b', { participants: { a: { ...ADA, memberOf: { b: true } } } }],
    ['comments/c/author', { comments: { c: { ...COMMENT, author: { '@type': 'Person' } } } }],
  ])('RFC 8984 and the draft: refuses %s of %j', async (place, members) => {
    const [property = ''] = place.split('/');
    expect(await refusal(members)).toMatchObject({
      ...{ type: 'invalidProperties', properties: [property] },
      description: expect.stringContaining(place),
    });
  });

  it('RFC 8984: takes what looks odd but is legal, and keeps no request of a message', async () => {
    const { id } = await create({
      uid: 'odd',
      descriptionContentType: 'TEXT/HTML; charset="UTF-8"',
      ...{ due: START, title: 'Pay', keywords: { bills: true } },
      recurrenceRules: [
        { ...RULE, rscale: 'hebrew', byMonth: ['5L'], byYearDay: [385] },
        { ...RULE, byMonth: ['12'], count: 0 },
      ],
      recurrenceOverrides: {
        '2026-02-01T00:00:00': { excluded: true },
        // Readers ignore the first two pointers.
        '2026-03-01T00:00:00': { uid: 'x', 'replyTo/web': 'x:y', 'keywords/bills': null },
      },
      localizations: { de: { title: 'Zahlen', 'participants/nobody/email': 'ignored' } },
      replyTo: { imip: 'MAILTO:ada@example.com' },
      participants: { a: { ...ADA, scheduleForceSend: true, scheduleStatus: ['2.0'] } },
    });
    const read = async () => (await example().read('Task', id))['participants'];
    expect(await read()).toEqual({ a: { ...ADA, scheduleStatus: ['2.0'] } });
    const patch = { 'participants/a/scheduleForceSend': true };
    expect(await example().update('Task', id, patch)).toMatchObject({
      participants: { a: { ...ADA, scheduleStatus: ['2.0'] } },
    });
    expect(await read()).toEqual({ a: { ...ADA, scheduleStatus: ['2.0'] } });
  });

  it('gives the owner all rights of a list, whose name has at most 255 octets', async () => {
    const { myRights } = await example().read('TaskList', taskListId);
    expect(myRights).toMatchObject({ mayWriteAll: true, mayAdmin: true, mayDelete: true });
    expect(await example().update('TaskList', taskListId, { name: 'é'.repeat(128) })).toMatchObject(
      { properties: ['name'] },
    );
  });

  it('finds by words, people, zones and times', async () => {
    const participant = (name: string, role: string) => ({
      '@type': 'Participant',
      ...{ name, email: `${name}@example.com`, roles: { [role]: true } },
    });
    const { id } = await create({
      uid: 'found',
      title: 'Paint the door',
      due: '2030-01-01T10:00:00',
      keywords: { diy: true },
      locations: { l: { '@type': 'Location', name: 'Shed' } },
      participants: { a: participant('ada', 'owner'), b: participant('bob', 'attendee') },
    });
    for (const filter of [
      { text: 'DOOR bob' },
      { title: 'paint' },
      { location: 'shed' },
      { owner: 'ada' },
      { attendee: 'bob@example.com' },
      { after: '2030-01-01T00:00:00', inTaskLists: [taskListId] },
      { hasKeyword: 'diy', uid: 'found' },
    ])
      expect(await example().ids('Task', { filter }), JSON.stringify(filter)).toEqual([id]);
    for (const filter of [{ owner: 'bob' }, { attendee: 'ada' }, { title: 'shed' }])
      expect(await example().ids('Task', { filter }), JSON.stringify(filter)).toEqual([]);
  });

  it('destroys a list with tasks only where the client says so', async () => {
    const { id } = await example().create('TaskList', { name: 'Old' });
    const { id: task } = await create({ uid: 'old', taskListId: id });
    expect(await example().destroy('TaskList', id)).toMatchObject({ type: 'taskListHasTask' });
    const args = { destroy: [id], onDestroyRemoveTasks: true };
    expect((await example().call('TaskList/set', args)).destroyed).toEqual([id]);
    expect((await example().call('Task/get', { ids: [task] })).notFound).toEqual([task]);
  });

  it('lets users with mayDelete destroy a shared list and its tasks', async () => {
    const { server, accountId, client } = example();
    await server.tool('scripts/account', ['create', '--name', 'Bob', '--user', 'bob']);
    const token = await server.tool('scripts/token', ['create', '--user', 'bob']);
    const users = await server.tool('scripts/user', ['list']);
    const line = users.split('\n').find((each) => each.includes('bob'));
    const bob = line?.split(' ')[0] ?? '';
    const shareWith = { [bob]: { mayReadItems: true, mayDelete: true } };
    const { id } = await example().create('TaskList', { name: 'Shared', shareWith });
    await create({ uid: 'shared', taskListId: id });
    const bobs = calls(new Client(server.url, token, client.using), accountId);
    await eventually(async () =>
      expect(await bobs.read('TaskList', id)).toMatchObject({ name: 'Shared' }),
    );
    const args = { destroy: [id], onDestroyRemoveTasks: true };
    expect(await bobs.call('TaskList/set', args)).toMatchObject({ destroyed: [id] });
  });
}
