import { expect } from 'expect';
import type { SetAnswer } from '../client/answers.js';
import { asMap, type Json, type JsonMap } from '../client/json.js';
import { type Matcher, satisfying } from '../expected.js';
import type { Subject } from '../subject/subject.js';

/**
 * Matches a SetError invalidProperties that names one property, or something within it. A run that
 * isn't strict takes one without names, too.
 */
export function matchRefusal(subject: Subject, property: string): Matcher {
  const isWithin = (name: unknown) => name === property || String(name).startsWith(`${property}/`);
  return satisfying(`invalidProperties for ${property}`, (value) => {
    const error = value as JsonMap | null;
    const told = error?.['properties'];
    if (error?.['type'] !== 'invalidProperties') return false;
    // RFC 8620 5.3: the list should be there.
    if (told === undefined) return !subject.server.strict;
    return Array.isArray(told) && told.length === 1 && told.every(isWithin);
  });
}

/**
 * Checks what became of the create `c`, in which `property` names a creation id that only a later
 * call makes. A client must not send that, and a server never has to look ahead (RFC 8620 5.3). A
 * strict run wants invalidProperties. Otherwise the server may give another reason, or know the
 * real id, `value`, already; it does not keep an id that leads nowhere.
 */
export async function expectNoLookAhead(
  subject: Subject,
  property: string,
  { created, notCreated }: SetAnswer,
  value: Json | undefined,
): Promise<void> {
  const made = created?.['c'];
  if (made === undefined || subject.server.strict) {
    const any = satisfying(
      'a SetError',
      (error) => typeof asMap(error as Json)['type'] === 'string',
    );
    const error = subject.server.strict ? matchRefusal(subject, property) : any;
    expect({ property, made, notCreated }).toEqual({ property, notCreated: { c: error } });
    return;
  }
  const { [property]: held } = await subject.read(made.id);
  expect({ property, held }).toEqual({ property, held: value });
}
