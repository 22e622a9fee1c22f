import type { JsonMap } from '../client/json.js';
import { type Matcher, satisfying } from '../expected.js';
import type { Subject } from '../subject/subject.js';

/** A SetError invalidProperties that names one property, or something within it. */
export function refusal(subject: Subject, property: string): Matcher {
  const isWithin = (name: unknown) => name === property || String(name).startsWith(`${property}/`);
  return satisfying(`invalidProperties for ${property}`, (value) => {
    const error = value as JsonMap | null;
    const told = error?.['properties'];
    if (error?.['type'] !== 'invalidProperties') return false;
    // RFC 8620 5.3: the list should be there.
    if (told === undefined) return !subject.server.isOurs;
    return Array.isArray(told) && told.length === 1 && told.every(isWithin);
  });
}
