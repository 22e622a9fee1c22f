import { expect } from 'expect';
import { typeChecks } from '../check.js';
import type { Client } from '../client/client.js';
import type { Item, JsonMap } from '../client/json.js';
import { NotApplicable } from '../not-applicable.js';
import { spliceChanges } from '../subject/queries.js';
import type { Subject } from '../subject/subject.js';
import { QUOTA } from '../subject/user.js';
import { askUntil } from '../until.js';
import { readState } from './awaited-states.js';
import { withEvents } from './event-source.js';
import { buildQuotaClient, listQuotas } from './quotas.js';
import { buildReference } from './references-of-types.js';

/** RFC 9425: what quotas say as objects of a type come and go. */

/** The most objects that a check makes to come to a limit. */
const MOST = 60;

/** Returns why the account of the type has no quotas; null where it has some. */
const needQuotas = ({ server, A1 }: Subject): string | null =>
  server.user.session.listOffering(QUOTA).includes(A1) ? null : `The account has no ${QUOTA}.`;

const NEEDS = { methods: ['get', 'set'] } as const;

/** Returns the quotas that count objects of the type. Throws NotApplicable where none does. */
async function takeCounting({ server, type, A1 }: Subject): Promise<readonly Item[]> {
  const quotas = (await listQuotas(server, A1)).filter(
    ({ types, resourceType }) =>
      Array.isArray(types) && types.includes(type) && resourceType === 'count',
  );
  if (quotas.length === 0) throw new NotApplicable(`No quota counts objects of ${type}.`);
  return quotas;
}

/** Returns how much of each quota that counts the type is used, by id. */
const readUsed = async (subject: Subject): Promise<JsonMap> =>
  Object.fromEntries((await takeCounting(subject)).map(({ id, used = null }) => [id, used]));

/** Expects each quota that counts the type to have come to so many more than before. */
async function expectUsed(subject: Subject, before: JsonMap, more: number): Promise<void> {
  const wanted = Object.entries(before).map(([id, used]) => [id, Number(used) + more]);
  const used = await askUntil(
    subject.server.user,
    () => readUsed(subject),
    (now) => JSON.stringify(Object.entries(now)) === JSON.stringify(wanted),
  );
  expect(used).toEqual(Object.fromEntries(wanted));
}

/** The scene of a check of quotas that count objects of the type. */
interface QuotaScene {
  readonly subject: Subject;
  readonly client: Client;
  readonly accountId: string;
  /** How much of each quota is used, by id, ahead of the check. */
  readonly before: JsonMap;
}

/** Has a check work with quotas that count objects of the type. */
const withQuotas = (work: (scene: QuotaScene) => Promise<void>) => ({
  applies: needQuotas,
  async run(subject: Subject): Promise<void> {
    await subject.prepare();
    const { server, A1: accountId } = subject;
    const before = await readUsed(subject);
    await work({ subject, client: buildQuotaClient(server), accountId, before });
  },
});

export const quotaUseChecks = typeChecks(
  '4.1',
  { ...NEEDS, room: 3 },
  [
    {
      id: 'quota-used-counts',
      level: 'must',
      rule: 'used is what is used now: it rises with each object that is created, and falls again.',
      ...withQuotas(async ({ subject, accountId, before }) => {
        const ids = await subject.make(accountId, 'one', 'two');
        await expectUsed(subject, before, 2);
        await subject.set({ destroy: ids });
        await expectUsed(subject, before, 0);
      }),
    },
    {
      id: 'quota-hard-limit',
      level: 'must',
      rule: 'At the hardLimit no object is created: the SetError is overQuota (RFC 8620 5.3).',
      /** Makes as many objects as there is room for, and one more, if these are few. */
      ...withQuotas(async ({ subject, accountId }) => {
        const { type } = subject;
        const rooms = (await takeCounting(subject)).map(
          ({ hardLimit, used }) => Number(hardLimit) - Number(used),
        );
        const room = Math.min(...rooms);
        if (room > MOST) throw new NotApplicable(`There is room for ${room} objects of ${type}.`);
        const count = room + 1;
        const keys = Array.from({ length: count }, (_, index) => `k${index}`);
        const create = Object.fromEntries(keys.map((key) => [key, subject.create(key, accountId)]));
        const { created, notCreated } = await subject.set({ create });
        expect([Object.keys(created ?? {}).length, Object.keys(notCreated ?? {}).length]).toEqual([
          ...[room, 1],
        ]);
        expect(Object.values(notCreated ?? {})[0]?.['type']).toBe('overQuota');
      }),
    },
    {
      id: 'quota-changes-used',
      section: '4.3',
      level: 'must',
      rule:
        'A quota whose used has changed is updated in /changes; updatedProperties names used, or ' +
        'is null.',
      ...withQuotas(async ({ subject, client, accountId, before }) => {
        const { state: sinceState } = await client.get('Quota', { accountId, ids: [] });
        await subject.makeOne(accountId);
        const ask = () => client.changes('Quota', { accountId, sinceState });
        const answer = await askUntil(
          subject.server.user,
          ask,
          ({ updated }) => updated.length > 0,
        );
        expect(answer).toMatchObject({ created: [], destroyed: [], oldState: sinceState });
        expect(answer.updated).toEqual(expect.arrayContaining(Object.keys(before)));
        const { updatedProperties = null } = answer;
        if (updatedProperties !== null) expect(updatedProperties).toContain('used');
      }),
    },
    {
      id: 'quota-changes-and-get',
      section: '5.2',
      level: 'must',
      rule:
        'A client learns the new use in one request: /get takes ids and properties of /changes ' +
        'by reference, and gives these alone, or all where updatedProperties is null.',
      /** Sends the two calls of the example as they are. */
      ...withQuotas(async ({ subject, client, accountId, before }) => {
        const { state: sinceState } = await client.get('Quota', { accountId, ids: [] });
        await subject.makeOne(accountId);
        await expectUsed(subject, before, 1);
        const refer = (path: string) => buildReference('0', 'Quota/changes', path);
        const { methodResponses } = await client.api([
          ['Quota/changes', { accountId, sinceState, maxChanges: 20 }, '0'],
          [
            'Quota/get',
            { accountId, '#ids': refer('/updated'), '#properties': refer('/updatedProperties') },
            '1',
          ],
        ]);
        expect(methodResponses.map(([name]) => name)).toEqual(['Quota/changes', 'Quota/get']);
        const [changes = {}, got = {}] = methodResponses.map(([, response]) => response);
        const list = got['list'] as Item[];
        expect(list.map(({ id }) => id).sort()).toEqual([...(changes['updated'] as [])].sort());
        const { updatedProperties: names } = changes;
        const wanted = Array.isArray(names) ? [...new Set(['id', ...names])].sort() : null;
        for (const quota of list) {
          if (wanted === null) expect(Object.keys(quota)).toContain('hardLimit');
          else expect(Object.keys(quota).sort()).toEqual(wanted);
          if (quota.id in before) expect(quota['used']).toBe(Number(before[quota.id]) + 1);
        }
      }),
    },
    {
      id: 'quota-sort-used',
      section: '4.4',
      level: 'must',
      rule: 'Quotas are sorted by used, in both directions.',
      /** Uses some of those that count the type, so that the quotas differ. */
      ...withQuotas(async ({ subject, client, accountId, before }) => {
        await subject.make(accountId, 'one', 'two');
        await expectUsed(subject, before, 2);
        const quotas = await listQuotas(subject.server, accountId);
        const used = new Map(quotas.map((one) => [one.id, Number(one['used'])]));
        for (const isAscending of [true, false]) {
          const sort = [{ property: 'used', isAscending }];
          const { ids } = await client.query('Quota', { accountId, sort });
          const found = ids.map((id) => used.get(id) ?? 0);
          const sorted = [...used.values()].sort((a, b) => (isAscending ? a - b : b - a));
          expect({ isAscending, used: found }).toEqual({ isAscending, used: sorted });
        }
      }),
    },
    {
      id: 'quota-query-follows',
      section: '4.5',
      level: 'must',
      rule: '/queryChanges leads from the old list of quotas, sorted by used, to the new one.',
      ...withQuotas(async ({ subject, client, accountId, before }) => {
        const args = { accountId, sort: [{ property: 'used', isAscending: false }] };
        const list = await client.query('Quota', args);
        if (!list.canCalculateChanges) throw new NotApplicable('Changes can’t be calculated.');
        await subject.make(accountId, 'one', 'two');
        await expectUsed(subject, before, 2);
        const since = { ...args, sinceQueryState: list.queryState };
        const answer = await client.queryChanges('Quota', since);
        const { ids } = await client.query('Quota', args);
        expect(answer.oldQueryState).toBe(list.queryState);
        expect(spliceChanges(list.ids, answer)).toEqual(ids);
      }),
    },
    {
      id: 'quota-push',
      section: '6',
      level: 'must',
      rule: 'A change of a quota is pushed: the event source tells the new state of Quota.',
      ...withQuotas(async ({ subject, client, accountId, before }) => {
        await withEvents(subject.server, { types: 'Quota' }, async (stream) => {
          await subject.makeOne(accountId);
          await expectUsed(subject, before, 1);
          const { state } = await client.get('Quota', { accountId, ids: [] });
          // Quotas may be told some seconds late, since they change so often.
          for (let told: unknown; told !== state; )
            told = readState((await stream.takeNext('state')).data, accountId, 'Quota');
        });
      }),
    },
  ],
  'RFC 9425',
);
