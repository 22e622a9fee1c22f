import type { Check, TypeCheck } from './check.js';
import type { Outcome } from './outcome.js';
import type { Subject } from './subject/subject.js';

/** Why a check can't be run, and why what was run says nothing of a type. */

/** Returns why a check can't be run over this transport; null where it can. */
export function findOtherTransport(check: Check, transport: string): string | null {
  if (check.transport === undefined || check.transport === transport) return null;
  return `This is shown over ${check.transport} alone.`;
}

/** Returns the needs of a check that a type lacks. */
export function findMissing(check: TypeCheck, subject: Subject): string | null {
  const { methods = [], room = 1, text = false, repeats = false, singleton } = check.needs;
  const { profile } = subject;
  const lacks = methods.filter((method) => !subject.has(method));
  if (lacks.length > 0) return `The type has no ${lacks.map((one) => `/${one}`).join(', ')}.`;
  if (profile.singleton && singleton === undefined) return 'The type is a singleton.';
  if (!profile.singleton && singleton === 'only') return 'The type is no singleton.';
  if (text && profile.text === '') return 'The type has no mutable String that takes any text.';
  if (repeats && profile.textDistinct) return 'No two objects of the type may have the same text.';
  if (!profile.singleton && !subject.holds(room))
    return `An account has room for ${subject.room} of them, this needs ${room}.`;
  return null;
}

/**
 * Returns why a type can't be used whose objects the server refused, all that the run tried to
 * store; null where it stored one, or refused none that is legal.
 */
export function findWholeRefusal(
  { type, server }: Subject,
  outcomes: readonly Outcome[],
): string | null {
  const refused = outcomes.find((one) => one.type === type && one.isRefused === true);
  if (refused === undefined || server.fence.hasStored(type)) return null;
  const { check, reason = '' } = refused;
  return (
    `${type} can't be used: the server refuses all objects that the run tries to store, for ` +
    `instance in ${check.id}. ${reason} The file has the form {"${type}": [{"property": "value"}]}.`
  );
}
