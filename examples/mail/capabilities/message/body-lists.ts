import type { BodyPart } from './parts.js';

/** The flat lists of the parts of a message (RFC 8621 4.1.4). */
export interface BodyLists {
  readonly textBody: readonly BodyPart[];
  readonly htmlBody: readonly BodyPart[];
  readonly attachments: readonly BodyPart[];
}

/** The lists while they are filled; one is null where its kind has an alternative elsewhere. */
interface OpenLists {
  readonly text: BodyPart[] | null;
  readonly html: BodyPart[] | null;
  readonly attachments: BodyPart[];
}

/** Divides a tree of parts into what is shown as text, as HTML, and what is attached. */
export function listBodyParts(structure: BodyPart): BodyLists {
  const text: BodyPart[] = [];
  const html: BodyPart[] = [];
  const attachments: BodyPart[] = [];
  addParts([structure], { type: 'mixed', isInAlternative: false }, { text, html, attachments });
  return { textBody: text, htmlBody: html, attachments };
}

/** Where a list of parts stands. */
interface Place {
  /** The subtype of the multipart that has the parts. */
  readonly type: string;
  readonly isInAlternative: boolean;
}

function addParts(parts: readonly BodyPart[], place: Place, given: OpenLists): void {
  let lists = given;
  const textLength = given.text?.length ?? -1;
  const htmlLength = given.html?.length ?? -1;
  for (const [index, part] of parts.entries()) {
    if (part.subParts !== null) {
      const type = part.type.slice('multipart/'.length);
      const isInAlternative = place.isInAlternative || type === 'alternative';
      addParts(part.subParts, { type, isInAlternative }, lists);
    } else if (!isBody(part, index, place)) lists.attachments.push(part);
    else if (place.type === 'alternative') addAlternative(part, lists);
    else {
      if (place.isInAlternative) lists = closeOther(part, lists);
      lists.text?.push(part);
      lists.html?.push(part);
      if ((lists.text === null || lists.html === null) && isMedia(part))
        lists.attachments.push(part);
    }
  }
  if (place.type === 'alternative') shareOnly(lists, textLength, htmlLength);
}

/** Says whether a part belongs to the body rather than to the attachments. */
function isBody(part: BodyPart, index: number, { type }: Place): boolean {
  const canShow = part.type === 'text/plain' || part.type === 'text/html' || isMedia(part);
  if (part.disposition === 'attachment' || !canShow) return false;
  // A named text that isn't the first one is a file.
  return index === 0 || (type !== 'related' && (isMedia(part) || part.name === null));
}

function isMedia({ type }: BodyPart): boolean {
  return /^(image|audio|video)\//.test(type);
}

function addAlternative(part: BodyPart, { text, html, attachments }: OpenLists): void {
  if (part.type === 'text/plain') text?.push(part);
  else if (part.type === 'text/html') html?.push(part);
  else attachments.push(part);
}

/** Within an alternative a text says that what follows is text too. */
function closeOther(part: BodyPart, lists: OpenLists): OpenLists {
  if (part.type === 'text/plain') return { ...lists, html: null };
  return part.type === 'text/html' ? { ...lists, text: null } : lists;
}

/** An alternative of one kind alone stands in both lists. */
function shareOnly({ text, html }: OpenLists, textLength: number, htmlLength: number): void {
  if (text === null || html === null) return;
  const hasText = text.length !== textLength;
  const hasHtml = html.length !== htmlLength;
  if (hasHtml && !hasText) text.push(...html.slice(htmlLength));
  if (hasText && !hasHtml) html.push(...text.slice(textLength));
}
