import fc from 'fast-check';
import { expect, it } from 'vitest';
import { writeStateChanges } from '../../../src/push/webpush/state-changes.js';

type Changed = Record<string, Record<string, string>>;

function listStates(changed: Changed): string[] {
  return Object.entries(changed).flatMap(([account, states]) =>
    Object.entries(states).map((entry) => JSON.stringify([account, ...entry])),
  );
}

const write = (changed: Changed) => writeStateChanges(JSON.stringify(changed));

it('a StateChange is one message where it fits', () => {
  const changed = { a: { Todo: '1', Note: '2' } };
  const texts = write(changed).map(({ text }) => JSON.parse(text));
  expect(texts).toEqual([{ '@type': 'StateChange', changed }]);
});

it('a topic is the same for the same accounts and types, whatever the states and the order', () => {
  const topic = (changed: Changed): unknown => write(changed)[0]?.topic;
  const first = topic({ a: { Todo: '1', Note: '2' }, b: { Todo: '3' } });
  expect(first).toMatch(/^[\w-]{32}$/);
  expect(topic({ b: { Todo: '9' }, a: { Note: '7', Todo: '8' } })).toBe(first);
  expect(topic({ a: { Todo: '1', Note: '2' } })).not.toBe(first);
  expect(topic({ a: { Todo: '1' }, b: { Todo: '3', Note: '2' } })).not.toBe(first);
});

it('messages have at most 3,993 octets, and tell all together', () => {
  const name = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 64 });
  const states = fc.dictionary(name, fc.stringMatching(/^[1-9]\d{0,15}$/), { minKeys: 1 });
  const changes = fc.dictionary(name, states, { minKeys: 1, maxKeys: 100, size: 'max' });
  fc.assert(
    fc.property(changes, (changed) => {
      const texts = write(changed);
      const told: string[] = [];
      for (const { text } of texts) {
        expect(Buffer.byteLength(text)).toBeLessThanOrEqual(3993);
        const parsed = JSON.parse(text) as { readonly changed: Changed };
        told.push(...listStates(parsed.changed));
      }
      expect(told.sort()).toEqual(listStates(changed).sort());
      const octets = Buffer.byteLength(JSON.stringify(changed));
      expect(texts.length).toBeLessThanOrEqual(1 + Math.ceil(octets / 900));
    }),
    { numRuns: 15 },
  );
});
