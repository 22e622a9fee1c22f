import { readTokens, removeComments, type Token } from './lexer.js';
import { decodeWords } from './words.js';

/** A mailbox of an address list (RFC 8621 4.1.2.3). */
export interface EmailAddress {
  readonly name: string | null;
  readonly email: string;
}

/** Mailboxes of one group, or of none (RFC 8621 4.1.2.4). */
export interface EmailAddressGroup {
  readonly name: string | null;
  readonly addresses: readonly EmailAddress[];
}

/** Returns the mailboxes of a field, without groups and comments. */
export function readAddresses(value: string): EmailAddress[] {
  return readGroups(value).flatMap(({ addresses }) => addresses);
}

/** Returns the groups of a field, and what is in none as groups without a name. */
export function readGroups(value: string): EmailAddressGroup[] {
  const list = new GroupedList();
  let mailbox: Token[] = [];
  // An address is no name of a group: a colon behind one is text.
  let hasAddress = false;
  for (const token of readTokens(value)) {
    const end = token.kind === 'special' ? token.text : '';
    hasAddress = (mailbox.length > 0 && hasAddress) || isAddress(token);
    if (end === ':' && mailbox.length > 0 && !hasAddress && !list.isOpen) {
      list.open(readPhrase(mailbox));
      mailbox = [];
    } else if (end === ',' || end === ';') {
      list.add(readMailbox(mailbox));
      mailbox = [];
      if (end === ';') list.close();
    } else mailbox.push(token);
  }
  list.add(readMailbox(mailbox));
  list.close();
  return list.groups;
}

/** Collects mailboxes into groups while a list is read. */
class GroupedList {
  readonly groups: EmailAddressGroup[] = [];
  #name: string | null = null;
  #addresses: EmailAddress[] = [];

  /** Says whether what is added goes into a group with a name. */
  get isOpen(): boolean {
    return this.#name !== null;
  }

  open(name: string): void {
    this.close();
    this.#name = name;
  }

  add(address: EmailAddress | null): void {
    if (address !== null) this.#addresses.push(address);
  }

  close(): void {
    if (this.#name !== null || this.#addresses.length > 0)
      this.groups.push({ name: this.#name, addresses: this.#addresses });
    this.#name = null;
    this.#addresses = [];
  }
}

function isAddress({ kind, text }: Token): boolean {
  return kind === 'angle' || (kind !== 'comment' && text.includes('@'));
}

/** Returns the mailbox of the tokens between two commas, or null where there are none. */
function readMailbox(tokens: readonly Token[]): EmailAddress | null {
  const words = tokens.filter(({ kind }) => kind !== 'comment');
  if (words.length === 0) return null;
  // Only a comment behind the address is a name.
  const behind = tokens.slice(tokens.findLastIndex(isAddress) + 1);
  const comment = behind.find(({ kind }) => kind === 'comment');
  const remark = comment === undefined ? null : clean(decodeWords(comment.text)) || null;
  const at = words.findIndex(({ kind }) => kind === 'angle');
  if (at >= 0) {
    const name = readPhrase(words.filter(({ kind }) => kind !== 'angle')) || remark;
    return { name, email: readAngle(words[at]?.text ?? '') };
  }
  const pieces = splitAtSpaces(words);
  const address = pieces.findLastIndex((piece) => piece.some(({ raw }) => raw.includes('@')));
  if (address < 0) return { name: remark, email: readPhrase(words) };
  const name = readPhrase(pieces.filter((_, index) => index !== address).flat()) || remark;
  return { name, email: (pieces[address] ?? []).map(({ raw }) => raw).join('') };
}

/** Divides words at white space; an old form has spaces beside the dots and the @ (RFC 5322 4.4). */
function splitAtSpaces(words: readonly Token[]): Token[][] {
  const pieces: Token[][] = [];
  let before = '';
  for (const word of words) {
    const joins = !word.isApart || /[.@]$/.test(before) || /^[.@]/.test(word.raw);
    const last = pieces.at(-1);
    if (last !== undefined && joins) last.push(word);
    else pieces.push([word]);
    before = word.raw;
  }
  return pieces;
}

/** Returns the address between angle brackets, without white space and a route. */
function readAngle(text: string): string {
  const compact = readTokens(removeComments(text))
    .map(({ raw }) => raw)
    .join('');
  return compact.replace(/^@[^:<>"]*:/, '');
}

/** Returns the text of words. Encoded words in a quoted string stay as they are (RFC 2047 5). */
function readPhrase(words: readonly Token[]): string {
  let phrase = '';
  let plain = '';
  for (const { kind, text, raw, isApart } of words) {
    const space = isApart ? ' ' : '';
    if (kind === 'quoted') {
      phrase += decodeWords(plain) + space + text;
      plain = '';
    } else plain += space + raw;
  }
  return clean(phrase + decodeWords(plain));
}

function clean(text: string): string {
  return text.trim().normalize('NFC');
}
