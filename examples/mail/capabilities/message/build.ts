import { randomUUID } from 'node:crypto';
import { planBody } from './build-body.js';
import {
  type Field,
  FieldSet,
  isHeaderProperty,
  readHeaderProperties,
  writeFields,
} from './build-fields.js';
import { type BlobContent, type EncodedPart, encodePart } from './build-octets.js';
import type { PartPlan } from './build-parts.js';
import { dropNulls, type Given, Problems } from './build-problems.js';
import { HEADER_PROPERTIES } from './parse.js';
import { MessageRefusal } from './refusal.js';

/** A blob that a body part names. */
export interface MessageBlob {
  readonly type: string;
  readonly size: number;
  bytes(): Promise<Uint8Array>;
}

/** Returns a blob, or null where there is none. */
export type ReadBlob = (blobId: string) => Promise<MessageBlob | null>;

/** Octets of the parts of a message, before they are encoded. */
export const MAX_CONTENT = 50_000_000;

/** Properties of an Email that aren't in its message. */
const METADATA = new Set(['mailboxIds', 'keywords', 'receivedAt']);
const BODY = new Set(['bodyStructure', 'bodyValues', 'textBody', 'htmlBody', 'attachments']);

/**
 * Returns the message of an Email that a client creates (RFC 8621 4.6). Throws `invalidProperties`
 * with all properties that are wrong, `blobNotFound` with the ids of the blobs, or `tooLarge`.
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

/** Reads the blobs of a message, once all are there and none of it is too large. */
async function readBlobs(root: PartPlan, readBlob: ReadBlob): Promise<Map<string, BlobContent>> {
  const blobs = new Map<string, MessageBlob>();
  const notFound: string[] = [];
  for (const id of new Set(listBlobIds(root))) {
    const blob = await readBlob(id);
    if (blob === null) notFound.push(id);
    else blobs.set(id, blob);
  }
  if (notFound.length > 0)
    throw new MessageRefusal('blobNotFound', `There is no blob ${notFound[0]}.`, { notFound });
  const size = measure(root, blobs);
  if (size > MAX_CONTENT) {
    const description = `The parts have ${size} octets; a message has at most ${MAX_CONTENT}.`;
    throw new MessageRefusal('tooLarge', description);
  }
  const contents = new Map<string, BlobContent>();
  for (const [id, blob] of blobs) contents.set(id, { type: blob.type, octets: await blob.bytes() });
  return contents;
}

function listBlobIds({ source }: PartPlan): string[] {
  if (source.kind === 'multipart') return source.parts.flatMap(listBlobIds);
  return source.kind === 'blob' ? [source.blobId] : [];
}

/** Returns the octets of all parts. Many of them may name one blob or one text. */
function measure({ source }: PartPlan, blobs: ReadonlyMap<string, MessageBlob>): number {
  switch (source.kind) {
    case 'multipart':
      return source.parts.reduce((sum, part) => sum + measure(part, blobs), 0);
    case 'text':
      return source.octets;
    case 'blob':
      return blobs.get(source.blobId)?.size ?? 0;
  }
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
