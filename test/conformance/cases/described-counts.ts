import { expect } from 'vitest';
import type { Suite } from '../suite.js';
import { wrapped } from './described-links.js';

/** `computed: { count }`: case 210, for each property of the type that counts objects of this or another one. */
export function describedCountCases(suite: Suite): void {
  const { profile, described, describe, it } = suite;
  const counts = described.properties.flatMap(({ name, computed, access }) =>
    computed?.kind === 'count' && access !== 'internal' ? [{ name, computed }] : [],
  );
  if (counts.length === 0) return;

  describe(`${profile.name}: counts, as its descriptor says`, () => {
    for (const { name, computed } of counts) {
      it(`case 210, 5.2: ${name} follows what comes, moves and goes`, async () => {
        const child = suite.of(computed.type);
        await child.prepare([suite.A1]);
        const by = child.described.properties.find((one) => one.name === computed.by);
        const form = by?.reference?.form ?? 'single';
        const [a = '', b = ''] = await suite.make(suite.A1, 'counts', 'other');
        /** What an act changes in the one that counts: its number, and that it is among the updated. */
        const step = async (act: () => Promise<unknown>, numbers: readonly [number, number]) => {
          const sinceState = await suite.state(suite.A1);
          await act();
          const { updated } = await suite.client.changes(suite.type, {
            accountId: suite.A1,
            sinceState,
          });
          expect([(await suite.read(a))[name], (await suite.read(b))[name]]).toEqual(numbers);
          return updated;
        };
        const ids: string[] = [];
        const add = async () =>
          void ids.push(await child.put1({ [computed.by]: wrapped(form, a) }));
        expect(await step(add, [1, 0])).toContain(a);
        expect(await step(add, [2, 0])).toContain(a);
        const [first = '', second = ''] = ids;
        if (by?.access === 'mutable') {
          const move = () => child.update(first, { [computed.by]: wrapped(form, b) });
          expect(await step(move, [1, 1])).toEqual(expect.arrayContaining([a, b]));
          const back = () => child.update(first, { [computed.by]: wrapped(form, a) });
          await step(back, [2, 0]);
        }
        const remove = () => child.set({ destroy: [first] });
        expect(await step(remove, [1, 0])).toContain(a);
        await step(() => child.set({ destroy: [second] }), [0, 0]);
        await suite.set({ destroy: [a, b] });
      });
    }
  });
}
