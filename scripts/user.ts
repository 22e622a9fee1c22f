import {
  type AuditEntry,
  changeRoles,
  disableUser,
  enableUser,
  listActs,
  listTokens,
  listUsers,
  rolesOfUser,
  signOutUser,
  type UserListing,
} from '../src/accounts/index.js';
import { parseDuration } from '../src/server/config.js';
import {
  type Command,
  parseOptions,
  printError,
  printLine,
  runSubcommand,
  UsageError,
} from './cli.js';
import { columns } from './columns.js';
import { withDirectory } from './directory.js';
import { command as commandLine } from './invocation.js';

const HELP = `
Usage: ${commandLine('user', 'COMMAND')}

  list                prints a line for each user, oldest first, without a heading: id, created,
                      enabled or disabled, roles, identities at providers (ISSUER#SUBJECT), name
  disable NAME        ends all that a user has, on every server: tokens, sign-ins and tickets are
                      good for nothing, streams close, push subscriptions are destroyed
  enable NAME         makes tokens and sign-ins good again; push subscriptions stay destroyed
  sign-out NAME       ends the sign-ins by identity providers up to now, with their streams and push
                      subscriptions. The server's own tokens go on: "token revoke" ends those
  roles NAME [ROLE ... | --none]
                      gives a user these roles in the whole server and no others, or none at all.
                      With NAME alone it prints the roles that the user has, a line for each
  audit [--since 30d] prints a line for each act on users, accounts, access and tokens, oldest
                      first: time, who (- is a command or the server), act, id of its object,
                      details as JSON. --since takes a duration in s, m, h or d; without it all are
                      printed

"account create" and "account grant" make users. The commands work while a server runs. It sees the
change at once, on PostgreSQL within a second.
Exit codes: 0 fine, 2 an argument or the environment is wrong, 70 the database stays busy, or a
defect.
`;

const COMMANDS: Readonly<Record<string, Command>> = {
  list: (argv) => {
    parseOptions(argv, { options: {} });
    return withDirectory(async (prisma) => {
      for (const line of columns((await listUsers(prisma)).map(rowOf))) printLine(line);
    });
  },

  disable: (argv) => withDirectory((prisma) => disableUser(prisma, onlyName(argv))),

  enable: (argv) => withDirectory((prisma) => enableUser(prisma, onlyName(argv))),

  'sign-out': (argv) =>
    withDirectory(async (prisma) => {
      const name = onlyName(argv);
      await signOutUser(prisma, name);
      const tokens = (await listTokens(prisma)).filter(({ user }) => user === name);
      if (tokens.length > 0) {
        printError(`These go on, tokens of the server: ${tokens.length} (token list).`);
      }
    }),

  roles: (argv) => {
    const { values, positionals } = parseOptions(argv, {
      options: { none: { type: 'boolean' } },
      allowPositionals: true,
    });
    const [name, ...roles] = positionals;
    if (name === undefined) throw new UsageError('NAME is missing (--help tells more).');
    const isEmpty = values.none ?? false;
    if (isEmpty && roles.length > 0)
      throw new UsageError('--none takes all roles away: name none beside it.');
    return withDirectory(async (prisma) => {
      if (isEmpty || roles.length > 0) await changeRoles(prisma, name, roles);
      else for (const role of await rolesOfUser(prisma, name)) printLine(role);
    });
  },

  audit: (argv) => {
    const { values } = parseOptions(argv, { options: { since: { type: 'string' } } });
    const since = values.since === undefined ? 0 : Date.now() - age(values.since);
    return withDirectory(async (prisma) => {
      for await (const entry of listActs(prisma, since)) printLine(actLine(entry));
    });
  },
};

await runSubcommand('user', HELP, COMMANDS);

function onlyName(argv: readonly string[]): string {
  const { positionals } = parseOptions(argv, { options: {}, allowPositionals: true });
  const [name, ...others] = positionals;
  if (name !== undefined && others.length === 0) return name;
  throw new UsageError('Takes one NAME; one with spaces needs quotes (--help tells more).');
}

function age(text: string): number {
  const milliseconds = parseDuration(text);
  if (milliseconds !== null) return milliseconds;
  throw new UsageError(`--since ${text} is no duration: it takes one such as 30d, 12h, 5m or 2s.`);
}

function rowOf({ id, name, disabled, roles, identities, created }: UserListing): readonly string[] {
  const texts = identities.map(({ issuer, subject }) => `${encoded(issuer)}#${encoded(subject)}`);
  return [
    id,
    new Date(created).toISOString(),
    disabled === null ? 'enabled' : 'disabled',
    roles.join(',') || '-',
    texts.join(',') || '-',
    name,
  ];
}

/** Returns a text that can't be taken for more columns or identities than one. */
function encoded(text: string): string {
  return text.replaceAll(/[\s,%]|\p{Cc}/gu, (character) => encodeURIComponent(character));
}

function actLine({ at, actor, action, objectId, detail }: AuditEntry): string {
  const line = [new Date(at).toISOString(), actor ?? '-', action, objectId];
  // No detail that came from outside can end a line: JSON escapes control characters.
  return detail === null ? line.join('  ') : `${line.join('  ')}  ${JSON.stringify(detail)}`;
}
