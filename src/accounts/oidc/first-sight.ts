import { hash } from 'node:crypto';
import type { PrismaClient } from '../../../build/prisma/engine-sqlite/client.js';
import type { IdGenerator } from '../../protocol/ids.js';
import { forgetOldest } from '../../runtime/forget-oldest.js';
import { available } from '../available.js';
import { changeAccess, type TransactionClient } from '../change.js';
import { createUser, insertAccount } from '../directory.js';
import { subjectKey } from '../sign-in.js';
import type { Visitor } from './accept-token.js';

/** Users who are remembered. */
const MAX_SEEN = 10_000;

export interface WelcomeOptions {
  /** Sees committed rows alone. */
  readonly prisma: PrismaClient;
  readonly ids: IdGenerator;
  /** As of a new account (directory.ts). */
  readonly tasks: readonly string[];
}

/**
 * Returns a function that makes the user of a token where there is none, with an account where the
 * configuration says so, and keeps its name up to date. A user is made once over all processes.
 * A user that a command made is never taken for one of a provider with the same name: users of a
 * provider may choose their names.
 */
export function createWelcome(options: WelcomeOptions): (visitor: Visitor) => Promise<boolean> {
  const { prisma } = options;
  const welcome = async (visitor: Visitor): Promise<boolean> => {
    const { issuer } = visitor.provider.settings.rules;
    const where = { issuer_subject: { issuer, subject: visitor.subject } };
    const known = await prisma.jmapIdentity.findUnique({ where });
    if (known === null) return makeUser(options, visitor);
    const user = await prisma.jmapUser.findUnique({ where: { id: known.userId } });
    if (user !== null && visitor.displayName.isBest && !isNameOf(user.name, visitor)) {
      await changeAccess(prisma, async ({ transaction, note }) => {
        const { id } = user;
        const name = await freeName(transaction, visitor, id);
        await transaction.jmapUser.update({ where: { id }, data: { name } });
        await note({ action: 'user/rename', objectId: id, detail: { name } });
      });
    }
    return user !== null;
  };
  /** Names of users who are there, by what the provider calls them. Nobody deletes users. */
  const seen = new Map<string, string>();
  return async (visitor) => {
    const { issuer } = visitor.provider.settings.rules;
    const key = subjectKey(issuer, visitor.subject);
    const name = visitor.displayName.text;
    if (seen.get(key) === name) return true;
    const isThere = await available('users', () => welcome(visitor));
    if (isThere) seen.set(key, name);
    forgetOldest(seen, MAX_SEEN);
    return isThere;
  };
}

async function makeUser(
  { prisma, ids, tasks }: WelcomeOptions,
  visitor: Visitor,
): Promise<boolean> {
  const { subject, provider } = visitor;
  const { rules, user, account } = provider.settings;
  const { issuer } = rules;
  if (!user.create) return false;
  await changeAccess(prisma, async (change): Promise<string | null> => {
    const { transaction, note } = change;
    // Another process may have been first.
    const where = { issuer_subject: { issuer, subject } };
    if ((await transaction.jmapIdentity.findUnique({ where })) !== null) return null;
    const name = await freeName(transaction, visitor, null);
    const id = await createUser(change, ids, name);
    const data = { issuer, subject, userId: id, created: BigInt(Date.now()) };
    await transaction.jmapIdentity.create({ data });
    await note({ action: 'user/identify', objectId: id, detail: { issuer, subject } });
    if (account === null) return id;
    const title = legalText(
      account.name.replaceAll('{name}', () => name),
      LONGEST,
    );
    await insertAccount(change, ids, { name: title, user: name, tasks });
    return id;
  });
  return true;
}

/** Names may take so many characters (directory.ts); a part is left for what tells them apart. */
const LONGEST = 255;
const LONGEST_BASE = 160;
/** Characters that no name may have. */
const ILLEGAL = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}]+/gu;

/** Returns a text of so many characters at most that may be a name. */
function legalText(text: string, most: number): string {
  return [...text.replace(ILLEGAL, ' ').trim()].slice(0, most).join('').trim();
}

/** Returns the name that the provider has for a user: cut, and the subject where it has none. */
function baseName({ displayName, subject }: Visitor): string {
  return legalText(displayName.text, LONGEST_BASE) || legalText(subject, LONGEST_BASE) || 'user';
}

/** Returns the names that a user may have here, the best one first. */
function* namesOf(visitor: Visitor): Generator<string> {
  const base = baseName(visitor);
  const { issuer } = visitor.provider.settings.rules;
  const { host } = new URL(issuer);
  const place = host.slice(0, LONGEST - LONGEST_BASE - 20);
  yield base;
  yield `${base} (${place})`;
  // Namesakes must not cost more the more there are.
  const digest = hash('sha256', JSON.stringify([issuer, visitor.subject]), 'hex');
  yield `${base} (${place}, ${digest.slice(0, 8)})`;
  yield `${base.slice(0, 80)} (${digest})`;
}

function isNameOf(name: string, visitor: Visitor): boolean {
  const base = baseName(visitor);
  return name === base || (name.startsWith(`${base} (`) && name.endsWith(')'));
}

/** Returns the first name that no other user has. `userId`: null where the user is new. */
async function freeName(
  transaction: TransactionClient,
  visitor: Visitor,
  userId: string | null,
): Promise<string> {
  for (const name of namesOf(visitor)) {
    const holder = await transaction.jmapUser.findUnique({ where: { name } });
    if (holder === null || holder.id === userId) return name;
  }
  throw new Error('The names of a user are taken, one with a hash among them.');
}
