import type { EmailAddress } from './addresses.js';
import { type BodyLists, listBodyParts } from './body-lists.js';
import { makePreview, readBodyValue } from './body-values.js';
import { readForm, readHeaderName } from './forms.js';
import { type BodyPart, readParts } from './parts.js';
import { MessageRefusal } from './refusal.js';
import type { HeaderField } from './scanner.js';

/** The convenience properties of header fields (RFC 8621 4.1.3). */
export interface HeaderValues {
  readonly messageId: readonly string[] | null;
  readonly inReplyTo: readonly string[] | null;
  readonly references: readonly string[] | null;
  readonly sender: readonly EmailAddress[] | null;
  readonly from: readonly EmailAddress[] | null;
  readonly to: readonly EmailAddress[] | null;
  readonly cc: readonly EmailAddress[] | null;
  readonly bcc: readonly EmailAddress[] | null;
  readonly replyTo: readonly EmailAddress[] | null;
  readonly subject: string | null;
  readonly sentAt: string | null;
}

/** All properties of an Email that its message has, and the server doesn't make. */
export interface ParsedMessage extends HeaderValues, BodyLists {
  readonly headers: readonly HeaderField[];
  readonly bodyStructure: BodyPart;
  readonly hasAttachment: boolean;
  readonly preview: string;
}

/** The header properties behind the convenience properties. */
export const HEADER_PROPERTIES: Readonly<Record<keyof HeaderValues, string>> = {
  messageId: 'header:Message-ID:asMessageIds',
  inReplyTo: 'header:In-Reply-To:asMessageIds',
  references: 'header:References:asMessageIds',
  sender: 'header:Sender:asAddresses',
  from: 'header:From:asAddresses',
  to: 'header:To:asAddresses',
  cc: 'header:Cc:asAddresses',
  bcc: 'header:Bcc:asAddresses',
  replyTo: 'header:Reply-To:asAddresses',
  subject: 'header:Subject:asText',
  sentAt: 'header:Date:asDate',
};

/** Returns what a message says. Octets without any header field are `invalidEmail`. */
export function parseMessage(octets: Uint8Array): ParsedMessage {
  const bodyStructure = readParts(octets);
  const { headers } = bodyStructure;
  if (headers.length === 0)
    throw new MessageRefusal('invalidEmail', 'The blob is no message: it has no header fields.');
  const values = Object.entries(HEADER_PROPERTIES).map(
    ([property, header]) => [property, readHeader(headers, header)] as const,
  );
  const lists = listBodyParts(bodyStructure);
  return {
    ...(Object.fromEntries(values) as unknown as HeaderValues),
    ...lists,
    headers,
    bodyStructure,
    hasAttachment: hasAttachment(lists),
    preview: makePreview(lists.textBody),
  };
}

/**
 * Returns a property such as `header:Subject:asText` of a message or a part: null or an empty list
 * where the field is missing. Throws `invalidArguments` for a form that the field doesn't have.
 */
export function readHeader(headers: readonly HeaderField[], property: string): unknown {
  const { field, form, isAll } = readHeaderName(property);
  const name = field.toLowerCase();
  const found = headers.filter((header) => header.name.toLowerCase() === name);
  if (isAll) return found.map(({ value }) => readForm(form, value));
  const last = found.at(-1);
  return last === undefined ? null : readForm(form, last.value);
}

/** Says whether a message has a file beside the pictures that its HTML shows. */
function hasAttachment({ htmlBody, attachments }: BodyLists): boolean {
  const files = attachments.filter(({ disposition }) => disposition !== 'inline');
  if (files.length === 0) return false;
  const shown = new Set<string>();
  for (const part of htmlBody.filter(({ type }) => type === 'text/html'))
    for (const [, cid] of readBodyValue(part).value.matchAll(/\bcid:([^\s"'()<>]+)/gi))
      if (cid !== undefined) shown.add(cid);
  const isShown = ({ cid, type }: BodyPart) =>
    cid !== null && type.startsWith('image/') && (shown.has(cid) || shown.has(encodeURI(cid)));
  return files.some((part) => part.disposition !== null || !isShown(part));
}
