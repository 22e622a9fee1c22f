import {
  type BodyPart,
  type BodyValue,
  MessageRefusal,
  type ParsedMessage,
  readBodyValue,
  readHeader,
  readHeaderName,
} from '../message/index.js';

/** The arguments of Email/get and Email/parse about bodies (RFC 8621 4.2). */
export interface BodyArguments {
  readonly bodyProperties?: readonly string[];
  readonly fetchTextBodyValues?: boolean;
  readonly fetchHTMLBodyValues?: boolean;
  readonly fetchAllBodyValues?: boolean;
  readonly maxBodyValueBytes?: number;
}

/** The ids of blobs by partId. */
export type PartBlobs = Readonly<Record<string, string>>;

const DEFAULT_PROPERTIES: readonly string[] = [
  ...['partId', 'blobId', 'size', 'name', 'type', 'charset', 'disposition', 'cid', 'language'],
  'location',
];
const PART_PROPERTIES = new Set([...DEFAULT_PROPERTIES, 'headers', 'subParts']);

/** Throws `invalidArguments` for a property that no body part has. */
export function requireBodyProperties({ bodyProperties = [] }: BodyArguments): void {
  for (const name of bodyProperties) {
    if (name.startsWith('header:')) readHeaderName(name);
    else if (!PART_PROPERTIES.has(name))
      throw new MessageRefusal(
        'invalidArguments',
        `"bodyProperties": a body part has no "${name}"; it has ${[...PART_PROPERTIES].join(', ')}.`,
      );
  }
}

/** Returns the properties of a message that are read out of its octets. */
export function viewMessage(
  message: ParsedMessage,
  names: Iterable<string>,
  args: BodyArguments,
  blobIds: PartBlobs,
): Record<string, unknown> {
  const view = (part: BodyPart) => viewPart(part, args.bodyProperties, blobIds);
  const answer: Record<string, unknown> = {};
  for (const name of names) {
    if (name === 'bodyStructure') answer[name] = view(message.bodyStructure);
    else if (name === 'textBody' || name === 'htmlBody' || name === 'attachments')
      answer[name] = message[name].map(view);
    else if (name === 'bodyValues') answer[name] = readBodyValues(message, args);
    else if (name === 'headers') answer[name] = message.headers.map(copyField);
    else if (name.startsWith('header:')) answer[name] = readHeader(message.headers, name);
  }
  return answer;
}

/** Returns the parts that have no parts of their own. */
export function listLeaves(part: BodyPart): readonly BodyPart[] {
  return part.subParts === null ? [part] : part.subParts.flatMap(listLeaves);
}

function viewPart(
  part: BodyPart,
  properties: readonly string[] = DEFAULT_PROPERTIES,
  blobIds: PartBlobs,
): Record<string, unknown> {
  const view: Record<string, unknown> = {};
  for (const name of properties) {
    if (name === 'blobId') view[name] = part.partId === null ? null : blobIds[part.partId];
    else if (name === 'headers') view[name] = part.headers.map(copyField);
    else if (name.startsWith('header:')) view[name] = readHeader(part.headers, name);
    else if (name !== 'subParts') view[name] = part[name as keyof BodyPart];
  }
  // Without them a tree would be of no use; leaves have none.
  if (part.subParts !== null || properties.includes('subParts'))
    view['subParts'] = part.subParts?.map((each) => viewPart(each, properties, blobIds)) ?? null;
  return view;
}

function copyField({ name, value }: { name: string; value: string }): object {
  return { name, value };
}

/** Returns the texts that the arguments ask for, by partId. */
function readBodyValues(message: ParsedMessage, args: BodyArguments): Record<string, BodyValue> {
  const parts = new Set([
    ...(args.fetchTextBodyValues === true ? message.textBody : []),
    ...(args.fetchHTMLBodyValues === true ? message.htmlBody : []),
    ...(args.fetchAllBodyValues === true ? listLeaves(message.bodyStructure) : []),
  ]);
  const texts = [...parts].filter(({ type }) => type.startsWith('text/'));
  return Object.fromEntries(
    texts.map((part) => [part.partId ?? '', readBodyValue(part, args.maxBodyValueBytes)]),
  );
}
