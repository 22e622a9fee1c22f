import { HookRefusal } from 'jmapsmith/capability';
import type { Hooks } from '../../generated/mail/hooks.js';
import {
  HEADER_PROPERTIES,
  MessageRefusal,
  type ParsedMessage,
  parseMessage,
} from '../message/index.js';
import { type BodyArguments, viewMessage } from './body-view.js';
import { putParts } from './derive.js';
import { requireNames } from './email-answer.js';
import { MAX_MESSAGE } from './import-emails.js';
import { MAX_OBJECTS } from './set-emails.js';

/** Properties of a parsed Email that are null: it is in no mailbox and no thread. */
const METADATA = new Set(['id', 'mailboxIds', 'keywords', 'receivedAt', 'threadId']);
const READ = new Set([...Object.keys(HEADER_PROPERTIES), 'hasAttachment', 'preview']);
const LISTS = ['textBody', 'htmlBody', 'attachments'];
const BODY = new Set([...LISTS, 'bodyValues', 'bodyStructure', 'headers']);
const DEFAULT = [...READ, 'bodyValues', ...LISTS];

/** Reads blobs as messages (RFC 8621 4.9). */
export const parseEmails: Hooks['methods']['Email/parse'] = {
  timeout: '30s',
  async run(args, _call, tx) {
    const { accountId, blobIds, properties } = args;
    const names = properties ?? DEFAULT;
    if (blobIds.length > MAX_OBJECTS)
      throw new HookRefusal('requestTooLarge', `The call has more than ${MAX_OBJECTS} blobs.`);
    requireProperties(names, args);
    const parsed: Record<string, Record<string, unknown>> = {};
    const notParsable: string[] = [];
    const notFound: string[] = [];
    for (const blobId of new Set(blobIds)) {
      const blob = await tx.blob(blobId);
      const isSmall = blob !== null && blob.size <= MAX_MESSAGE;
      const message = isSmall ? tryParse(await blob.bytes()) : null;
      if (blob === null) notFound.push(blobId);
      else if (message === null) notParsable.push(blobId);
      else {
        const showsParts = names.some((name) => LISTS.includes(name) || name === 'bodyStructure');
        const needsBlobs = showsParts && (args.bodyProperties?.includes('blobId') ?? true);
        const ids = needsBlobs ? await putParts(message.bodyStructure, tx) : {};
        parsed[blobId] = {
          ...ownMembers(message, names, { blobId, size: blob.size }),
          ...viewMessage(message, names, args, ids),
        };
      }
    }
    return {
      accountId,
      parsed: Object.keys(parsed).length === 0 ? null : parsed,
      notParsable: notParsable.length === 0 ? null : notParsable,
      notFound: notFound.length === 0 ? null : notFound,
    };
  },
};

function requireProperties(names: readonly string[], args: BodyArguments): void {
  requireNames(names, args);
  const isKnown = (name: string) =>
    METADATA.has(name) || READ.has(name) || BODY.has(name) || isOfBlob(name);
  const unknown = names.find((name) => !name.startsWith('header:') && !isKnown(name));
  if (unknown !== undefined)
    throw new HookRefusal('invalidArguments', `"properties": an Email has no "${unknown}".`);
}

function isOfBlob(name: string): boolean {
  return name === 'blobId' || name === 'size';
}

function tryParse(octets: Uint8Array): ParsedMessage | null {
  try {
    return parseMessage(octets);
  } catch (error) {
    if (error instanceof MessageRefusal) return null;
    throw error;
  }
}

/** Returns the properties that an e-mail in the store would keep. */
function ownMembers(
  message: ParsedMessage,
  names: readonly string[],
  ofBlob: { readonly blobId: string; readonly size: number },
): Record<string, unknown> {
  const members: Record<string, unknown> = {};
  for (const name of names) {
    if (METADATA.has(name)) members[name] = null;
    else if (READ.has(name)) members[name] = message[name as keyof ParsedMessage];
    else if (name === 'blobId' || name === 'size') members[name] = ofBlob[name];
  }
  return members;
}
