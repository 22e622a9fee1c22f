import { randomUUID } from 'node:crypto';
import { planBody } from './build-body.js';
import {
  type Field,
  FieldSet,
  isHeaderProperty,
  readHeaderProperties,
  writeFields,
} from './build-fields.js';
import { type EncodedPart, encodePart, type MessageBlob } from './build-octets.js';
import type { PartPlan } from './build-parts.js';
import { dropNulls, type Given, Problems } from './build-problems.js';
import { HEADER_PROPERTIES } from './parse.js';
import { MessageRefusal } from './refusal.js';

/** Returns a blob, or null where there is none. */
export type ReadBlob = (blobId: string) => Promise<MessageBlob | null>;

/** Properties of an Email that aren't in its message. */
const METADATA = new Set(['mailboxIds', 'keywords', 'receivedAt']);
const BODY = new Set(['bodyStructure', 'bodyValues', 'textBody', 'htmlBody', 'attachments']);

/**
 * Returns the message of an Email that a client creates (RFC 8621 4.6). Throws `invalidProperties`
 * with all properties that are wrong, or `blobNotFound` with the ids of the blobs.
 */
export async function buildMessage(given: Given, readBlob: ReadBlob): Promise<Uint8Array> {
  const email = dropNulls(given);
  const problems = new Problems();
  const fields = readEmailFields(email, problems);
  const root = planBody(email, problems);
  for (const { name, property } of root.fields)
    if (fields.has(name) && property !== null)
      problems.add(property, `the Email has the field ${name} already.`);
  problems.throwAny();
  const blobs = await readBlobs(root, readBlob);
  const body = encodePart(root, blobs);
  const own = [...fields.fields, ...body.fields];
  return writeMessage([...own, ...makeMissing(own)], body);
}

function readEmailFields(email: Given, problems: Problems): FieldSet {
  const fields = new FieldSet(problems);
  for (const [property, value] of Object.entries(email)) {
    const header = Object.entries(HEADER_PROPERTIES).find(([name]) => name === property)?.[1];
    if (header !== undefined) fields.read(property, value, header);
    else if (property === 'headers')
      fields.refuse(property, 'give each header field as a property of its own.');
    else if (!METADATA.has(property) && !BODY.has(property) && !isHeaderProperty(property))
      fields.refuse(property, 'a new Email can’t have this property.');
  }
  readHeaderProperties(email, fields, (field) =>
    field.startsWith('content-') ? 'it belongs to a body part.' : null,
  );
  return fields;
}

async function readBlobs(root: PartPlan, readBlob: ReadBlob): Promise<Map<string, MessageBlob>> {
  const ids = new Set(listBlobIds(root));
  const blobs = new Map<string, MessageBlob>();
  for (const id of ids) {
    const blob = await readBlob(id);
    if (blob !== null) blobs.set(id, blob);
  }
  const notFound = [...ids].filter((id) => !blobs.has(id));
  if (notFound.length > 0)
    throw new MessageRefusal('blobNotFound', `There is no blob ${notFound[0]}.`, { notFound });
  return blobs;
}

function listBlobIds({ source }: PartPlan): string[] {
  if (source.kind === 'multipart') return source.parts.flatMap(listBlobIds);
  return source.kind === 'blob' ? [source.blobId] : [];
}

/** Makes the fields that each message has (RFC 5322 3.6, RFC 2045 4) and that are missing. */
function makeMissing(fields: readonly Field[]): Field[] {
  const names = new Set(fields.map(({ name }) => name.toLowerCase()));
  const from = fields.find(({ name }) => name.toLowerCase() === 'from')?.value ?? '';
  const domain = /@([a-z0-9.-]{1,200})/i.exec(from)?.[1] ?? 'localhost';
  const made: Readonly<Record<string, string>> = {
    Date: new Date().toUTCString().replace('GMT', '+0000'),
    'Message-ID': `<${randomUUID()}@${domain}>`,
    'MIME-Version': '1.0',
  };
  return Object.entries(made)
    .filter(([name]) => !names.has(name.toLowerCase()))
    .map(([name, value]) => ({ name, value: ` ${value}`, property: null, isRaw: false }));
}

function writeMessage(fields: readonly Field[], body: EncodedPart): Uint8Array {
  return Buffer.concat([Buffer.from(`${writeFields(fields)}\r\n`), ...body.octets]);
}
