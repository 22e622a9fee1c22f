import { scopedTablesIn } from '../src/access/shared-types.js';
import {
  addMember,
  createGroup,
  type GroupListing,
  listGroups,
  removeMember,
  type ScopedTables,
} from '../src/accounts/index.js';
import { createRegistry, type Registry } from '../src/methods/registry.js';
import { createIdGenerator } from '../src/protocol/ids.js';
import { projectRoot } from '../src/server/package-root.js';
import { loadProject } from '../src/server/project.js';
import { type Command, parseOptions, printLine, runSubcommand, UsageError } from './cli.js';
import { columns } from './columns.js';
import { withDirectory } from './directory.js';
import { endGroup } from './end-group.js';
import { command as commandLine } from './invocation.js';

const HELP = `
Usage: ${commandLine('group', 'COMMAND')}

  create NAME         makes a group without members and prints its id alone
  list [--json]       prints a line for each group, oldest first, without a heading: id, created,
                      members (their names, or -), name. --json prints one JSON array
  add NAME --user U   makes a user a member. It sees from then on what is shared with the group
  remove NAME --user U
                      ends that
  delete NAME         deletes a group: its members lose what was shared with it

Users share objects with a group as with a user, by its id. The commands work while a server runs.
It sees the change at once, on PostgreSQL within a second.
Exit codes: 0 fine, 2 an argument or the environment is wrong, 70 the database stays busy, or a
defect.
`;

const COMMANDS: Readonly<Record<string, Command>> = {
  create: (argv) => {
    const name = onlyName(argv);
    return withDirectory(async (prisma) => {
      printLine(await createGroup(prisma, createIdGenerator(), name));
    });
  },

  list: (argv) => {
    const { values } = parseOptions(argv, { options: { json: { type: 'boolean' } } });
    return withDirectory(async (prisma) => {
      const groups = await listGroups(prisma);
      if (values.json === true) printLine(JSON.stringify(groups.map(jsonOf), null, 2));
      else for (const line of columns(groups.map(rowOf))) printLine(line);
    });
  },

  add: async (argv) => {
    const membership = membershipOf(argv);
    const tables = await loadTables();
    return withDirectory((prisma) => addMember(prisma, tables, membership));
  },

  remove: async (argv) => {
    const membership = membershipOf(argv);
    const tables = await loadTables();
    return withDirectory((prisma) => removeMember(prisma, tables, membership));
  },

  delete: async (argv) => {
    const name = onlyName(argv);
    const registry = await loadRegistry();
    return withDirectory((prisma, { database }) => endGroup(prisma, { registry, database }, name));
  },
};

await runSubcommand('group', HELP, COMMANDS);

/** Returns the tables of the types where groups may have scopes. */
async function loadTables(): Promise<ScopedTables> {
  const { dataTypes, relations } = await loadRegistry();
  return scopedTablesIn(dataTypes, relations.viewRules.sharedTables);
}

async function loadRegistry(): Promise<Registry> {
  const { registry } = await loadProject(projectRoot());
  return createRegistry(registry);
}

function membershipOf(argv: readonly string[]): { readonly group: string; readonly user: string } {
  const { values, positionals } = parseOptions(argv, {
    options: { user: { type: 'string' } },
    allowPositionals: true,
  });
  const group = oneName(positionals);
  if (values.user === undefined) throw new UsageError('--user U is missing (--help tells more).');
  return { group, user: values.user };
}

function onlyName(argv: readonly string[]): string {
  return oneName(parseOptions(argv, { options: {}, allowPositionals: true }).positionals);
}

function oneName([name, ...others]: readonly string[]): string {
  if (name !== undefined && others.length === 0) return name;
  throw new UsageError('Takes one NAME; one with spaces needs quotes (--help tells more).');
}

function rowOf({ id, name, members, created }: GroupListing): readonly string[] {
  return [id, new Date(created).toISOString(), members.join(',') || '-', name];
}

function jsonOf({ created, ...group }: GroupListing): object {
  return { ...group, created: new Date(created).toISOString() };
}
