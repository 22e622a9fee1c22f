import type { ContactCardStored } from '../generated/contacts/ContactCard.definition.js';
import { type Fault, findFaults } from './card-faults.js';

type Patch = Readonly<Record<string, unknown>>;
type Container = Record<string, unknown> | unknown[];

/**
 * Returns what is wrong with the localizations of a card (RFC 9553 2.7.1): with their patches, and
 * with the cards that these make.
 */
export function findLocalizationFaults(card: ContactCardStored): readonly Fault[] {
  const { localizations = {} } = card;
  return Object.entries(localizations).flatMap(([language, patch]) => {
    const here = `localizations/${language}`;
    const wrong = Object.keys(patch).flatMap((pointer) => judgePointer(pointer, patch));
    if (wrong.length > 0) return wrong.map(({ path, text }) => ({ path: `${here}/${path}`, text }));
    const copy = structuredClone({ ...card, localizations: {} });
    const unmet = Object.entries(patch).filter(([pointer, value]) => !apply(copy, pointer, value));
    if (unmet.length > 0)
      return unmet.map(([pointer]) => ({ path: `${here}/${pointer}`, text: 'leads nowhere' }));
    return findFaults(copy).map(({ path, text }) => ({
      path: here,
      text: `makes a card whose "${path}" ${text}`,
    }));
  });
}

/** 1.4.4: no pointer leads into what another one sets, and none to other localizations. */
function judgePointer(pointer: string, patch: Patch): readonly Fault[] {
  if (pointer.split('/', 1)[0] === 'localizations')
    return [{ path: pointer, text: 'localizes localizations' }];
  const inner = Object.keys(patch).find((other) => other.startsWith(`${pointer}/`));
  return inner === undefined ? [] : [{ path: pointer, text: `is in front of "${inner}"` }];
}

/** Applies one patch; returns false where it leads nowhere. */
function apply(card: object, pointer: string, value: unknown): boolean {
  const tokens = pointer.split('/').map((token) => token.replace(/~1/g, '/').replace(/~0/g, '~'));
  const last = tokens.pop() ?? '';
  let parent = card as Container;
  for (const token of tokens) {
    const next = memberOf(parent, token);
    if (typeof next !== 'object' || next === null) return false;
    parent = next as Container;
  }
  if (Array.isArray(parent)) {
    if (value === null || memberOf(parent, last) === undefined) return false;
    parent[Number(last)] = value;
  } else if (value === null) delete parent[last];
  else parent[last] = value;
  return true;
}

function memberOf(parent: Container, token: string): unknown {
  if (Array.isArray(parent)) return /^(?:0|[1-9]\d*)$/.test(token) ? parent[Number(token)] : null;
  return Object.hasOwn(parent, token) ? parent[token] : undefined;
}
