import { createAccount, createToken, grantAccess } from '../../src/accounts/index.js';
import type { PrismaClient } from '../../src/database/sqlite/prisma.js';
import { createIdGenerator } from '../../src/protocol/ids.js';

/** Event sources that the server lets a user have. */
export const OF_A_USER = 32;

/** Makes users who all reach one account, which the first one owns. */
export async function makeUsers(
  prisma: PrismaClient,
  count: number,
): Promise<{ readonly accountId: string; readonly tokens: readonly string[] }> {
  const ids = createIdGenerator();
  const accountId = await createAccount(prisma, ids, { name: 'shared', user: 'user-0' });
  const tokens: string[] = [];
  for (let n = 0; n < count; n += 1) {
    const user = `user-${n}`;
    if (n > 0) {
      await createAccount(prisma, ids, { name: user, user });
      await grantAccess(prisma, ids, { accountId, user, readOnly: false });
    }
    tokens.push(await createToken(prisma, ids, { user }));
  }
  return { accountId, tokens };
}

/** Creates a Todo in an account; resolves when the answer is there, to that time. */
export async function write(url: string, token: string, accountId: string): Promise<number> {
  const response = await fetch(`${url}/jmap`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      using: ['urn:ietf:params:jmap:core', 'urn:example:todos'],
      methodCalls: [['Todo/set', { accountId, create: { k: { text: 'x' } } }, 's']],
    }),
  });
  const text = await response.text();
  const at = performance.now();
  if (!text.includes('"created":{"k"')) throw new Error(text);
  return at;
}
