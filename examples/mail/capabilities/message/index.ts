export type { EmailAddress, EmailAddressGroup } from './addresses.js';
export type { BodyLists } from './body-lists.js';
export { type BodyValue, readBodyValue, readPlainText } from './body-values.js';
export { buildMessage, MAX_CONTENT, type MessageBlob, type ReadBlob } from './build.js';
export { type Form, type HeaderName, readHeaderName } from './forms.js';
export {
  HEADER_PROPERTIES,
  type HeaderValues,
  type ParsedMessage,
  parseMessage,
  readHeader,
} from './parse.js';
export type { BodyPart } from './parts.js';
export { MessageRefusal, type RefusalMembers, type RefusalType } from './refusal.js';
export { removeFields } from './remove-fields.js';
export type { HeaderField } from './scanner.js';
export { makeSnippet, searchText } from './search.js';
export { threadSubject } from './subject.js';
