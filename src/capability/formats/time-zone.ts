import { defineFormat } from './format.js';
import { TIME_ZONE_NAMES } from './time-zone-names.js';

/** Zones that are newer than the list in this folder are in the list of Node. */
const NAMES: ReadonlySet<string> = new Set([
  ...Object.entries(TIME_ZONE_NAMES).flatMap(([area, names]) =>
    names.split(' ').map((name) => (area === '' ? name : `${area}/${name}`)),
  ),
  ...Intl.supportedValuesOf('timeZone'),
]);

/** RFC 8984 1.4.8's TimeZoneId, but for zones of an object's own, which begin with a slash. */
export const timeZone = defineFormat({
  kind: 'string',
  notation: 'TimeZoneId',
  description:
    'the name of a zone or a link in the IANA time zone database, in its letter case there. The ' +
    'server and its Node know the names.',
  otherNames: ['timezone', 'tz', 'tzid', 'iana-time-zone'],
  message: 'must be the name of an IANA time zone, for instance Europe/Berlin',
  isLegal: (text) => NAMES.has(text),
  canonical: null,
  order: 'none',
  length: 32,
  present: null,
  legal: ['Europe/Berlin', 'Etc/UTC', 'UTC', 'America/Argentina/Buenos_Aires', 'Asia/Kolkata'],
  illegal: ['', 'europe/berlin', 'Europe/Berlin ', 'CEST', '+02:00', '/example.com/zone'],
  numbered: (n) => ZONES[n % ZONES.length] ?? 'Etc/UTC',
});

/** The least name first. */
const ZONES = [...NAMES].sort();
