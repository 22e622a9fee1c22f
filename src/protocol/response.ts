import type { JsonObject } from './json.js';

/** The JSON text of a response triple; a long one may be in pieces, in their order. */
export type InvocationText = string | readonly string[];

/** The members of a response besides the session's state. */
export interface ResponseBody {
  /** The JSON text of each response triple, in order. */
  readonly invocations: readonly InvocationText[];
  /** Null where the request had none. */
  readonly createdIds: ReadonlyMap<string, string> | null;
  /** A report on each call, in order. RFC 8620 doesn't name it: a capability asks for it. */
  readonly explain?: readonly JsonObject[];
}

/**
 * Texts up to this many characters are joined; longer ones stay pieces of their own, never copied.
 */
const SMALL = 16_384;

/**
 * Returns the JSON text of a Response object (RFC 8620 3.4) as pieces to write in order. `first`
 * are further members to put in front (RFC 8887 4.3.2: "@type", "requestId").
 */
export function responseText(
  body: ResponseBody,
  sessionState: string,
  first?: JsonObject,
): string[] {
  const pieces: string[] = [];
  let text = '{';
  if (first !== undefined) {
    for (const [name, value] of Object.entries(first)) {
      text += `${JSON.stringify(name)}:${JSON.stringify(value)},`;
    }
  }
  text += '"methodResponses":[';
  let separator = '';
  for (const invocation of body.invocations) {
    text += separator;
    separator = ',';
    if (typeof invocation !== 'string') {
      pieces.push(text, ...invocation);
      text = '';
    } else if (text.length + invocation.length <= SMALL) {
      text += invocation;
    } else {
      pieces.push(text, invocation);
      text = '';
    }
  }
  text += ']';
  if (body.createdIds !== null) text += `,"createdIds":${createdIdsText(body.createdIds)}`;
  if (body.explain !== undefined) text += `,"explain":${JSON.stringify(body.explain)}`;
  pieces.push(`${text},"sessionState":${JSON.stringify(sessionState)}}`);
  return pieces;
}

function createdIdsText(createdIds: ReadonlyMap<string, string>): string {
  const members = Array.from(
    createdIds,
    ([creationId, id]) => `${JSON.stringify(creationId)}:${JSON.stringify(id)}`,
  );
  return `{${members.join(',')}}`;
}

/** Characters of a chunk of an answer. Over HTTP one that is no longer leaves in one write. */
export const CHUNK = 65_536;

/** Cuts a text into chunks, never between the two halves of a surrogate pair. */
export function* chunksOf(text: string, size = CHUNK): Generator<string> {
  let start = 0;
  while (start < text.length) {
    let end = Math.min(start + size, text.length);
    const last = text.charCodeAt(end - 1);
    if (end < text.length && last >= 0xd800 && last <= 0xdbff) end += 1;
    yield text.slice(start, end);
    start = end;
  }
}
