import { expect, it, onTestFinished } from 'vitest';
import type { Push } from '../../../src/push/webpush/post.js';
import {
  type VerifiableRow,
  Verifier,
  type VerifierOptions,
} from '../../../src/push/webpush/verifier.js';
import { eventually } from '../../support/poll.js';

/** Rows that nobody has verified, a service that answers when it is let go, and a verifier. */
function setUp(more: Partial<VerifierOptions<VerifiableRow>> = {}) {
  const rows = new Map<string, VerifiableRow>();
  const begun = new Set<string>();
  const notes: (readonly [id: string, reason: string | null])[] = [];
  const posted: { readonly push: Push; readonly answer: (status: number) => void }[] = [];
  const logged: object[] = [];
  const verifier = new Verifier<VerifiableRow>({
    rows: {
      unverified: async (id) => (begun.has(id) ? null : (rows.get(id) ?? null)),
      forgotten: async (_, shards) => {
        const unsigned = notes.filter(([, reason]) => reason === 'unsigned').map(([id]) => id);
        return [...rows.values()]
          .filter(({ id, shard }) => shards.includes(shard) && !begun.has(id))
          .map(({ id }) => id)
          .filter((id) => !unsigned.includes(id));
      },
      beginVerification: async (id) => !begun.has(id) && begun.add(id).has(id),
      noteVerification: async (id, _, reason) => void notes.push([id, reason]),
    },
    poster: {
      post: (push) =>
        new Promise((resolve) => {
          const answer = (status: number): void =>
            resolve({ kind: 'answer', status, retryAfter: null, excerpt: '' });
          posted.push({ push, answer });
        }),
    },
    authorize: async (key) => (key === 'gone' ? null : `vapid ${key}`),
    shards: { isMine: (shard) => shard === 0, onChange: () => undefined },
    log: { info: (fields) => void logged.push(fields), warn: () => undefined },
    ...{ now: Date.now, look: 10 },
    ...more,
  });
  onTestFinished(() => verifier.stop(performance.now()));
  const add = (id: string, columns: Partial<VerifiableRow> = {}): void => {
    const url = `https://a.push.test/${id}`;
    rows.set(id, {
      ...{ id, url, code: `code of ${id}`, keys: null, vapidKey: null, shard: 0, types: null },
      ...{ lastId: null, failures: 0, firstFailure: null, notBefore: null },
      ...columns,
    });
  };
  return { verifier, add, begun, notes, posted, logged };
}

/** Long enough for several looks. */
const LOOKS = 60;

const wait = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, LOOKS));

it.each([201, 500])('a verification is sent once, also where %i answers it', async (status) => {
  const { verifier, add, notes, posted } = setUp();
  add('one', { vapidKey: 'key1' });
  void verifier.created('one');
  await eventually(() => expect(posted.length).toBe(1));
  const { push, answer } = posted[0] ?? expect.unreachable();
  expect(JSON.parse(String(Buffer.from(push.body)))).toEqual({
    '@type': 'PushVerification',
    pushSubscriptionId: 'one',
    verificationCode: 'code of one',
  });
  expect(push.headers).toMatchObject({ TTL: '3600', Authorization: 'vapid key1' });
  answer(status);
  const reason = status === 201 ? null : 'status-500';
  await eventually(() => expect(notes).toEqual([['one', reason]]));
  await verifier.created('one');
  await wait();
  expect(posted.length).toBe(1);
  const counts = { delivered: Number(status === 201), failed: Number(status === 500) };
  expect(verifier.counts()).toEqual(counts);
});

it('the one that no process has begun is sent by that of its shard', async () => {
  const { add, begun, posted } = setUp();
  add('mine');
  add('of another', { shard: 1 });
  await eventually(() => expect(posted.length).toBe(1));
  await wait();
  expect([...begun]).toEqual(['mine']);
});

it('the one that no key signs counts as failed, never as sent, and has one line', async () => {
  const { verifier, add, begun, notes, posted, logged } = setUp();
  add('one', { vapidKey: 'gone' });
  await eventually(() => expect(notes).toEqual([['one', 'unsigned']]));
  await wait();
  expect([posted.length, begun.size, notes.length, logged.length]).toEqual([0, 0, 1, 1]);
  expect(verifier.counts()).toEqual({ delivered: 0, failed: 1 });
});

it('those of one host wait for their turn before they are noted as sent', async () => {
  const { verifier, add, begun, posted } = setUp();
  for (let index = 0; index < 10; index += 1) add(`s${index}`);
  add('other', { url: 'https://b.push.test/' });
  for (let index = 0; index < 10; index += 1) void verifier.created(`s${index}`);
  void verifier.created('other');
  await eventually(() => expect(posted.length).toBe(5));
  await wait();
  expect([posted.length, begun.size]).toEqual([5, 5]);
  posted[0]?.answer(201);
  await eventually(() => expect(begun.size).toBe(6));
});

it('a stop ends at its deadline, and leaves those that wait to a later start', async () => {
  const { verifier, add, begun, posted } = setUp();
  for (let index = 0; index < 10; index += 1) add(`s${index}`);
  for (let index = 0; index < 10; index += 1) void verifier.created(`s${index}`);
  await eventually(() => expect(posted.length).toBe(4));
  await verifier.stop(performance.now() + 10);
  for (const { answer } of posted) answer(201);
  await wait();
  expect([posted.length, begun.size]).toEqual([4, 4]);
});

it('a stop ends at its deadline where the database hangs', async () => {
  const hanging = new Promise<never>(() => undefined);
  const { verifier, add } = setUp({ authorize: () => hanging });
  add('one');
  void verifier.created('one');
  await wait();
  await verifier.stop(performance.now() + 10);
});
