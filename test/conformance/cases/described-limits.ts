import { expect } from 'vitest';
import { entry, setError } from '../../support/expected.js';
import { givable } from '../descriptor.js';
import type { Suite } from '../suite.js';

/** `limits` and further members of standard methods (case 238). */
export function describedLimitCases(suite: Suite): void {
  const { profile, described, describe, it } = suite;
  const { count, octets } = profile;
  const large = givable(described).find(
    ({ kind, access, schema }) =>
      kind === 'string' &&
      access === 'mutable' &&
      schema.pattern === undefined &&
      (schema.maxLength ?? 0) * 4 > octets,
  );

  describe(`${profile.name}: limits, as its descriptor says`, () => {
    if (count <= 50)
      it('case 238, 5.3: objects beyond the count are overQuota, the others continue', async () => {
        await suite.clear(suite.A1);
        const create = Object.fromEntries(
          Array.from({ length: count + 2 }, (_, index) => [`k${index}`, suite.create('a')]),
        );
        const { created, notCreated } = await suite.set({
          create: { ...create, wrong: { noSuch: 1 } },
        });
        expect(Object.keys(created ?? {})).toHaveLength(count);
        expect(notCreated).toEqual({
          [`k${count}`]: setError('overQuota'),
          [`k${count + 1}`]: setError('overQuota'),
          wrong: expect.objectContaining({ type: 'invalidProperties' }),
        });
        // One that goes in the same call makes room.
        const exchanged = await suite.set({
          create: { k: suite.create('b') },
          destroy: [entry(created, 'k0').id],
        });
        expect(exchanged.notCreated).toBeNull();
        expect(await suite.all(suite.A1)).toHaveLength(count);
        await suite.clear(suite.A1);
      });

    if (large !== undefined)
      it('case 238, 5.3: an object of more octets is tooLarge', async () => {
        const value = '\u{1F600}'.repeat(Math.ceil(octets / 4));
        const { created, notCreated } = await suite.set({
          create: { big: { ...suite.create('a'), [large.name]: value }, k: suite.create('b') },
        });
        expect(notCreated).toEqual({ big: setError('tooLarge') });
        const { id } = entry(created, 'k');
        const before = await suite.read(id);
        expect((await suite.update(id, { [large.name]: value })).refused).toEqual(
          setError('tooLarge'),
        );
        expect(await suite.read(id)).toEqual(before);
        await suite.set({ destroy: [id] });
      });

    for (const { name, arguments: further, response } of described.methods) {
      const names = Object.keys(further?.properties ?? {});
      if (names.length === 0) continue;
      it(`/${name} takes its further arguments, and no others`, async () => {
        const from = name === 'changes' ? { sinceState: await suite.state(suite.A1) } : {};
        const call = (more: object) =>
          suite.client.call(`${suite.type}/${name}`, { accountId: suite.A1, ...from, ...more });
        for (const argument of names) {
          // No schema of an argument takes all of these.
          const answers = await Promise.all(
            [5.5, 'text', [[]], { a: 1 }].map((wrong) => call({ [argument]: wrong })),
          );
          expect(answers).toContainEqual([
            'error',
            expect.objectContaining({
              type: 'invalidArguments',
              description: expect.stringContaining(argument),
            }),
          ]);
        }
        const [answered, response0] = await call({});
        expect(answered).toBe(`${suite.type}/${name}`);
        for (const member of (response?.required ?? []) as string[])
          expect(response0).toHaveProperty(member);
        const [, unknown] = await call({ noSuchArgument: 1 });
        expect(unknown['type']).toBe('invalidArguments');
      });
    }
  });
}
