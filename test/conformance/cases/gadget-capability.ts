import { describe, expect, it } from 'vitest';
import { entry, err } from '../../support/expected.js';
import type { JsonMap } from '../../support/json.js';
import type { Suite } from '../suite.js';

/**
 * Tests the parts of gadget.yaml beside its types: a method of the team's own, members of the
 * session. No check of the runner: what such a method does is in this project's hook file alone.
 */
export function gadgetCapabilityCases(suite: Suite): void {
  describe('Gadget/rebuild, an own method of the project', () => {
    it('writes through the engine, which checks its arguments', async () => {
      const { created } = await suite.client.set('Gadget', {
        accountId: suite.A1,
        create: { k: { title: 'r', rank: 7 } },
      });
      const { id } = entry(created, 'k');
      const sinceState = await suite.state(suite.A1);
      expect(await suite.client.ok('Gadget/rebuild', { accountId: suite.A1, id })).toEqual({
        accountId: suite.A1,
        rebuilt: true,
      });
      const changes = await suite.client.changes('Gadget', { accountId: suite.A1, sinceState });
      expect(changes.updated).toEqual([id]);
      for (const wrong of [{ id: 5 }, { id: null }, {}, { id, more: 1 }]) {
        expect(
          await suite.client.call('Gadget/rebuild', { accountId: suite.A1, ...wrong }),
        ).toEqual(err('invalidArguments'));
      }
      const { AR, unknownAccount } = suite.fixtures();
      expect(await suite.client.call('Gadget/rebuild', { accountId: AR, id })).toEqual(
        err('accountReadOnly'),
      );
      expect(await suite.client.call('Gadget/rebuild', { accountId: unknownAccount, id })).toEqual(
        err('accountNotFound'),
      );
    });
  });

  it('RFC 8620 2: the session has the capability as the descriptor says', async () => {
    const session = await suite.client.session();
    const capabilities = session['capabilities'] as JsonMap;
    expect(capabilities[suite.profile.capability]).toMatchObject({ madeOf: ['brass', 'steel'] });
  });
}
