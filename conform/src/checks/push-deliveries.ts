import { setTimeout } from 'node:timers/promises';
import { expect } from 'expect';
import { serverChecks, typeChecks } from '../check.js';
import { asMap, type JsonMap } from '../client/json.js';
import { NotApplicable } from '../not-applicable.js';
import type { Push } from '../push/sink.js';
import { readPush, type Subscription, writeDate } from '../push/subscriptions.js';
import { readVapid } from '../push/vapid.js';
import type { Server } from '../subject/server.js';
import type { Subject } from '../subject/subject.js';
import { findAnother, listTypes, makeChange, readState } from './awaited-states.js';

/** RFC 8620 7.2: what reaches the URL of a push subscription. */

/** The capability that tells the key of VAPID (RFC 9749). */
const VAPID = 'urn:ietf:params:jmap:webpush-vapid';

/** ms in which a push comes that should not be there. Pushes may be held back for a second. */
const A_WHILE = 1500;
const SECOND = 1000;
/** ms that a VAPID token may be good for (RFC 8292 2), and by which clocks may differ. */
const DAY = 86_400_000;
const APART = 120_000;
/** Characters of a code that nobody guesses: 96 bits in base64. */
const LEAST_CODE = 16;

/** Expects the form that each push has, whatever it tells. */
function expectForm({ method, headers }: Push): void {
  expect(method).toBe('POST');
  expect(headers['content-type']).toMatch(/^application\/json *(;|$)/);
  expect(headers['ttl']).toMatch(/^\d+$/);
}

/** Expects a PushVerification of a subscription. */
function expectVerification(value: JsonMap, { id }: Subscription): void {
  const { '@type': type, pushSubscriptionId, verificationCode } = value;
  expect([type, pushSubscriptionId]).toEqual(['PushVerification', id]);
  expect(String(verificationCode).length).toBeGreaterThanOrEqual(LEAST_CODE);
}

/** Takes pushes until one tells this state of a type. Returns the objects of all of them. */
async function awaitPushed(
  { server, A1, type }: Subject,
  one: Subscription,
  state: string,
): Promise<readonly JsonMap[]> {
  const changes: JsonMap[] = [];
  for (;;) {
    const push = await server.subscriptions.take(one);
    expectForm(push);
    const change = readPush(one, push);
    changes.push(change);
    const told = readState(change, A1, type);
    if (told === state) return changes;
    // Earlier states may come first, but not without end: the next wait fails.
    expect(change['@type']).toBe('StateChange');
  }
}

/** Expects that a change makes no request to the URL of a subscription. */
async function expectSilence(subject: Subject, { inbox }: Subscription): Promise<void> {
  subject.server.subscriptions.requireSink();
  const before = inbox?.pushes.length;
  await makeChange(subject);
  await setTimeout(A_WHILE);
  expect(inbox?.pushes.slice(before).map(({ octets }) => octets.toString('utf8'))).toEqual([]);
}

/** Returns the time of the server's clock, in ms: the header `Date` has whole seconds. */
async function readClock({ user }: Server): Promise<number> {
  const { headers } = await user.http.send(user.session.url);
  const date = Date.parse(headers.get('date') ?? '');
  return Number.isNaN(date) ? Date.now() : date + SECOND;
}

/** Returns the key of VAPID that the session tells. Throws NotApplicable where there is none. */
async function readServerKey(server: Server): Promise<string> {
  const { capabilities } = await server.user.readSession();
  const { applicationServerKey } = asMap(capabilities[VAPID]);
  if (applicationServerKey === undefined)
    throw new NotApplicable(`The session has no ${VAPID} with an applicationServerKey.`);
  return String(applicationServerKey);
}

const verificationChecks = serverChecks('7.2.2', [
  {
    id: 'push-verification',
    level: 'must',
    rule:
      'When a subscription is made, a PushVerification is sent at once, with its id and a code ' +
      'that can’t be guessed.',
    run: async ({ subscriptions }) => {
      subscriptions.requireSink();
      const one = await subscriptions.find();
      expectVerification(await subscriptions.awaitVerification(one), one);
    },
  },
  {
    id: 'push-form',
    level: 'must',
    section: '7.2',
    rule: 'A push is a POST of application/json with a TTL header.',
    run: async ({ subscriptions }) => {
      subscriptions.requireSink();
      const one = await subscriptions.find();
      await subscriptions.awaitVerification(one);
      if (one.verification !== undefined) expectForm(one.verification);
    },
  },
  {
    id: 'push-vapid',
    level: 'must',
    section: '7.2',
    rule:
      'Where the session tells an applicationServerKey, a push is signed by it for the origin of ' +
      'its URL, for a day at the most (RFC 8292 2, RFC 9749 4).',
    run: async (server) => {
      const { subscriptions } = server;
      subscriptions.requireSink();
      await subscriptions.require();
      const key = await readServerKey(server);
      const one = await subscriptions.find();
      await subscriptions.awaitVerification(one);
      const vapid = readVapid(one.verification?.headers.authorization ?? '');
      expect(vapid).toMatchObject({ key, isSigned: true });
      const { aud, exp } = vapid?.claims ?? {};
      expect(aud).toBe(new URL(String(one.sent['url'])).origin);
      const left = Number(exp) * 1000 - Date.now();
      expect(left).toBeGreaterThan(-APART);
      expect(left).toBeLessThan(DAY + APART);
    },
  },
]);

const encryptionChecks = serverChecks('7.2', [
  {
    id: 'push-encrypted',
    level: 'must',
    rule: 'Where a subscription has keys, its verification is encrypted with them (RFC 8291).',
    run: async ({ subscriptions }) => {
      subscriptions.requireSink();
      const one = await subscriptions.find('encrypted');
      expectVerification(await subscriptions.awaitVerification(one), one);
      if (one.verification !== undefined) expectForm(one.verification);
    },
  },
]);

const needs = { methods: ['get', 'set'] as const };

/** In this order a subscription is silent, has its code, tells of changes and is destroyed. */
const changeChecks = typeChecks('7.2', needs, [
  {
    id: 'push-unverified',
    level: 'must',
    rule: 'Before its code is given, a subscription gets nothing but the verification.',
    run: async (subject) => {
      const { subscriptions } = subject.server;
      const one = await subscriptions.find();
      if (one.isVerified === true) throw new NotApplicable('The subscription has its code.');
      await subscriptions.awaitVerification(one);
      await expectSilence(subject, one);
    },
  },
  {
    id: 'push-state',
    level: 'must',
    rule:
      'After the verification a change is pushed as a StateChange with the account, the type and ' +
      'the state that /get tells. A change of `expires` needs no other verification, and no ' +
      'account out of reach is told.',
    run: async (subject) => {
      const { subscriptions, user } = subject.server;
      const one = await subscriptions.findVerified();
      await subscriptions.update(one, { expires: writeDate(Date.now() + DAY) });
      const state = await makeChange(subject);
      const changes = await awaitPushed(subject, one, state);
      expect(changes.at(-1)?.['@type']).toBe('StateChange');
      expect(await subject.readState(subject.A1)).toBe(state);
      const told = changes.flatMap(({ changed }) => Object.keys(asMap(changed)));
      expect(told.filter((id) => !Object.hasOwn(user.session.accounts, id))).toEqual([]);
    },
  },
  {
    id: 'push-types',
    level: 'must',
    rule: 'Only the types of a subscription are pushed.',
    applies: ({ world }) => (world.size > 1 ? null : 'No other type is described.'),
    run: async (subject) => {
      const { subscriptions } = subject.server;
      const one = await subscriptions.findVerified();
      const other = findAnother(subject);
      try {
        await subscriptions.update(one, { types: [subject.type] });
        await makeChange(other);
        const changes = await awaitPushed(subject, one, await makeChange(subject));
        expect(listTypes(changes.map(({ changed }) => asMap(changed)))).toEqual([subject.type]);
      } finally {
        await subscriptions.update(one, { types: null });
        await other.tidy();
      }
    },
  },
  {
    id: 'push-encrypted-state',
    level: 'must',
    rule: 'With keys a StateChange is encrypted, too.',
    run: async (subject) => {
      const one = await subject.server.subscriptions.findVerified('encrypted');
      await awaitPushed(subject, one, await makeChange(subject));
    },
  },
  {
    id: 'push-expired',
    level: 'must',
    rule: 'After the end that a client gave a subscription nothing is sent to its URL.',
    run: async (subject) => {
      const { subscriptions } = subject.server;
      const one = await subscriptions.findVerified('encrypted');
      const now = await readClock(subject.server);
      const expires = writeDate(now + 2 * SECOND);
      const { expires: told = expires } = await subscriptions.update(one, { expires });
      if (told !== expires)
        throw new NotApplicable(`The server makes ${String(told)} of ${expires}.`);
      await setTimeout(Date.parse(expires) - now + SECOND);
      await expectSilence(subject, one);
    },
  },
  {
    id: 'push-destroyed',
    level: 'must',
    rule: 'After a subscription is destroyed nothing is sent to its URL.',
    run: async (subject) => {
      const { subscriptions } = subject.server;
      const one = await subscriptions.findVerified();
      await subscriptions.set({ destroy: [one.id] });
      await expectSilence(subject, one);
    },
  },
]);

export const pushVerificationChecks = Object.freeze([...verificationChecks, ...encryptionChecks]);

export const pushChangeChecks = Object.freeze(
  changeChecks.map((check) => ({
    ...check,
    applies: (subject: Subject) =>
      check.applies?.(subject) ?? subject.server.subscriptions.claim(check.id, subject.type),
    run: async (subject: Subject) => {
      subject.server.subscriptions.requireSink();
      await subject.server.subscriptions.require();
      await check.run(subject);
    },
  })),
);
