import {
  createAccount,
  deleteAccount,
  grantAccess,
  listAccounts,
  renameAccount,
  revokeAccess,
} from '../src/accounts/index.js';
import { openBlobStore } from '../src/blobs/index.js';
import { blobsHeld } from '../src/database/blob-hold.js';
import { listAccountCreatedKinds } from '../src/hooks/task-kinds.js';
import { createRegistry, type Registry } from '../src/methods/registry.js';
import { createIdGenerator } from '../src/protocol/ids.js';
import { projectRoot } from '../src/server/package-root.js';
import { loadProject } from '../src/server/project.js';
import { leapAt, resetStates } from './backup/reset-states.js';
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
import { requireKnown } from './known-names.js';
import { quotaCommands } from './quota-commands.js';

const HELP = `
Usage: ${commandLine('account', 'COMMAND')}

  create --name NAME [--user NAME] [--capability URN ...]
                      makes an account and prints its id alone. It belongs to the user, who is
                      created if unknown (without --user: to "owner", the user of the first token),
                      and has all capabilities, or those named
  list                prints a line for each account, oldest first, without a heading: id, owner,
                      who has access (rw or ro), capabilities ("all" or a list), name
  rename ID NAME      gives an account another name
  grant ID --user U [--read-only]
                      gives a user access, who is created if unknown; run again, it changes the mode
  revoke ID --user U  takes a user's access away
  delete ID --yes     deletes an account and all of its data, for good
  set-plan ID PLAN    gives an account the limits of a plan; "none" takes its plan away
  set-quota ID QUOTA LIMIT
                      gives an account a limit of its own: 500, or 20GB of octets; "none" takes
                      it away
  check-usage [ID] [--mend]
                      counts the objects and blobs of an account, or of all, and prints each quota
                      whose use is wrong; --mend corrects it
  reset-states        after a restore from a backup: raises every state far beyond what clients have
                      seen, so that they synchronise anew; ends all push subscriptions

The commands work while a server runs. It sees the change at once, on PostgreSQL within a second.
Exit codes: 0 fine, 1 check-usage found something, 2 an argument or the environment is wrong, 70 the
database stays busy, or a defect.
`;

const COMMANDS: Readonly<Record<string, Command>> = {
  create: async (argv) => {
    const { values } = parseOptions(argv, {
      options: {
        name: { type: 'string' },
        user: { type: 'string' },
        capability: { type: 'string', multiple: true },
      },
    });
    const name = required(values.name, '--name NAME');
    const capabilities = values.capability ?? null;
    const registry = await loadRegistry();
    requireKnown('capability', capabilities ?? [], [...registry.capabilities.keys()]);
    return withDirectory(async (prisma) => {
      const tasks = listAccountCreatedKinds(registry);
      const account = { name, user: values.user, capabilities, tasks };
      printLine(await createAccount(prisma, createIdGenerator(), account));
    });
  },

  list: (argv) => {
    parseOptions(argv, { options: {} });
    return withDirectory(async (prisma) => {
      const rows = (await listAccounts(prisma)).map((account) => [
        account.id,
        account.owner,
        account.access.map((row) => `${row.user}:${row.readOnly ? 'ro' : 'rw'}`).join(',') || '-',
        account.capabilities === null ? 'all' : account.capabilities.join(','),
        account.name,
      ]);
      for (const line of columns(rows)) printLine(line);
    });
  },

  rename: (argv) => {
    const { positionals } = parseOptions(argv, { options: {}, allowPositionals: true });
    const [id, name] = exactly(positionals, 'ID NAME');
    return withDirectory((prisma) => renameAccount(prisma, id ?? '', name ?? ''));
  },

  grant: (argv) => {
    const { values, positionals } = parseOptions(argv, {
      options: { user: { type: 'string' }, 'read-only': { type: 'boolean' } },
      allowPositionals: true,
    });
    const [accountId = ''] = exactly(positionals, 'ID');
    const user = required(values.user, '--user U');
    const readOnly = values['read-only'] ?? false;
    return withDirectory((prisma) =>
      grantAccess(prisma, createIdGenerator(), { accountId, user, readOnly }),
    );
  },

  revoke: (argv) => {
    const { values, positionals } = parseOptions(argv, {
      options: { user: { type: 'string' } },
      allowPositionals: true,
    });
    const [id = ''] = exactly(positionals, 'ID');
    const user = required(values.user, '--user U');
    return withDirectory((prisma) => revokeAccess(prisma, id, user));
  },

  delete: async (argv) => {
    const { values, positionals } = parseOptions(argv, {
      options: { yes: { type: 'boolean' } },
      allowPositionals: true,
    });
    const [id = ''] = exactly(positionals, 'ID');
    if (values.yes !== true)
      throw new UsageError('This deletes all data of the account: add --yes.');
    const tables = await loadTables();
    return withDirectory((prisma, config) =>
      deleteAccount(prisma, {
        id,
        tables,
        database: config.database.kind,
        deleteBlobs: async (accountId) => {
          // Its rows are gone; a backup may have copied them (blob-hold.ts).
          if (!(await blobsHeld(prisma))) {
            await (await openBlobStore(config.blobStore)).deleteAccount(accountId);
          } else printError('A backup is running: the server removes the files within a day.');
        },
      }),
    );
  },

  ...quotaCommands(loadRegistry),

  'reset-states': async (argv) => {
    parseOptions(argv, { options: {} });
    const tables = await loadTables();
    return withDirectory((prisma) => resetStates(prisma, tables, leapAt(Date.now())));
  },
};

await runSubcommand('account', HELP, COMMANDS);

/** Of the registered data types. */
async function loadTables(): Promise<readonly string[]> {
  const { dataTypes } = await loadRegistry();
  return [...dataTypes.values()].map(({ table }) => table);
}

/** Only some commands need what the project defines. */
async function loadRegistry(): Promise<Registry> {
  const { registry } = await loadProject(projectRoot());
  return createRegistry(registry);
}

function required(value: string | undefined, option: string): string {
  if (value === undefined) throw new UsageError(`${option} is missing (--help tells more).`);
  return value;
}

function exactly(positionals: readonly string[], names: string): readonly string[] {
  if (positionals.length === names.split(' ').length) return positionals;
  throw new UsageError(`Takes ${names}; a name with spaces needs quotes (--help tells more).`);
}
