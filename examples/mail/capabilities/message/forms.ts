import { readAddresses, readGroups } from './addresses.js';
import { readDate } from './dates.js';
import { readTokens } from './lexer.js';
import { MessageRefusal } from './refusal.js';
import { decodeWords } from './words.js';

/** The forms of a header field (RFC 8621 4.1.2). */
export type Form =
  | 'asAddresses'
  | 'asDate'
  | 'asGroupedAddresses'
  | 'asMessageIds'
  | 'asRaw'
  | 'asText'
  | 'asURLs';

/** A form: the defined fields that may have it, and how a value is read. */
interface FormRow {
  /** Fields of RFC 5322 and RFC 2369 in lower case; null for all. Other fields may always have it. */
  readonly fields: ReadonlySet<string> | null;
  read(value: string): unknown;
}

const ADDRESS_FIELDS = new Set(
  ['from', 'sender', 'reply-to', 'to', 'cc', 'bcc'].flatMap((name) => [name, `resent-${name}`]),
);
const ID_FIELDS = new Set(['message-id', 'in-reply-to', 'references', 'resent-message-id']);
const URL_FIELDS = new Set(
  ['help', 'unsubscribe', 'subscribe', 'post', 'owner', 'archive'].map((name) => `list-${name}`),
);
const DATE_FIELDS = new Set(['date', 'resent-date']);
const TEXT_FIELDS = new Set(['subject', 'comments', 'keywords']);

/** The fields that RFC 5322 and RFC 2369 define. */
const DEFINED_FIELDS = new Set([
  ...ADDRESS_FIELDS,
  ...ID_FIELDS,
  ...URL_FIELDS,
  ...DATE_FIELDS,
  ...TEXT_FIELDS,
  'return-path',
  'received',
]);

const FORMS: Readonly<Record<Form, FormRow>> = {
  asRaw: { fields: null, read: (value) => value },
  asText: { fields: TEXT_FIELDS, read: readText },
  asAddresses: { fields: ADDRESS_FIELDS, read: readAddresses },
  asGroupedAddresses: { fields: ADDRESS_FIELDS, read: readGroups },
  asMessageIds: { fields: ID_FIELDS, read: readBracketed },
  asDate: { fields: DATE_FIELDS, read: readDate },
  asURLs: { fields: URL_FIELDS, read: readBracketed },
};

/** The parts of a name such as `header:Resent-To:asAddresses:all`. */
export interface HeaderName {
  readonly field: string;
  readonly form: Form;
  readonly isAll: boolean;
}

/** Returns what the name of a header property says, or throws `invalidArguments` (RFC 8621 4.1.3). */
export function readHeaderName(property: string): HeaderName {
  const [, field, given, all] = /^header:([!-9;-~]+)(?::(as[^:]*))?(:all)?$/.exec(property) ?? [];
  if (field === undefined)
    return refuse(`"${property}" is no header property: header:NAME, then :asFORM, then :all.`);
  const form = given ?? 'asRaw';
  if (!isForm(form))
    return refuse(
      `"${property}": ${form} is no form; the forms are ${Object.keys(FORMS).join(', ')}.`,
    );
  const { fields } = FORMS[form];
  const name = field.toLowerCase();
  if (fields !== null && DEFINED_FIELDS.has(name) && !fields.has(name))
    return refuse(`"${property}": the field ${field} doesn’t have the form ${form}.`);
  return { field, form, isAll: all !== undefined };
}

/** Returns a value of a field, in its raw form, in another form. */
export function readForm(form: Form, value: string): unknown {
  return FORMS[form].read(value);
}

function isForm(form: string): form is Form {
  return Object.hasOwn(FORMS, form);
}

function refuse(description: string): never {
  throw new MessageRefusal('invalidArguments', description);
}

function readText(value: string): string {
  const unfolded = value.replace(/\r?\n(?=[ \t])/g, '').replace(/^ +/, '');
  return decodeWords(unfolded).normalize('NFC');
}

/** Returns the texts in angle brackets, without white space; null where there is none. */
function readBracketed(value: string): string[] | null {
  const angles = readTokens(value).filter(({ kind, raw }) => kind === 'angle' && raw.endsWith('>'));
  const texts = angles.map(({ text }) => text.replace(/\s+/g, ''));
  return texts.length === 0 || texts.includes('') ? null : texts;
}
