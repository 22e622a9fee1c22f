import { flag, member } from '../located.js';
import type { Rule } from './rule.js';

/** Refuses keys about the session that contradict each other, or the types. */
export const sessionEntries: Rule = (views, report) => {
  for (const { root, types } of views) {
    const session = member(root, 'session');
    if (flag(member(root, 'bareSession'), false) && (session?.members?.size ?? 0) > 0)
      report(
        'session-contradiction',
        session?.at ?? root.at,
        'with bareSession the object in the session is {}: drop "session" or "bareSession".',
      );
    const level = member(root, 'accountLevel');
    if (level === undefined || flag(level, true)) continue;
    if (types.length > 0)
      report(
        'session-contradiction',
        level.at,
        'data types belong to accounts: a capability with types has accountLevel: true.',
      );
    const entry = member(root, 'accountSession');
    if ((entry?.members?.size ?? 0) > 0)
      report(
        'session-contradiction',
        entry?.at ?? root.at,
        'without accountLevel there is no entry in accountCapabilities: drop ' +
          '"accountSession" or "accountLevel".',
      );
  }
};
