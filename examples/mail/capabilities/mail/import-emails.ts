import { HookRefusal, type HookTransaction } from 'jmapsmith/capability';
import type { EmailStored } from '../../generated/mail/Email.definition.js';
import { emailType } from '../../generated/mail/Email.definition.js';
import type { Hooks } from '../../generated/mail/hooks.js';
import { readDate } from '../message/dates.js';
import { MessageRefusal, type ParsedMessage, parseMessage } from '../message/index.js';
import {
  idsOf,
  joinErrors,
  MAX_OBJECTS,
  metadataOf,
  requireState,
  resolve,
  type SetErrors,
  tellCreated,
  toSetError,
} from './set-emails.js';

/** Octets of a message: those of its parts, and a third more for base64. */
export const MAX_MESSAGE = 70_000_000;

const REQUIRED = ['blobId', 'mailboxIds'];
const PROPERTIES = new Set([...REQUIRED, 'keywords', 'receivedAt']);

type Draft = Readonly<Record<string, unknown>>;

/** Adds messages that were uploaded as blobs, each by itself (RFC 8621 4.8). */
export const importEmails: Hooks['methods']['Email/import'] = {
  timeout: '60s',
  async run(args, { createdIds }, tx) {
    const { accountId, ifInState, emails } = args;
    if (Object.keys(emails).length > MAX_OBJECTS)
      throw new HookRefusal('requestTooLarge', `The call has more than ${MAX_OBJECTS} e-mails.`);
    await requireState(ifInState, tx);
    const drafts: Record<string, Draft> = {};
    const refused: SetErrors = {};
    for (const [key, given] of Object.entries(emails)) {
      try {
        drafts[key] = await draftImport(given, createdIds, tx);
      } catch (error) {
        refused[key] = toSetError(error);
      }
    }
    const create = drafts as Record<string, Partial<EmailStored>>;
    const response = await tx.set(emailType, { create }, { partial: true });
    const created = tellCreated(response.created, drafts);
    return {
      accountId,
      oldState: response.oldState ?? '',
      newState: response.newState,
      created,
      notCreated: joinErrors(refused, response.notCreated),
      createdIds: idsOf(created),
    };
  },
};

/** Returns the e-mail of one EmailImport. */
async function draftImport(
  given: unknown,
  ids: ReadonlyMap<string, string>,
  tx: HookTransaction,
): Promise<Draft> {
  const isObject = typeof given === 'object' && given !== null && !Array.isArray(given);
  const wanted: Draft = isObject ? (given as Draft) : {};
  const unknown = Object.keys(wanted).filter((name) => !PROPERTIES.has(name));
  if (unknown.length > 0)
    throw new MessageRefusal('invalidProperties', `An import has no "${unknown[0]}".`, {
      properties: unknown,
    });
  const missing = REQUIRED.filter((name) => (wanted[name] ?? null) === null);
  if (missing.length > 0)
    throw new MessageRefusal('invalidProperties', 'An import needs "blobId" and "mailboxIds".', {
      properties: missing,
    });
  const id = typeof wanted['blobId'] === 'string' ? resolve(wanted['blobId'], ids) : '';
  const blob = await tx.blob(id);
  if (blob === null)
    throw new MessageRefusal('invalidProperties', '"blobId" names no blob.', {
      properties: ['blobId'],
    });
  if (blob.size > MAX_MESSAGE)
    throw new MessageRefusal('tooLarge', `A message has at most ${MAX_MESSAGE} octets.`);
  const received = readReceived(parseMessage(await blob.bytes()));
  return { ...metadataOf(wanted, ids, received), blobId: id };
}

/** Returns the time of the most recent Received field: they stand in front of each other. */
function readReceived({ headers }: ParsedMessage): string | null {
  const field = headers.find(({ name }) => name.toLowerCase() === 'received');
  const date = field === undefined ? null : readDate(field.value.split(';').at(-1) ?? '');
  return date === null ? null : new Date(date).toISOString();
}
