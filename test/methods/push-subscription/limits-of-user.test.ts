import { describe, expect, it } from 'vitest';
import { usePostgresql } from '../../support/postgresql.js';
import { device, type Json, type PushClient, type PushRig, usePush } from './rig.js';

const postgresql = usePostgresql();

/** Creates some, an hour after all that were created before. */
async function create({ prisma }: PushRig, client: PushClient, count: number): Promise<Json> {
  await prisma.jmapPushCreation.updateMany({ data: { at: 0n } });
  const names = Array.from({ length: count }, (_, n) => `k${n}`);
  return client.change({ create: Object.fromEntries(names.map((name) => [name, device()])) });
}

describe.each(['SQLite', 'PostgreSQL'])('the subscriptions of a user, on %s', (database) => {
  const rig = usePush(database, postgresql);

  it('RFC 8620 8.6: are 64 at the most, over all tokens', async () => {
    const first = await rig().client();
    const { user } = first;
    const others = [1, 2, 3].map(() => rig().client({ user }));
    for (const client of [first, ...(await Promise.all(others))]) {
      for (const count of [10, 6]) {
        const { created } = await create(rig(), client, count);
        expect(Object.keys(created)).toHaveLength(count);
      }
      expect((await client.read()).list).toHaveLength(16);
    }
    const last = await rig().client({ user });
    const { created, notCreated } = await create(rig(), last, 1);
    expect([created, notCreated]).toEqual([
      null,
      {
        k0: {
          type: 'overQuota',
          // Those of other tokens are not for this client to see.
          description: 'The tokens of the user have 64 push subscriptions, which is the most.',
        },
      },
    ]);
    const stranger = await rig().client();
    expect((await create(rig(), stranger, 1)).notCreated).toBe(null);
    // One that is destroyed makes room for one.
    const { list } = await first.read();
    await first.change({ destroy: [list[0].id] });
    const more = await create(rig(), last, 2);
    expect(Object.keys(more.created)).toEqual(['k0']);
    expect(more.notCreated.k1).toMatchObject({ type: 'overQuota' });
    const again = await create(rig(), last, 1);
    expect(again.notCreated.k0.description).toContain(more.created.k0.id);
  });
});
