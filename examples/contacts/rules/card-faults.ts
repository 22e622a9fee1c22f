import type {
  Address,
  ContactCardStored as Card,
  Name,
} from '../generated/contacts/ContactCard.definition.js';

/** A value that breaks a rule; the text stands behind its path. */
export interface Fault {
  readonly path: string;
  readonly text: string;
}

/** Returns where a card breaks the rules of RFC 9553 between values. */
export function findFaults(card: Card): readonly Fault[] {
  return [
    ...judgeGroup(card),
    ...(card.name === undefined ? [] : judgeName(card.name)),
    ...entries(card, 'addresses').flatMap(([path, address]) => judgeAddress(path, address)),
    ...judgeLeast(card),
    ...judgeAnniversaries(card),
  ];
}

/** 2.1.6: only a group has members. */
function judgeGroup({ members, kind }: Card): readonly Fault[] {
  if (members === undefined || kind === 'group') return [];
  return [{ path: 'members', text: 'may be set if "kind" is "group"' }];
}

/** 2.2.1.1: a name has components or the full name. */
function judgeName(name: Name): readonly Fault[] {
  const { components, full, sortAs } = name;
  const faults = [...judgeComponents('name', name)];
  if (components === undefined && full === undefined)
    faults.push({ path: 'name', text: 'needs "components" or "full"' });
  const kinds = new Set(components?.map(({ kind }) => kind));
  for (const kind of Object.keys(sortAs ?? {}))
    if (!kinds.has(kind))
      faults.push({ path: `name/sortAs/${kind}`, text: 'is the kind of no component' });
  return faults;
}

/** 2.5.1.1: an address says something. */
function judgeAddress(path: string, address: Address): readonly Fault[] {
  const members = ['components', 'coordinates', 'countryCode', 'full', 'timeZone'];
  return [...judgeComponents(path, address), ...needOne(path, address, members)];
}

/** 2.2.1 and 2.5.1: components, their separators and how they sound. */
function judgeComponents(path: string, whole: Name | Address): readonly Fault[] {
  const { components, isOrdered = false, defaultSeparator } = whole;
  const { phoneticScript, phoneticSystem } = whole;
  const faults: Fault[] = [];
  const isSeparator = ({ kind }: { readonly kind: string }): boolean => kind === 'separator';
  if (components?.every(isSeparator))
    faults.push({ path: `${path}/components`, text: 'has nothing but separators' });
  if (!isOrdered && components?.some(isSeparator))
    faults.push({ path: `${path}/components`, text: 'has a separator, but no order' });
  if (defaultSeparator !== undefined && (!isOrdered || components === undefined))
    faults.push({ path: `${path}/defaultSeparator`, text: 'separates no components in order' });
  for (const [at, component] of (components ?? []).entries()) {
    const here = `${path}/components/${at}`;
    const next = components?.[at + 1];
    if (isSeparator(component) && next !== undefined && isSeparator(next))
      faults.push({ path: here, text: 'is a separator in front of another' });
    if (component.phonetic !== undefined && (phoneticScript ?? phoneticSystem) === undefined)
      faults.push({
        path: `${here}/phonetic`,
        text: 'needs "phoneticScript" or "phoneticSystem"',
      });
  }
  return faults;
}

/** Objects without a mandatory member that still have to say something. */
function judgeLeast(card: Card): readonly Fault[] {
  const { speakToAs } = card;
  return [
    ...entries(card, 'organizations').flatMap(([path, organization]) =>
      needOne(path, organization, ['name', 'units']),
    ),
    ...entries(card, 'onlineServices').flatMap(([path, service]) =>
      needOne(path, service, ['uri', 'user']),
    ),
    // RFC 9610 3: a blob takes the place of the URI.
    ...entries(card, 'media').flatMap(([path, one]) => needOne(path, one, ['uri', 'blobId'])),
    ...entries(card, 'notes').flatMap(([path, { author }]) =>
      author !== undefined && Object.keys(author).every((name) => name === '@type')
        ? [{ path: `${path}/author`, text: 'says nothing' }]
        : [],
    ),
    ...(speakToAs === undefined
      ? []
      : needOne('speakToAs', speakToAs, ['grammaticalGender', 'pronouns'])),
  ];
}

/** 2.8.1: the parts of a date that is known in part. */
function judgeAnniversaries(card: Card): readonly Fault[] {
  return entries(card, 'anniversaries').flatMap(([path, { date, place }]) => {
    const faults = place === undefined ? [] : [...judgeAddress(`${path}/place`, place)];
    if (date['@type'] === 'Timestamp') return faults;
    const { year, month, day } = date;
    if (month !== undefined && year === undefined && day === undefined)
      faults.push({ path: `${path}/date/month`, text: 'needs "year" or "day"' });
    if (day !== undefined && month === undefined)
      faults.push({ path: `${path}/date/day`, text: 'needs "month"' });
    // A leap year where the year isn't known.
    else if (day !== undefined && month !== undefined && day > daysOf(year ?? 4, month))
      faults.push({ path: `${path}/date/day`, text: 'is no day of the month' });
    return faults;
  });
}

function daysOf(year: number, month: number): number {
  const last = new Date(0);
  // Not Date.UTC, which takes the years up to 99 for others.
  last.setUTCFullYear(year, month, 0);
  return last.getUTCDate();
}

function needOne(path: string, object: object, members: readonly string[]): readonly Fault[] {
  if (members.some((name) => Object.hasOwn(object, name))) return [];
  const list = members.map((name) => `"${name}"`).join(', ');
  return [{ path, text: `needs one of ${list}` }];
}

/** The values of a map, by their paths. */
function entries<Property extends keyof Card & string>(
  card: Card,
  property: Property,
): readonly (readonly [path: string, value: EntryOf<Card[Property]>])[] {
  const map = (card[property] ?? {}) as Readonly<Record<string, EntryOf<Card[Property]>>>;
  return Object.entries(map).map(([key, value]) => [`${property}/${key}`, value]);
}

type EntryOf<Map> = NonNullable<Map> extends Readonly<Record<string, infer Value>> ? Value : never;
