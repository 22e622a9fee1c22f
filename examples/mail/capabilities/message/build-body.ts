import { type PartContext, type PartPlan, type PartText, planPart } from './build-parts.js';
import { dropNulls, type Given, isObject, type Problems } from './build-problems.js';

/** The flat lists of an Email (RFC 8621 4.6), and the type of the one part that two of them have. */
const LISTS: Readonly<Record<string, string | null>> = {
  textBody: 'text/plain',
  htmlBody: 'text/html',
  attachments: null,
};

const EMPTY: PartPlan = {
  type: 'text/plain',
  fields: [],
  source: { kind: 'text', text: '', octets: 0 },
};

/** Returns the plan of the body of an Email: its root. */
export function planBody(email: Given, problems: Problems): PartPlan {
  const texts = readTexts(email['bodyValues'], problems);
  const context = { problems, texts, count: { parts: 0 }, type: 'text/plain', level: 0 };
  const { bodyStructure } = email;
  if (bodyStructure === undefined) return joinLists(email, context);
  for (const list of Object.keys(LISTS))
    if (email[list] !== undefined) problems.add(list, 'bodyStructure says all of the body.');
  return planPart(bodyStructure, 'bodyStructure', context) ?? EMPTY;
}

/** Returns the texts of bodyValues by partId. */
function readTexts(given: unknown, problems: Problems): Map<string, PartText> {
  const texts = new Map<string, PartText>();
  if (given === undefined) return texts;
  if (!isObject(given)) problems.add('bodyValues', 'it is an object of { value } by partId.');
  else
    for (const [partId, bodyValue] of Object.entries(given)) {
      const path = `bodyValues/${partId}`;
      const { value, ...flags } = isObject(bodyValue) ? dropNulls(bodyValue) : {};
      if (typeof value === 'string')
        texts.set(partId, { text: value, octets: Buffer.byteLength(value) });
      else problems.add(path, 'a body value is an object with a text as "value".');
      for (const [flag, isSet] of Object.entries(flags))
        if (flag !== 'isEncodingProblem' && flag !== 'isTruncated')
          problems.add(`${path}/${flag}`, 'a body value has no such property.');
        else if (isSet !== false) problems.add(`${path}/${flag}`, 'it is false or absent.');
    }
  return texts;
}

/** Makes one tree of textBody, htmlBody and attachments. */
function joinLists(email: Given, context: PartContext): PartPlan {
  const [text] = planList(email, 'textBody', context);
  const [html] = planList(email, 'htmlBody', context);
  const attachments = planList(email, 'attachments', context);
  // The parts that HTML shows go beside it; all others go behind the body.
  const isShown = (part: PartPlan) => html !== undefined && isEmbedded(part);
  const shown = attachments.filter(isShown);
  const rich = html && joinParts('multipart/related', [html, ...shown]);
  const bodies = [text, rich].filter((part) => part !== undefined);
  const body = bodies.length === 0 ? [] : [joinParts('multipart/alternative', bodies)];
  const parts = [...body, ...attachments.filter((part) => !isShown(part))];
  const isAttached = body.length === 0 && parts.length > 0;
  return isAttached
    ? { ...EMPTY, type: 'multipart/mixed', source: { kind: 'multipart', parts } }
    : joinParts('multipart/mixed', parts);
}

function planList(email: Given, list: string, context: PartContext): PartPlan[] {
  const { problems } = context;
  const type = LISTS[list] ?? null;
  const parts = email[list] ?? [];
  if (!Array.isArray(parts) || (list in email && type !== null && parts.length !== 1)) {
    problems.add(list, type === null ? 'it is a list of parts.' : `it has one ${type} part.`);
    return [];
  }
  return parts.flatMap((given, at) => {
    const path = `${list}/${at}`;
    const attached = type === null && isObject(given) ? attach(given) : given;
    const plan = planPart(attached, path, { ...context, type: type ?? 'application/octet-stream' });
    if (plan !== null && type !== null && plan.type !== type)
      problems.add(`${path}/type`, `a part of ${list} is ${type}.`);
    if (plan?.source.kind === 'multipart')
      problems.add(`${path}/type`, 'a multipart stands in bodyStructure alone.');
    return plan ?? [];
  });
}

/** An attachment is one for all mail programs, unless the client says something else. */
function attach(given: Given): Given {
  const isTold = Object.keys(given).some((name) => /^header:content-disposition/i.test(name));
  return isTold || (given['disposition'] ?? null) !== null
    ? given
    : { ...given, disposition: 'attachment' };
}

function isEmbedded({ fields }: PartPlan): boolean {
  const value = (name: string) => fields.find((field) => field.name.toLowerCase() === name)?.value;
  const isInline = /^\s*inline/i.test(value('content-disposition') ?? '');
  return isInline && value('content-id') !== undefined;
}

function joinParts(type: string, parts: readonly PartPlan[]): PartPlan {
  const [first] = parts;
  if (first === undefined) return EMPTY;
  return parts.length === 1 ? first : { type, fields: [], source: { kind: 'multipart', parts } };
}
