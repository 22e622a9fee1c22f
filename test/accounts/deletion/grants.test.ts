import { describe, expect, it, onTestFinished } from 'vitest';
import { changeAccess } from '../../../src/accounts/change.js';
import { beginDeletion } from '../../../src/accounts/delete-account.js';
import { createAccount } from '../../../src/accounts/index.js';
import { createIdGenerator } from '../../../src/protocol/ids.js';
import { usePostgresql } from '../../support/postgresql.js';
import { KINDS, openKind } from '../two-databases.js';

const ids = createIdGenerator();

/** Records that one statement writes. */
const BATCH = 1000;

const postgresql = usePostgresql();

describe.each(KINDS)('The deletion of an account on %s', (kind) => {
  /** Deletes an account with `count` grants and tokens; returns the statements that it took. */
  async function deleteWith(count: number) {
    const opened = await openKind(kind, postgresql, 'grants');
    onTestFinished(() => opened.close());
    const { prisma } = opened;
    const accountId = await createAccount(prisma, ids, { name: 'Shared', user: 'owner' });
    const created = 0n;
    const users = Array.from({ length: count }, (_, at) => ({ id: `u${at}`, name: `user${at}` }));
    await prisma.jmapUser.createMany({ data: users.map((user) => ({ ...user, created })) });
    await prisma.jmapAccess.createMany({
      data: users.map(({ id: userId }) => ({ accountId, userId, readOnly: false })),
    });
    await prisma.jmapToken.createMany({
      data: users.map(({ id: userId }, at) => ({
        ...{ id: `t${at}`, userId, secretHash: Buffer.alloc(32), created },
        ...{ readOnly: false, scoped: true },
      })),
    });
    await prisma.jmapTokenAccount.createMany({
      data: users.map((_, at) => ({ tokenId: `t${at}`, accountId, readOnly: false })),
    });
    let statements = 0;
    const counted = prisma.$extends({
      query: {
        $allOperations: ({ args, query }) => {
          statements += 1;
          return query(args);
        },
      },
    });
    await changeAccess(counted as never, (change) => beginDeletion(change, accountId));
    return { prisma, accountId, statements };
  }

  it('takes no more statements for more grants and tokens within a batch', async () => {
    const [few, many] = [await deleteWith(2), await deleteWith(BATCH - 1)];
    expect(many.statements).toBe(few.statements);
    expect(few.statements).toBeLessThan(20);
  }, 60_000);

  it('writes one record of each grant and token, in numbers without a gap', async () => {
    const count = BATCH + 5;
    const { prisma, accountId } = await deleteWith(count);
    const recordsOf = (type: string) =>
      prisma.jmapChange.findMany({
        where: { accountId: 'directory', type },
        orderBy: { number: 'asc' },
      });
    const stateOf = async (type: string) =>
      (await prisma.jmapState.findFirst({ where: { accountId: 'directory', type } }))?.number;
    const [made, ...grants] = await recordsOf('AdminGrant');
    expect(made).toMatchObject({ number: 1n, kind: 0 });
    expect(grants.map(({ number }) => number)).toEqual(grants.map((_, at) => BigInt(at + 2)));
    expect(new Set(grants.map(({ kind: change }) => change))).toEqual(new Set([2]));
    const users = await prisma.jmapUser.findMany();
    const expected = users.map(({ id }) => `${accountId}-${id}`);
    expect(grants.map(({ objectId }) => objectId).sort()).toEqual(expected.sort());
    const tokens = await recordsOf('AdminToken');
    expect(tokens.map(({ number }) => number)).toEqual(tokens.map((_, at) => BigInt(at + 1)));
    expect(new Set(tokens.map(({ objectId }) => objectId)).size).toBe(count);
    expect([await stateOf('AdminGrant'), await stateOf('AdminToken')]).toEqual([
      BigInt(count + 2),
      BigInt(count),
    ]);
    expect(await recordsOf('AdminAccount')).toMatchObject([{ kind: 0 }, { kind: 2 }]);
  }, 60_000);
});
