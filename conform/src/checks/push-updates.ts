import { expect } from 'expect';
import { serverChecks } from '../check.js';
import { asMap } from '../client/json.js';
import { writeDate } from '../push/subscriptions.js';
import type { Server } from '../subject/server.js';
import { KEYS, readSubscription } from './push-subscriptions.js';

/** RFC 8620 7.2: updates of push subscriptions, their end, and what destroys them. */

const HOUR = 3_600_000;
/** The clocks of the runner and of the server may differ by so many ms. */
const APART = 120_000;

/** Asks for an expiry in a year and returns that of /get, in ms from now; null: there is none. */
async function findLongest(server: Server): Promise<number | null> {
  const one = await server.subscriptions.find();
  const expires = writeDate(Date.now() + 365 * 24 * HOUR);
  await server.subscriptions.update(one, { expires });
  const { expires: now = null } = await readSubscription(server, one);
  return now === null ? null : Date.parse(String(now)) - Date.now();
}

/** Expects that an end so many hours ahead is not cut, where the server cuts at all. */
async function expectLasting(server: Server, hours: number): Promise<void> {
  const longest = await findLongest(server);
  if (longest !== null) expect(longest).toBeGreaterThan(hours * HOUR - APART);
}

export const pushUpdateChecks = serverChecks('7.2.2', [
  {
    id: 'push-immutable',
    level: 'must',
    rule: 'url, keys and deviceClientId can’t be changed.',
    run: async (server) => {
      const { id } = await server.subscriptions.find();
      const { url, deviceClientId } = server.subscriptions.describe();
      for (const patch of [{ url }, { keys: KEYS }, { deviceClientId }]) {
        const { notUpdated } = await server.subscriptions.set({ update: { [id]: patch } });
        const { type } = asMap(asMap(notUpdated)[id]);
        expect([patch, type]).toEqual([patch, 'invalidProperties']);
      }
    },
  },
  {
    id: 'push-wrong-code',
    level: 'must',
    rule: 'A wrong verification code is refused with invalidProperties.',
    run: async (server) => {
      const one = await server.subscriptions.find();
      for (const verificationCode of ['', 'x', one.id]) {
        const update = { [one.id]: { verificationCode } };
        const { notUpdated } = await server.subscriptions.set({ update });
        const { type } = asMap(asMap(notUpdated)[one.id]);
        expect([verificationCode, type]).toEqual([verificationCode, 'invalidProperties']);
      }
    },
  },
  {
    id: 'push-update-types',
    level: 'must',
    section: '7.2',
    rule: '`types` may be changed, to null and back, without another verification.',
    run: async (server) => {
      const one = await server.subscriptions.find();
      for (const types of [[], null]) {
        await server.subscriptions.update(one, { types });
        expect((await readSubscription(server, one))['types']).toEqual(types);
      }
    },
  },
  {
    id: 'push-update-expires',
    level: 'must',
    rule: 'An update of `expires` tells what the server makes of it, and so does /get.',
    run: async (server) => {
      const one = await server.subscriptions.find();
      for (const hours of [30, 1000]) {
        const asked = writeDate(Date.now() + hours * HOUR);
        const { expires = asked } = await server.subscriptions.update(one, { expires: asked });
        const now = (await readSubscription(server, one))['expires'];
        expect([asked, now]).toEqual([asked, expires]);
        const isLater = now === null || Date.parse(String(now)) > Date.parse(asked) + APART;
        expect([asked, now, isLater]).toEqual([asked, now, false]);
      }
    },
  },
  {
    id: 'push-expires',
    level: 'must',
    section: '7.2',
    restsOn: 'That the credentials last longer than two days.',
    rule: 'Where the server limits `expires`, it is 48 hours in the future at least.',
    run: (server) => expectLasting(server, 48),
  },
  {
    id: 'push-expires-set',
    level: 'should',
    section: '7.2',
    restsOn: 'That the credentials have no end.',
    rule: 'Where a create gives no `expires`, the server sets one and tells it.',
    run: async ({ subscriptions }) => {
      const { told } = await subscriptions.find();
      expect(told['expires']).toEqual(expect.any(String));
    },
  },
  {
    id: 'push-expires-week',
    level: 'should',
    section: '7.2',
    restsOn: 'That the credentials last longer than a week.',
    rule: 'The limit is 7 days at least.',
    run: (server) => expectLasting(server, 7 * 24),
  },
]);

/** Destroys nothing that checks after it need: it comes last. */
export const pushDestroyChecks = serverChecks('7.2.2', [
  {
    id: 'push-destroy',
    level: 'must',
    rule: 'A subscription that was destroyed is not there any more.',
    run: async ({ subscriptions }) => {
      const { id } = await subscriptions.find();
      expect(await subscriptions.set({ destroy: [id] })).toMatchObject({ destroyed: [id] });
      expect(await subscriptions.get({ ids: [id] })).toMatchObject({ list: [], notFound: [id] });
    },
  },
]);
