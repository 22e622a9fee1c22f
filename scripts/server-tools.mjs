/** The tools that an operator runs beside a server; a standalone one brings them too. */
export const SERVER_TOOLS = {
  migrate: {
    entry: 'scripts/migrate',
    needs: 'descriptors',
    words: 'brings the database of DATABASE_URL up to date; --status tells',
  },
  account: {
    entry: 'scripts/account',
    needs: 'build',
    words: 'accounts: create, list, rename, grant, revoke, delete',
  },
  token: { entry: 'scripts/token', needs: 'descriptors', words: 'tokens: create, list, revoke' },
  user: {
    entry: 'scripts/user',
    needs: 'descriptors',
    words: 'users: list, disable, enable, sign-out, roles, audit',
  },
  group: {
    entry: 'scripts/group',
    needs: 'build',
    words: 'groups of users: create, list, add, remove, delete',
  },
  push: {
    entry: 'scripts/push',
    needs: 'descriptors',
    words: 'push subscriptions: list; rotate-key makes another VAPID key',
  },
  tasks: {
    entry: 'scripts/tasks',
    needs: 'build',
    words: 'durable work of hooks: how much is left; --drop forgets that of a hook that is gone',
  },
  backup: {
    entry: 'scripts/backup',
    needs: 'descriptors',
    words: 'database and blobs into one file, also while the server runs',
  },
  restore: {
    entry: 'scripts/restore',
    needs: 'build',
    words: 'brings such a file back into an empty place',
  },
};

/** Returns one line for each tool: its name and what it does. */
export function listTools(tools) {
  const names = Object.keys(tools);
  const width = Math.max(...names.map((name) => name.length));
  return names.map((name) => `  ${name.padEnd(width)}  ${tools[name].words}`).join('\n');
}
