import { expect } from 'expect';
import { serverChecks } from '../check.js';
import { asMap, type Json, type JsonMap } from '../client/json.js';
import { NotApplicable } from '../not-applicable.js';
import { makeKeys } from '../push/decrypt.js';
import type { Subscription } from '../push/subscriptions.js';
import type { Server } from '../subject/server.js';

/** RFC 8620 7.2: the methods of push subscriptions, as far as nothing need be delivered. */

const PRIVATE: readonly string[] = ['url', 'keys'];
const SHOWN: readonly string[] = ['id', 'deviceClientId', 'verificationCode', 'expires', 'types'];

/** Returns a subscription as /get answers it. */
export async function readSubscription(
  { subscriptions }: Server,
  { id }: Subscription,
): Promise<JsonMap> {
  const { list } = await subscriptions.get({ ids: [id] });
  const [one, ...others] = list as readonly JsonMap[];
  expect([one?.['id'], others]).toEqual([id, []]);
  return one ?? {};
}

/** Expects that each of these creates is refused with invalidProperties. */
async function expectRefused(server: Server, wrong: readonly JsonMap[]): Promise<void> {
  const { subscriptions } = server;
  const create = Object.fromEntries(
    wrong.map((one, n) => [`k${n}`, dropAbsent({ ...subscriptions.describe(), ...one })]),
  );
  const { created, notCreated } = await subscriptions.set({ create });
  const destroy = Object.values(asMap(created)).map((one) => asMap(one)['id'] ?? '');
  if (destroy.length > 0) await subscriptions.set({ destroy });
  const told = wrong.map((one, n) => [one, asMap(asMap(notCreated)[`k${n}`])['type']]);
  expect(told).toEqual(wrong.map((one) => [one, 'invalidProperties']));
}

/** Leaves out the properties that a check gives as absent. */
const dropAbsent = (object: JsonMap): JsonMap =>
  Object.fromEntries(Object.entries(object).filter(([, value]) => value !== ABSENT));

/** Stands for a property that is left out. */
const ABSENT = '(absent)';

export const { told: KEYS } = makeKeys();

/** Lists keys that RFC 8291 3.1 doesn't allow: parts are missing or too short. */
const WRONG_KEYS: readonly Json[] = [
  {},
  { p256dh: KEYS.p256dh },
  { auth: KEYS.auth },
  { ...KEYS, p256dh: KEYS.p256dh.slice(0, 40) },
  'keys',
];

const getChecks = serverChecks('7.2.1', [
  {
    id: 'push-get',
    level: 'must',
    rule:
      'PushSubscription/get takes no accountId and answers `list` and `notFound`, without ' +
      'accountId and state; ids may be null.',
    run: async ({ subscriptions }) => {
      await subscriptions.require();
      for (const args of [{}, { ids: null }, { ids: [] }, { ids: ['x-nobody'] }]) {
        const { list, notFound = [], ...others } = await subscriptions.get(args);
        const ids = 'ids' in args && args.ids !== null ? args.ids : [];
        expect([args, Array.isArray(list), notFound]).toEqual([args, true, ids]);
        expect([args, others['accountId'], others['state']]).toEqual([args, undefined, undefined]);
      }
    },
  },
  {
    id: 'push-get-private',
    level: 'must',
    rule: 'A /get that asks for url or keys is rejected with forbidden.',
    run: async (server) => {
      await server.subscriptions.require();
      const client = server.user.buildClient();
      for (const properties of [['url'], ['id', 'keys'], PRIVATE]) {
        const answer = await client.call('PushSubscription/get', { ids: null, properties });
        expect([properties, answer]).toEqual([properties, server.matchError('forbidden')]);
      }
    },
  },
  {
    id: 'push-get-created',
    level: 'must',
    rule:
      'A subscription is shown with all properties but url and keys; the code is not there ' +
      'before the client has given it.',
    run: async (server) => {
      const one = await server.subscriptions.find();
      const shown = await readSubscription(server, one);
      expect(Object.keys(shown)).toEqual(expect.arrayContaining([...SHOWN]));
      expect(PRIVATE.filter((name) => name in shown)).toEqual([]);
      const { deviceClientId, types, verificationCode } = shown;
      expect([deviceClientId, types]).toEqual([one.sent['deviceClientId'], null]);
      if (one.isVerified !== true) expect(verificationCode).toBeNull();
    },
  },
  {
    id: 'push-get-own',
    level: 'must',
    rule: 'Only the credentials that made a subscription see it, and may change it.',
    run: async ({ subscriptions, others }) => {
      if (others.length === 0)
        throw new NotApplicable('No other credentials are known (--other-token gives some).');
      const { id } = await subscriptions.find();
      for (const user of others) {
        const { list } = await subscriptions.get({ ids: null }, user);
        expect((list as readonly JsonMap[]).map((one) => one['id'])).not.toContain(id);
        expect(await subscriptions.get({ ids: [id] }, user)).toMatchObject({ notFound: [id] });
        const args = { update: { [id]: { types: [] } } };
        const { notUpdated } = await subscriptions.set(args, user);
        expect(asMap(asMap(notUpdated)[id])['type']).toBe('notFound');
        const { notDestroyed } = await subscriptions.set({ destroy: [id] }, user);
        expect(asMap(asMap(notDestroyed)[id])['type']).toBe('notFound');
      }
    },
  },
]);

const createChecks = serverChecks('7.2.2', [
  {
    id: 'push-set',
    level: 'must',
    rule:
      'PushSubscription/set takes no accountId and no ifInState, and answers none of accountId, ' +
      'oldState and newState.',
    run: async (server) => {
      const { subscriptions, user } = server;
      const destroy = ['x-nobody'];
      const response = await subscriptions.set({ destroy });
      expect(asMap(asMap(response['notDestroyed'])['x-nobody'])['type']).toBe('notFound');
      const { accountId, oldState, newState } = response;
      expect([accountId, oldState, newState]).toEqual([undefined, undefined, undefined]);
      const args = { ifInState: 'x', destroy };
      const [, answer] = await user.buildClient().call('PushSubscription/set', args);
      expect(answer['type']).not.toBe('stateMismatch');
    },
  },
  {
    id: 'push-create',
    level: 'must',
    rule:
      'A create is answered with the id and what the client can’t know, such as `expires`; never ' +
      'with the verification code.',
    run: async ({ subscriptions }) => {
      const { told } = await subscriptions.find();
      const { id, keys = null, expires = null, verificationCode = null } = told;
      expect(id).toMatch(/^[\w-]{1,255}$/);
      expect([keys, verificationCode]).toEqual([null, null]);
      if (expires !== null) expect(expires).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/);
    },
  },
  {
    id: 'push-create-url',
    level: 'must',
    section: '7.2',
    rule: 'The url of a subscription is there, is absolute and begins with https://.',
    run: (server) => {
      const urls = [ABSENT, 'http://push.invalid/', 'ftp://push.invalid/', '/push', 'https://', 5];
      return expectRefused(
        server,
        urls.map((url) => ({ url })),
      );
    },
  },
  {
    id: 'push-create-device',
    level: 'must',
    section: '7.2',
    rule: 'A create has a deviceClientId, which is a String.',
    run: (server) =>
      expectRefused(
        server,
        [ABSENT, 5, null].map((deviceClientId) => ({ deviceClientId })),
      ),
  },
  {
    id: 'push-create-keys',
    level: 'must',
    section: '7.2',
    rule: 'Keys have both p256dh and auth, as RFC 8291 describes them.',
    run: (server) =>
      expectRefused(
        server,
        WRONG_KEYS.map((keys) => ({ keys })),
      ),
  },
  {
    id: 'push-create-code',
    level: 'must',
    section: '7.2',
    rule: 'A create gives no verification code.',
    run: (server) => expectRefused(server, [{ verificationCode: 'x' }]),
  },
  {
    id: 'push-create-types',
    level: 'must',
    section: '7.2',
    rule: '`types` is a list of names, or null.',
    run: (server) =>
      expectRefused(
        server,
        ['Todo', [5], {}].map((types) => ({ types })),
      ),
  },
]);

export const pushMethodChecks = Object.freeze([...getChecks, ...createChecks]);
