import { HookRefusal, type HookTransaction } from 'jmapsmith/capability';
import type { EmailStored } from '../../generated/mail/Email.definition.js';
import { emailType } from '../../generated/mail/Email.definition.js';
import type { Hooks } from '../../generated/mail/hooks.js';
import { buildMessage, MessageRefusal } from '../message/index.js';

type Entry = Readonly<Record<string, unknown>>;
type Entries = Readonly<Record<string, unknown>>;
type Ids = ReadonlyMap<string, string>;
export type SetErrors = Record<string, { readonly type: string } & Entry>;

/** maxObjectsInSet and maxObjectsInGet of the session, as the server has them by default. */
export const MAX_OBJECTS = 1000;

/** Changes e-mails, and makes the messages of new ones (RFC 8621 4.6). */
export const setEmails: Hooks['methods']['Email/set'] = {
  timeout: '60s',
  async run(args, { createdIds }, tx) {
    const { accountId, ifInState, create = {}, update = {}, destroy = [] } = args;
    const count =
      Object.keys(create ?? {}).length + Object.keys(update ?? {}).length + (destroy ?? []).length;
    if (count > MAX_OBJECTS)
      throw new HookRefusal(
        'requestTooLarge',
        `The call is about more than ${MAX_OBJECTS} e-mails.`,
      );
    await requireState(ifInState, tx);
    const drafts = await draftEmails(create ?? {}, createdIds, tx);
    const patches = await judgePatches(update ?? {}, createdIds, tx);
    const response = await tx.set(
      emailType,
      {
        create: drafts.legal as Record<string, Partial<EmailStored>>,
        update: patches.legal as Record<string, Partial<EmailStored>>,
        destroy: (destroy ?? []).map((id) => resolve(id, createdIds)),
      },
      { partial: true },
    );
    const created = tellCreated(response.created, drafts.legal);
    return {
      accountId,
      oldState: response.oldState ?? '',
      newState: response.newState,
      created,
      updated: response.updated,
      destroyed: response.destroyed,
      notDestroyed: response.notDestroyed,
      notCreated: joinErrors(drafts.refused, response.notCreated),
      notUpdated: joinErrors(patches.refused, response.notUpdated),
      createdIds: idsOf(created),
    };
  },
};

/** Throws `stateMismatch` where the client expects another state of its e-mails. */
export async function requireState(
  ifInState: string | null | undefined,
  tx: HookTransaction,
): Promise<void> {
  if (ifInState === null || ifInState === undefined) return;
  const { newState } = await tx.set(emailType, {});
  if (newState !== ifInState)
    throw new HookRefusal('stateMismatch', `The state of the e-mails is ${newState}.`);
}

/** Entries that may be tried, and the errors of the others. */
interface Judged {
  readonly legal: Record<string, Entry>;
  readonly refused: SetErrors;
}

/** Makes the messages of new e-mails and stores them as blobs. */
async function draftEmails(create: Entries, ids: Ids, tx: HookTransaction): Promise<Judged> {
  const judged: Judged = { legal: {}, refused: {} };
  for (const [key, given] of Object.entries(create)) {
    try {
      const email = requireObject(given);
      const octets = await buildMessage(email, (blobId) => tx.blob(resolve(blobId, ids)));
      const { id } = await tx.putBlob(octets, 'message/rfc822');
      judged.legal[key] = { ...metadataOf(email, ids), blobId: id };
    } catch (error) {
      judged.refused[key] = toSetError(error);
    }
  }
  return judged;
}

/**
 * Returns what an e-mail has beside its message, with ids for creation ids. Where nobody says when
 * it was received, that is now, in whole seconds, as the internal date of IMAP has them.
 */
export function metadataOf(given: Entry, ids: Ids, received?: string | null): Entry {
  const { mailboxIds = {}, keywords, receivedAt } = given;
  return {
    mailboxIds: resolveKeys(mailboxIds, ids),
    ...((keywords ?? null) === null ? {} : { keywords }),
    receivedAt: receivedAt ?? received ?? `${new Date().toISOString().slice(0, 19)}Z`,
  };
}

/** Leaves to the engine patches of mailboxes and keywords; nothing else changes. */
async function judgePatches(update: Entries, ids: Ids, tx: HookTransaction): Promise<Judged> {
  const judged: Judged = { legal: {}, refused: {} };
  const targets = Object.keys(update).map((key) => resolve(key, ids));
  const found = await tx.get(emailType, targets);
  const stored = new Map(found.map((email) => [email.id, email as unknown as Entry]));
  for (const [key, given] of Object.entries(update)) {
    const id = resolve(key, ids);
    try {
      judged.legal[id] = judgePatch(requireObject(given), stored.get(id), ids);
    } catch (error) {
      judged.refused[key] = toSetError(error);
    }
  }
  return judged;
}

function judgePatch(patch: Entry, stored: Entry | undefined, ids: Ids): Entry {
  const legal: Record<string, unknown> = {};
  const wrong: string[] = [];
  for (const [pointer, value] of Object.entries(patch)) {
    const [property = '', key, ...rest] = pointer.split('/');
    if (property === 'mailboxIds') {
      const path = key === undefined ? [property] : [property, resolve(key, ids), ...rest];
      legal[path.join('/')] = key === undefined ? resolveKeys(value, ids) : value;
    } else if (property === 'keywords') legal[pointer] = value;
    // A client may give what the server set, as it is (RFC 8620 5.3).
    else if (stored === undefined || !isSame(stored[pointer], value)) wrong.push(pointer);
  }
  if (wrong.length === 0) return legal;
  throw new MessageRefusal(
    'invalidProperties',
    'An update changes "mailboxIds" and "keywords" alone.',
    { properties: wrong },
  );
}

function isSame(stored: unknown, given: unknown): boolean {
  return stored !== undefined && JSON.stringify(stored) === JSON.stringify(given);
}

function requireObject(given: unknown): Entry {
  if (typeof given === 'object' && given !== null && !Array.isArray(given)) return given as Entry;
  throw new MessageRefusal('invalidProperties', 'An e-mail is an object.');
}

/** Returns the id behind "#" and a creation id; else the text. */
export function resolve(text: string, ids: Ids): string {
  return text.startsWith('#') ? (ids.get(text.slice(1)) ?? text) : text;
}

function resolveKeys(set: unknown, ids: Ids): unknown {
  if (typeof set !== 'object' || set === null || Array.isArray(set)) return set;
  return Object.fromEntries(Object.entries(set).map(([key, value]) => [resolve(key, ids), value]));
}

/** Returns the SetError of a refusal; anything else is thrown on. */
export function toSetError(error: unknown): SetErrors[string] {
  if (!(error instanceof MessageRefusal)) throw error;
  const { type, message: description, properties, notFound } = error;
  if (type === 'blobNotFound') return { type, description, notFound };
  return type === 'invalidProperties' ? { type, description, properties } : { type, description };
}

/** Returns all errors by their creation ids or ids; null for none. */
export function joinErrors(own: SetErrors, others: object | null | undefined): SetErrors | null {
  const all = { ...own, ...others };
  return Object.keys(all).length === 0 ? null : all;
}

/** A new e-mail as the client hears of it (RFC 8621 4.6). */
type Told = { id: string; blobId: string; threadId: string; size: number };

/** Returns what a client hears of new e-mails; null for none. */
export function tellCreated(
  created: Readonly<Record<string, object>> | null | undefined,
  drafts: Readonly<Record<string, Entry>>,
): Record<string, Told> | null {
  const entries = Object.entries(created ?? {}).map(([key, email]) => {
    const { id, threadId, size } = email as Told;
    const told: Told = { id, blobId: String(drafts[key]?.['blobId']), threadId, size };
    return [key, told] as const;
  });
  return entries.length === 0 ? null : Object.fromEntries(entries);
}

/** Returns the ids by which later calls of the request know the new e-mails. */
export function idsOf(created: Record<string, Told> | null): Record<string, string> {
  return Object.fromEntries(Object.entries(created ?? {}).map(([key, { id }]) => [key, id]));
}
