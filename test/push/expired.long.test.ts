import { expect, it } from 'vitest';
import { usePush } from '../methods/push-subscription/rig.js';
import { eventually } from '../support/poll.js';
import { usePostgresql } from '../support/postgresql.js';

const rig = usePush('SQLite', usePostgresql(), {});

it('a push subscription that has expired is gone within a minute', async () => {
  const client = await rig().client();
  const { id } = await client.subscribe();
  const { prisma } = rig();
  await prisma.jmapPushSubscription.update({ where: { id }, data: { expires: 1n } });
  const count = () => prisma.jmapPushSubscription.count({ where: { id } });
  await eventually(async () => expect(await count()).toBe(0), 90_000);
});
