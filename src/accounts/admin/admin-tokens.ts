import type { Prisma } from '../../../build/prisma/engine-sqlite/client.js';
import { formatUtcDate, parseUtcDate } from '../../protocol/dates.js';
import type { JsonObject, JsonValue } from '../../protocol/json.js';
import { wrongValue } from '../admin-port.js';
import type { TransactionClient } from '../change.js';
import { groupBy } from '../directory.js';
import { parseToken } from '../token-text.js';
import { insertToken, removeToken } from '../tokens.js';
import { chosen, type DirectoryKind, immutable, judged, userOf } from './directory-kind.js';

/** Tokens as AdminToken objects, without their secrets. */
export const adminTokens: DirectoryKind = {
  async read(client, which) {
    const tokens = await client.jmapToken.findMany({
      ...chosen(which),
      omit: { secretHash: true },
    });
    const accounts = await accountsOf(client, tokens);
    return tokens.map((token) => ({
      ...{ id: token.id, user: token.userId, readOnly: token.readOnly },
      accounts: token.scoped ? (accounts.get(token.id) ?? {}) : null,
      capabilities: objectOf(token.capabilities),
      types: objectOf(token.types),
      expires: token.expires === null ? null : formatUtcDate(Number(token.expires)),
      created: formatUtcDate(Number(token.created)),
    }));
  },

  async create({ change, ids }, { user: userId, readOnly, expires, ...object }) {
    const { name: user } = await userOf(change, 'user', userId);
    const [lifetime, accounts] = [lifetimeOf(expires), objectOf(object['accounts'])];
    const scopes = Object.entries(accounts ?? {}).map(([accountId, mode]) => {
      return { accountId, readOnly: mode !== 'full' };
    });
    const wanted = { user, readOnly: readOnly === true, accounts: scopes, lifetime };
    const token = await judged('accounts', () => insertToken(change, ids, wanted));
    const id = parseToken(token)?.id ?? '';
    const { capabilities, types } = object;
    await change.transaction.jmapToken.update({
      where: { id },
      data: { ...modes('capabilities', capabilities), ...modes('types', types) },
    });
    return { id, secrets: { token } };
  },

  update: immutable,

  destroy: ({ change }, { id, user }) => removeToken(change, { id, userId: String(user) }),
};

/** Returns by token the accounts that a scoped one reaches, with the mode of each. */
async function accountsOf(
  client: TransactionClient,
  tokens: readonly { readonly id: string; readonly scoped: boolean }[],
): Promise<ReadonlyMap<string, JsonObject>> {
  const ids = tokens.filter(({ scoped }) => scoped).map(({ id }) => id);
  const rows = await client.jmapTokenAccount.findMany({
    where: { tokenId: { in: ids } },
    orderBy: { accountId: 'asc' },
  });
  return new Map(
    Array.from(
      groupBy(rows, ({ tokenId }) => tokenId),
      ([id, scopes]) => {
        const modes = scopes.map(({ accountId, readOnly }) => [
          accountId,
          readOnly ? 'read' : 'full',
        ]);
        return [id, Object.fromEntries(modes) as JsonObject];
      },
    ),
  );
}

function lifetimeOf(expires: JsonValue | undefined): number | undefined {
  const end = typeof expires === 'string' ? parseUtcDate(expires) : null;
  if (end === null) return undefined;
  const lifetime = end - Date.now();
  if (lifetime <= 0) throw wrongValue('expires', 'must be a time to come');
  return lifetime;
}

/** Reads a JSON column of modes by name; null: all. */
function objectOf(value: unknown): JsonObject | null {
  return typeof value === 'object' && value !== null ? (value as JsonObject) : null;
}

function modes(
  column: string,
  value: JsonValue | undefined,
): Record<string, Prisma.InputJsonObject> {
  const object = objectOf(value);
  return object === null ? {} : { [column]: object as Prisma.InputJsonObject };
}
