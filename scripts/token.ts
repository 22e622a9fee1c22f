import {
  createToken,
  listTokens,
  revokeToken,
  type TokenListing,
  type TokenScope,
} from '../src/accounts/index.js';
import { createIdGenerator } from '../src/protocol/ids.js';
import { parseDuration } from '../src/server/config.js';
import { type Command, parseOptions, printLine, runSubcommand, UsageError } from './cli.js';
import { columns } from './columns.js';
import { withDirectory } from './directory.js';
import { command as commandLine } from './invocation.js';
import { READ, readTokenReach, writeModes } from './token-reach.js';

const HELP = `
Usage: ${commandLine('token', 'COMMAND')}

  create --user NAME [--account ID[:read] ...] [--capability URN[:read] ...]
         [--type NAME[:read] ...] [--read-only] [--expires 30d]
                   makes a token for a user and prints it alone: it is shown this once and kept
                   nowhere. It gives access to its user's accounts, also to later ones; with
                   --account only to those named, read-only where ":read" is added. --capability
                   and --type do the same for capabilities and data types; a name that comes twice
                   has the narrower mode. --read-only makes all accounts read-only. --expires takes
                   a duration in s, m, h or d; without it the token is good until it is revoked
  list             prints a line for each token, oldest first, without a heading: id, created,
                   expires, mode (rw or ro), accounts, capabilities and types (each "all" or a
                   list), user. Never a token itself
  revoke TOKEN|ID  ends a token, by itself or by its id

The commands work while a server runs. It sees the change at once, on PostgreSQL within a second.
Exit codes: 0 fine, 2 an argument or the environment is wrong, 70 the database stays busy, or a
defect.
`;

const COMMANDS: Readonly<Record<string, Command>> = {
  create: async (argv) => {
    const { values } = parseOptions(argv, {
      options: {
        user: { type: 'string' },
        account: { type: 'string', multiple: true },
        capability: { type: 'string', multiple: true },
        type: { type: 'string', multiple: true },
        'read-only': { type: 'boolean' },
        expires: { type: 'string' },
      },
    });
    const { user } = values;
    if (user === undefined) throw new UsageError('--user NAME is missing (--help tells more).');
    const wanted = {
      user,
      accounts: (values.account ?? []).map(scope),
      readOnly: values['read-only'] ?? false,
      lifetime: values.expires === undefined ? undefined : lifetime(values.expires),
      ...(await readTokenReach(values.capability ?? [], values.type ?? [])),
    };
    return withDirectory(async (prisma) => {
      printLine(await createToken(prisma, createIdGenerator(), wanted));
    });
  },

  list: async (argv) => {
    parseOptions(argv, { options: {} });
    return withDirectory(async (prisma) => {
      for (const line of columns((await listTokens(prisma)).map(row))) printLine(line);
    });
  },

  revoke: async (argv) => {
    const { positionals } = parseOptions(argv, { options: {}, allowPositionals: true });
    const [token, ...others] = positionals;
    if (token === undefined || others.length > 0) {
      throw new UsageError('Takes one token or its id (--help tells more).');
    }
    return withDirectory((prisma) => revokeToken(prisma, token));
  },
};

await runSubcommand('token', HELP, COMMANDS);

function scope(text: string): TokenScope {
  const readOnly = text.endsWith(READ);
  return { accountId: readOnly ? text.slice(0, -READ.length) : text, readOnly };
}

function lifetime(text: string): number {
  const milliseconds = parseDuration(text);
  if (milliseconds !== null) return milliseconds;
  throw new UsageError(
    `--expires ${text} is no duration: it takes one such as 30d, 12h, 5m or 2s.`,
  );
}

function row(token: TokenListing): readonly string[] {
  const accounts = token.accounts?.map(
    ({ accountId, readOnly }) => accountId + (readOnly ? READ : ''),
  );
  return [
    token.id,
    new Date(token.created).toISOString(),
    token.expires === null ? 'never' : new Date(token.expires).toISOString(),
    token.readOnly ? 'ro' : 'rw',
    accounts === undefined ? 'all' : accounts.join(',') || 'none',
    writeModes(token.capabilities),
    writeModes(token.types),
    token.user,
  ];
}
