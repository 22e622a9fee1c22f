import { inChunks } from '../../database/in-chunks.js';
import { formatUtcDate, parseUtcDate } from '../../protocol/dates.js';
import { isId } from '../../protocol/ids.js';
import type { JsonObject, JsonValue } from '../../protocol/json.js';
import { groupBy } from '../../runtime/group-by.js';
import { wrongValue } from '../admin-port.js';
import type { TransactionClient } from '../change.js';
import { modesIn } from '../load-principals.js';
import { parseToken } from '../token-text.js';
import { insertToken, LAST_TIME, removeToken } from '../tokens.js';
import { type DirectoryKind, immutable, judged, readChosen, userOf } from './directory-kind.js';

/** Tokens as AdminToken objects, without their secrets. */
export const adminTokens: DirectoryKind = {
  async read(client, which) {
    const omit = { secretHash: true } as const;
    const tokens = await readChosen(which, (part) => client.jmapToken.findMany({ ...part, omit }));
    const accounts = await accountsOf(client, tokens);
    return tokens.map((token) => ({
      ...{ id: token.id, user: token.userId, readOnly: token.readOnly },
      accounts: token.scoped ? (accounts.get(token.id) ?? {}) : null,
      capabilities: objectOf(token.capabilities),
      types: objectOf(token.types),
      expires: token.expires === null ? null : formatExpires(Number(token.expires)),
      created: formatUtcDate(Number(token.created)),
    }));
  },

  async create({ change, ids }, { user: userId, readOnly, ...object }) {
    const { name: user } = await userOf(change, 'user', userId);
    const accounts = [...(modesOf('accounts', object['accounts']) ?? [])].map(
      ([accountId, mode]) => ({ accountId, readOnly: mode !== 'full' }),
    );
    if (accounts.some(({ accountId }) => !isId(accountId)))
      throw wrongValue('accounts', 'has a name that is no id');
    const wanted = {
      ...{ user, accounts, readOnly: readOnly === true, expires: endOf(object['expires']) },
      capabilities: modesOf('capabilities', object['capabilities']),
      types: modesOf('types', object['types']),
    };
    const token = await judged('accounts', () => insertToken(change, ids, wanted));
    return { id: parseToken(token)?.id ?? '', secrets: { token } };
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
  const rows = await inChunks(ids, (chunk) =>
    client.jmapTokenAccount.findMany({
      where: { tokenId: { in: chunk } },
      orderBy: { accountId: 'asc' },
    }),
  );
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

function endOf(expires: JsonValue | undefined): number | undefined {
  const end = typeof expires === 'string' ? parseUtcDate(expires) : null;
  if (end === null) return undefined;
  if (end <= Date.now()) throw wrongValue('expires', 'must be a time to come');
  return end;
}

/** Older tokens may end later than a UTCDate can say. */
function formatExpires(expires: number): string {
  return formatUtcDate(Math.min(expires, LAST_TIME));
}

/** Reads a JSON column of modes by name; null: all. */
function objectOf(value: unknown): JsonObject | null {
  return typeof value === 'object' && value !== null ? (value as JsonObject) : null;
}

/** Reads modes from a client; absent: all. An empty object would mean all, too: it is refused. */
function modesOf(property: string, value: JsonValue | undefined) {
  const modes = modesIn(value);
  if (modes?.size === 0) throw wrongValue(property, 'must not be empty: null is for all');
  return modes ?? undefined;
}
