import { readFile } from 'node:fs/promises';
import {
  listSubscriptions,
  rotateVapidKey,
  type SubscriptionListing,
} from '../src/accounts/index.js';
import { createIdGenerator } from '../src/protocol/ids.js';
import { makeVapidKey, readVapidKey, type VapidKey } from '../src/push/webpush/vapid-key.js';
import { parseDuration } from '../src/server/config.js';
import { createSealer } from '../src/server/sealer.js';
import { type Command, parseOptions, printLine, runSubcommand, UsageError } from './cli.js';
import { columns } from './columns.js';
import { withDirectory } from './directory.js';
import { command as commandLine } from './invocation.js';

const HELP = `
Usage: ${commandLine('push', 'COMMAND')}

  list         prints a line for each push subscription, oldest first, without a heading: id,
               user, types ("all", "none" or a list), when it was verified, when it expires, its
               last success, its last failure and why. Never a URL, a key or a code
  rotate-key [--keep 30d] [--from FILE]
               makes another VAPID key, and prints the public part alone. The key before signs for
               its subscriptions as long as --keep says, in s, m, h or d (30d without it). Then
               the server destroys them: clients subscribe anew with the new key. --from takes
               the private key of FILE, of another server of yours for example: PEM (PKCS#8 or
               SEC1), or the base64url of its 32 octets

The commands work while a server runs. It sees the change at once, on PostgreSQL within a second.
SECRETS_KEY must be the server's.
Exit codes: 0 fine, 2 an argument or the environment is wrong, 70 the database stays busy, or a
defect.
`;

const KEEP = '30d';

const COMMANDS: Readonly<Record<string, Command>> = {
  list: async (argv) => {
    parseOptions(argv, { options: {} });
    return withDirectory(async (prisma) => {
      for (const line of columns((await listSubscriptions(prisma)).map(row)))
        printLine(line.trimEnd());
    });
  },

  'rotate-key': async (argv) => {
    const options = { keep: { type: 'string' }, from: { type: 'string' } } as const;
    const { values } = parseOptions(argv, { options });
    const text = values.keep ?? KEEP;
    const keep = parseDuration(text);
    if (keep === null) {
      throw new UsageError(
        `--keep ${text} is no duration: it takes one such as 30d, 12h, 5m or 2s.`,
      );
    }
    const { from } = values;
    const imported = from === undefined ? null : await readKey(from);
    return withDirectory(async (prisma, { secretsKey }) => {
      const { id, time: now } = createIdGenerator().next('k');
      const sealer = createSealer(secretsKey);
      const makeKey = () => imported ?? makeVapidKey();
      const made = await rotateVapidKey(prisma, { sealer, makeKey, id, now, keep });
      if (made === null) throw new UsageError(`--from ${from}: the database has this key already.`);
      printLine(made.publicText);
    });
  },
};

await runSubcommand('push', HELP, COMMANDS);

async function readKey(path: string): Promise<VapidKey> {
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new UsageError(`--from ${path} can't be read: ${error.code}.`);
  });
  const key = readVapidKey(text);
  if (key !== null) return key;
  throw new UsageError(
    `--from ${path} holds no private key of the curve P-256: it takes PEM (PKCS#8 or SEC1), or ` +
      'the base64url of 32 octets.',
  );
}

function row(subscription: SubscriptionListing): readonly string[] {
  const { id, user, types, verified, expires, lastSuccess, lastFailure } = subscription;
  const failure = [time(lastFailure), subscription.lastFailureReason ?? ''].join(' ').trim();
  return [
    ...[id, user],
    types === null ? 'all' : types.join(',') || 'none',
    verified === null ? 'unverified' : time(verified),
    ...[time(expires), time(lastSuccess), failure],
  ];
}

function time(ms: number | null): string {
  return ms === null ? 'never' : new Date(ms).toISOString();
}
