import { expect } from 'vitest';
import type { Suite } from '../suite.js';

/** Further members of standard methods. */
export function describedLimitCases(suite: Suite): void {
  const { profile, described, describe, it } = suite;

  describe(`${profile.name}: further members, as its descriptor says`, () => {
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
