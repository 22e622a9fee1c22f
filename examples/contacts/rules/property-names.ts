import type { Fault } from './card-faults.js';

/** The names of all properties of RFC 9553 (table 2) and RFC 9610. */
const KNOWN = new Map(
  `@type addressBookIds addresses anniversaries author blobId calendarScale calendars components
  contexts coordinates countryCode created cryptoKeys date day defaultSeparator directories emails
  features full grammaticalGender id isOrdered keywords kind label language level links listAs
  localizations media mediaType members month name nicknames note notes number onlineServices
  organizationId organizations personalInfo phones phonetic phoneticScript phoneticSystem place pref
  preferredLanguages prodId pronouns relatedTo relation schedulingAddresses service sortAs speakToAs
  timeZone titles uid units updated uri user utc value version year`
    .split(/\s+/)
    .map((name) => [name.toLowerCase(), name] as const),
);

/** Properties whose values are objects of JSContact, in maps or lists. */
const MAPS = new Set(
  `addresses anniversaries calendars components cryptoKeys directories emails links media nicknames
  notes onlineServices organizations personalInfo phones preferredLanguages pronouns
  relatedTo schedulingAddresses titles units`.split(/\s+/),
);

/** Properties whose values are objects of JSContact. */
const OBJECTS = new Set(['author', 'date', 'name', 'place', 'speakToAs']);

/** 1.7.1: what IANA registers. */
const REGISTERED = /^[A-Za-z0-9@]+$/;

/** 1.8.1: a domain of the vendor, a colon and a name. */
const VENDOR =
  /^[\p{L}\p{N}](?:[\p{L}\p{N}-]*[\p{L}\p{N}])?(?:\.[\p{L}\p{N}](?:[\p{L}\p{N}-]*[\p{L}\p{N}])?)*:[^\p{Cc}"/~]+$/u;

/** Returns the names of properties that no object of JSContact may have (1.7, 1.8). */
export function findNameFaults(object: object, path = ''): readonly Fault[] {
  return Object.entries(object).flatMap(([name, value]) => {
    const token = name.replaceAll('~', '~0').replaceAll('/', '~1');
    const here = path === '' ? token : `${path}/${token}`;
    const text = judgePropertyName(name);
    if (text !== null) return [{ path: here, text }];
    if (OBJECTS.has(name) && isObject(value)) return findNameFaults(value, here);
    if (!MAPS.has(name) || !isObject(value)) return [];
    return Object.entries(value).flatMap(([key, each]) =>
      isObject(each) ? findNameFaults(each, `${here}/${key}`) : [],
    );
  });
}

function judgePropertyName(name: string): string | null {
  if (name === 'extra') return 'is reserved';
  if (VENDOR.test(name)) return null;
  if (!REGISTERED.test(name)) return 'is neither a registered name nor one of a vendor';
  const known = KNOWN.get(name.toLowerCase()) ?? name;
  return known === name ? null : `differs from "${known}" by its case alone`;
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}
