import type { EmailStored } from '../../generated/mail/Email.definition.js';
import { type EmailAddress, type ParsedMessage, searchText } from '../message/index.js';
import { baseSubject } from '../message/subject.js';
import { decodeWords } from '../message/words.js';

/** Code points of a text, and items of a list, as the descriptor bounds them. */
const MAX_TEXT = 65_535;
const MAX_ITEMS = 10_000;
const MAX_SORTED = 500;
const MAX_BODY = 1_000_000;
const MAX_FIELDS = 1000;

/** The texts of a message that the database keeps for /get, conditions and sorts. */
type StoredTexts = Pick<
  EmailStored,
  | 'baseSubject'
  | 'bcc'
  | 'bccText'
  | 'bodyText'
  | 'cc'
  | 'ccText'
  | 'from'
  | 'fromName'
  | 'fromText'
  | 'headerTexts'
  | 'inReplyTo'
  | 'messageId'
  | 'references'
  | 'replyTo'
  | 'sender'
  | 'sentAt'
  | 'subject'
  | 'to'
  | 'toName'
  | 'toText'
>;

/** Returns the texts of a message as the database keeps them, cut to the descriptor's bounds. */
export function storedTexts(message: ParsedMessage): StoredTexts {
  const { from, to, cc, bcc, subject, sentAt } = message;
  return {
    messageId: cutIds(message.messageId),
    inReplyTo: cutIds(message.inReplyTo),
    references: cutIds(message.references),
    sender: cutAddresses(message.sender),
    from: cutAddresses(from),
    to: cutAddresses(to),
    cc: cutAddresses(cc),
    bcc: cutAddresses(bcc),
    replyTo: cutAddresses(message.replyTo),
    subject: subject === null ? null : cut(subject),
    sentAt,
    headerTexts: readHeaderTexts(message),
    fromText: joinAddresses(from),
    toText: joinAddresses(to),
    ccText: joinAddresses(cc),
    bccText: joinAddresses(bcc),
    bodyText: cut(searchText(message, MAX_BODY), MAX_BODY),
    fromName: nameFirst(from),
    toName: nameFirst(to),
    baseSubject: cut(baseSubject(subject), MAX_SORTED),
  };
}

/** Returns a text without what no database stores, cut to some code points. */
function cut(text: string, maximum = MAX_TEXT): string {
  const clean = text.replaceAll('\0', '').replace(/\p{Surrogate}/gu, '\ufffd');
  if (clean.length <= maximum) return clean;
  return Array.from(clean.slice(0, 2 * maximum))
    .slice(0, maximum)
    .join('');
}

function cutIds(ids: readonly string[] | null): string[] | null {
  return ids?.slice(0, MAX_ITEMS).map((id) => cut(id)) ?? null;
}

function cutAddresses(addresses: readonly EmailAddress[] | null): EmailAddress[] | null {
  if (addresses === null) return null;
  return addresses.slice(0, MAX_ITEMS).map(({ name, email }) => ({
    name: name === null ? null : cut(name),
    email: cut(email),
  }));
}

function joinAddresses(addresses: readonly EmailAddress[] | null): string {
  return cut((addresses ?? []).map(({ name, email }) => `${name ?? ''} <${email}>`).join(', '));
}

/** Returns the text that a sort by addresses reads (RFC 8621 4.4.2). */
function nameFirst(addresses: readonly EmailAddress[] | null): string {
  const [first] = addresses ?? [];
  return cut(first?.name || (first?.email ?? ''), MAX_SORTED);
}

/** Returns the decoded text of each header field, by its name in small letters. */
function readHeaderTexts({ headers }: ParsedMessage): Record<string, string> {
  const texts = new Map<string, string>();
  for (const { name, value } of headers) {
    const key = name.slice(0, 255).toLowerCase();
    if (texts.size >= MAX_FIELDS && !texts.has(key)) continue;
    const text = decodeWords(value.replace(/\r?\n(?=[ \t])/g, '')).trim();
    const earlier = texts.get(key);
    texts.set(key, earlier === undefined ? text : `${earlier}\n${text}`);
  }
  return Object.fromEntries(Array.from(texts, ([name, text]) => [name, cut(text)]));
}
