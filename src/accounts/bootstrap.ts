import { mkdir, open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { PrismaClient } from '../../build/prisma/engine-sqlite/client.js';
import { createIdGenerator, type IdGenerator } from '../protocol/ids.js';
import { SERVER } from './audit.js';
import { changeAccess } from './change.js';
import { DEFAULT_USER, insertAccount } from './directory.js';
import { insertToken } from './tokens.js';

const FILE = 'first-token';
const ACCOUNT_NAME = 'My account';

/**
 * Makes a user with an account and a token at the very first start, when there is no user. It
 * writes the token to a file that its owner alone can read. Resolves to the file's path; null where
 * there was nothing to do, or `enabled` is false.
 */
export async function bootstrap(
  prisma: PrismaClient,
  options: {
    readonly dataDir: string;
    readonly enabled: boolean;
    readonly ids?: IdGenerator;
    /** As of a new account (directory.ts). */
    readonly tasks?: readonly string[];
  },
): Promise<string | null> {
  if (!options.enabled || (await prisma.jmapUser.count()) > 0) return null;
  const ids = options.ids ?? createIdGenerator();
  const path = join(options.dataDir, FILE);
  await mkdir(options.dataDir, { recursive: true, mode: 0o700 });
  try {
    return await changeAccess(prisma, async (change) => {
      // A command in another process may have been first.
      if ((await change.transaction.jmapUser.count()) > 0) return null;
      await change.note({ action: 'server/bootstrap', objectId: SERVER });
      await insertAccount(change, ids, { name: ACCOUNT_NAME, tasks: options.tasks ?? [] });
      const token = await insertToken(change, ids, { user: DEFAULT_USER });
      // Before the commit: a crash leaves a file to be replaced, never a token nobody can read.
      await writeSecret(path, `${token}\n`);
      await syncFolder(options.dataDir);
      return path;
    });
  } catch (error) {
    await rm(path, { force: true });
    throw error;
  }
}

/** Writes a new file with mode 0600 and has it on disk. Replaces what stood at the path. */
async function writeSecret(path: string, text: string): Promise<void> {
  await rm(path, { force: true });
  // "wx": neither an existing file's mode nor a link that somebody put there is taken over.
  const handle = await open(path, 'wx', 0o600);
  try {
    await handle.writeFile(text);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Has the file's name on disk too. Windows can't open a folder for this. */
async function syncFolder(folder: string): Promise<void> {
  if (process.platform === 'win32') return;
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
