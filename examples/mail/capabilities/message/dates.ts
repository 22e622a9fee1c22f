import { removeComments } from './lexer.js';

const MONTHS = 'Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec'.split(' ');
const DAYS = 'Sun Mon Tue Wed Thu Fri Sat'.split(' ');

/** Zones that have a name in old messages (RFC 5322 4.3), in hours. Others mean nothing: +00:00. */
const ZONES: ReadonlyMap<string, number> = new Map([
  ['EDT', -4],
  ['EST', -5],
  ['CDT', -5],
  ['CST', -6],
  ['MDT', -6],
  ['MST', -7],
  ['PDT', -7],
  ['PST', -8],
]);

const DATE_TIME =
  /^(?:[a-z]{3,9} ?,? ?)?(\d{1,2}) ([a-z]{3}) (\d{2,4}) (\d{1,2}) ?: ?(\d\d)(?: ?: ?(\d\d))? ?([+-]\d{4}|[a-z]{1,5})$/i;

const DATE = /^(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)(?:\.\d+)?(Z|[+-]\d\d:\d\d)$/;

/** Returns the Date (RFC 8620 1.4) of a date-time (RFC 5322 3.3), or null where it is none. */
export function readDate(value: string): string | null {
  const text = removeComments(value.slice(0, 200)).replace(/\s+/g, ' ');
  const [, day, monthName, years, hour, minute, second, zoneName] = DATE_TIME.exec(text) ?? [];
  if (zoneName === undefined || years === undefined) return null;
  const month = MONTHS.findIndex((name) => name.toLowerCase() === monthName?.toLowerCase());
  const zone = readZone(zoneName);
  const parts = [readYear(years), month + 1, Number(day), Number(hour), Number(minute)];
  // A leap second has no place in a Date of this server.
  parts.push(Math.min(Number(second ?? '0'), second === '60' ? 59 : 99));
  if (zone === null || !isMoment(parts)) return null;
  const [year = 0, ...rest] = parts;
  const [months, days, hours, minutes, seconds] = rest.map((part) => pad(part, 2));
  return `${pad(year, 4)}-${months}-${days}T${hours}:${minutes}:${seconds}${zone}`;
}

/** Returns the date-time of a Date, or null where it is none. */
export function writeDate(date: string): string | null {
  const [, ...texts] = DATE.exec(date) ?? [];
  const zone = texts.pop();
  const parts = texts.map(Number);
  if (zone === undefined || !isMoment(parts)) return null;
  const [year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0] = parts;
  const weekday = DAYS[new Date(Date.UTC(year, month - 1, day)).getUTCDay()];
  const time = [hour, minute, second].map((part) => pad(part, 2)).join(':');
  const offset = zone === 'Z' ? '+0000' : zone.replace(':', '');
  return `${weekday}, ${day} ${MONTHS[month - 1]} ${pad(year, 4)} ${time} ${offset}`;
}

function readYear(digits: string): number {
  const year = Number(digits);
  if (digits.length === 4) return year;
  return digits.length === 2 && year < 50 ? 2000 + year : 1900 + year;
}

function readZone(zone: string): string | null {
  const hours = ZONES.get(zone.toUpperCase());
  if (hours !== undefined) return `-${pad(-hours, 2)}:00`;
  if (/^[a-z]/i.test(zone) || /^[+-]0000$/.test(zone)) return 'Z';
  const isOffset = Number(zone.slice(1, 3)) < 24 && Number(zone.slice(3)) < 60;
  return isOffset ? `${zone.slice(0, 3)}:${zone.slice(3)}` : null;
}

/** Says whether year, month, day, hour, minute and second are in the calendar. */
function isMoment(parts: readonly number[]): boolean {
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = parts;
  const date = new Date(Date.UTC(year, month - 1, day));
  const isDay = year >= 1 && date.getUTCMonth() === month - 1 && date.getUTCDate() === day;
  return isDay && hour < 24 && minute < 60 && second < 60;
}

function pad(value: number, digits: number): string {
  return String(value).padStart(digits, '0');
}
