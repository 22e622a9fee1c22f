import { randomUUID } from 'node:crypto';
import libmime from 'libmime';
import { encode as encodeQuotedPrintable, wrap } from 'libqp';
import { type Field, writeFields } from './build-fields.js';
import type { PartPlan } from './build-parts.js';

/** The content of a blob that a body part names. */
export interface BlobContent {
  readonly type: string;
  readonly octets: Uint8Array;
}

/** A part as it is written: its header, and the pieces of its body. */
export interface EncodedPart {
  readonly fields: readonly Field[];
  readonly octets: readonly Uint8Array[];
}

/** Longer lines may be broken on the way (RFC 5322 2.1.1). */
const MAX_LINE = 998;

/** Writes a part with its transfer encoding. */
export function encodePart(plan: PartPlan, blobs: ReadonlyMap<string, BlobContent>): EncodedPart {
  const { source } = plan;
  switch (source.kind) {
    case 'multipart':
      return encodeMultipart(
        plan,
        source.parts.map((part) => encodePart(part, blobs)),
      );
    case 'text':
      return encodeText(plan, source.text);
    case 'blob': {
      const { octets = new Uint8Array(), type = null } = blobs.get(source.blobId) ?? {};
      const typed = source.hasType || type === null ? plan : setType(plan, type);
      return encodeBlob(typed, Buffer.from(octets.buffer, octets.byteOffset, octets.byteLength));
    }
  }
}

function encodeMultipart(plan: PartPlan, parts: readonly EncodedPart[]): EncodedPart {
  const boundary = `=_${randomUUID()}`;
  const value = libmime.buildHeaderValue({ value: plan.type, params: { boundary } });
  const fields = plan.fields.filter(({ name }) => name.toLowerCase() !== 'content-type');
  const octets = parts.flatMap((part) => [
    Buffer.from(`--${boundary}\r\n${writeFields(part.fields)}\r\n`),
    ...part.octets,
    Buffer.from('\r\n'),
  ]);
  octets.push(Buffer.from(`--${boundary}--\r\n`));
  return { fields: [...fields, makeField('Content-Type', value)], octets };
}

function encodeText(plan: PartPlan, text: string): EncodedPart {
  // A text of another type isn't made of lines.
  if (!plan.type.startsWith('text/')) return encodeBlob(plan, Buffer.from(text));
  const lines = Buffer.from(text.replace(/\r\n?|\n/g, '\r\n'));
  if (isPlain(lines)) return withEncoding(plan, '7bit', [lines]);
  const encoded = wrap(encodeQuotedPrintable(lines));
  return withEncoding(plan, 'quoted-printable', [Buffer.from(encoded)]);
}

/** Writes octets that must arrive as they are. A message has no base64 (RFC 2046 5.2.1). */
function encodeBlob(plan: PartPlan, octets: Buffer): EncodedPart {
  if (plan.type.startsWith('message/'))
    return withEncoding(plan, isPlain(octets) ? '7bit' : '8bit', [octets]);
  const encoded = octets.toString('base64').replace(/.{76}(?=.)/g, '$&\r\n');
  return withEncoding(plan, 'base64', [Buffer.from(encoded)]);
}

/** Says whether octets are ASCII in lines that any server takes. */
function isPlain(octets: Buffer): boolean {
  let start = 0;
  for (const [at, octet] of octets.entries()) {
    if (octet === 10) start = at + 1;
    else if (octet === 0 || octet > 126 || at - start > MAX_LINE) return false;
  }
  return true;
}

function withEncoding(
  plan: PartPlan,
  encoding: string,
  octets: readonly Uint8Array[],
): EncodedPart {
  return { fields: [...plan.fields, makeField('Content-Transfer-Encoding', encoding)], octets };
}

/** Gives a part the type of its blob. */
function setType(plan: PartPlan, type: string): PartPlan {
  const fields = plan.fields.map((field) =>
    field.name === 'Content-Type' && !field.isRaw
      ? { ...field, value: field.value.replace(plan.type, () => type) }
      : field,
  );
  return { ...plan, type, fields };
}

function makeField(name: string, value: string): Field {
  return { name, value: ` ${value}`, property: null, isRaw: false };
}
