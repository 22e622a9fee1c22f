import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { HintBatch } from '../../../src/push/hub/hint-batch.js';
import { payloadHead, readPayload } from '../../../src/push/hub/payload.js';

const HEAD = payloadHead('me', 'g');
const id = fc.stringMatching(/^[A-Za-z0-9_-]{1,40}$/);
const changes = fc.array(
  fc.record({
    accountId: id,
    changed: fc.dictionary(
      fc.string({ unit: 'binary', minLength: 1, maxLength: 64 }),
      fc.nat().map(String),
      { maxKeys: 60 },
    ),
  }),
  { maxLength: 60 },
);

/** Returns what a batch of these changes tells a reader, in all its payloads. */
function tell(given: readonly { accountId: string; changed: Record<string, string> }[]) {
  const batch = new HintBatch();
  for (const change of given) expect(batch.add(change)).toBe(0);
  const told = new Map<string, ReadonlyMap<string, number> | null>();
  for (let payload = batch.take(HEAD); payload !== null; payload = batch.take(HEAD)) {
    expect(Buffer.byteLength(payload.text)).toBeLessThanOrEqual(7900);
    const message = readPayload(payload.text)?.message;
    if (message?.kind !== 'hints') return expect.fail(payload.text);
    expect(message.hints.size).toBe(payload.accounts);
    for (const [account, types] of message.hints) told.set(account, types);
  }
  expect(batch.isEmpty).toBe(true);
  return told;
}

describe('The payloads of a batch of hints', () => {
  it('tell the newest state of each type, or that an account has changed', () => {
    fc.assert(
      fc.property(changes, (given) => {
        const newest = new Map<string, Map<string, number>>();
        for (const { accountId, changed } of given) {
          for (const [name, state] of Object.entries(changed)) {
            const types = newest.get(accountId) ?? new Map<string, number>();
            types.set(name, Math.max(types.get(name) ?? 0, Number(state)));
            newest.set(accountId, types);
          }
        }
        const told = tell(given);
        expect([...told.keys()].sort()).toEqual([...newest.keys()].sort());
        for (const [account, types] of told) {
          if (types !== null) expect(types).toEqual(newest.get(account));
        }
      }),
      { numRuns: 50 },
    );
  });

  it('leave the types of an account away that would need more than a payload', () => {
    const long = Object.fromEntries(
      Array.from({ length: 80 }, (_, at) => [`${'é'.repeat(60)}${at}`, '1']),
    );
    const told = tell([
      { accountId: 'short', changed: { Todo: '1' } },
      { accountId: 'long', changed: long },
    ]);
    expect(told).toEqual(
      new Map([
        ['short', new Map([['Todo', 1]])],
        ['long', null],
      ]),
    );
  });

  it('leave them away where a state is no number', () => {
    expect(tell([{ accountId: 'a', changed: { Todo: 'x' } }])).toEqual(new Map([['a', null]]));
  });

  it('say first that hints were dropped, where more wait than it keeps', () => {
    const batch = new HintBatch(3);
    const add = (accountId: string): number => batch.add({ accountId, changed: { Todo: '1' } });
    expect(['a', 'b', 'c', 'a', 'd', 'e'].map(add)).toEqual([0, 0, 0, 0, 3, 0]);
    expect(batch.addSubscription('s')).toBe(0);
    expect(batch.addSubscription('t')).toBe(2);
    add('f');
    const kinds: unknown[] = [];
    for (let payload = batch.take(HEAD); payload !== null; payload = batch.take(HEAD)) {
      kinds.push(readPayload(payload.text)?.message);
    }
    expect(kinds).toEqual([
      { kind: 'shed' },
      { kind: 'subscriptions', ids: ['t'] },
      { kind: 'hints', hints: new Map([['f', new Map([['Todo', 1]])]]) },
    ]);
  });
});

describe('A payload of somebody else', () => {
  it('is never an error, whatever it is', () => {
    const member = fc.constantFrom('o', 'g', 'c', 's', 'b', 'h', 'd', 'q', '__proto__');
    const near = fc
      .dictionary(member, fc.oneof(id, fc.integer(), fc.jsonValue()))
      .map((value) => JSON.stringify(value));
    fc.assert(
      fc.property(fc.oneof(near, fc.string(), fc.json()), (text) => {
        const envelope = readPayload(text);
        if (envelope !== null) expect(envelope.origin).toMatch(/^[A-Za-z0-9_-]+$/);
      }),
      { numRuns: 500 },
    );
  });
});
