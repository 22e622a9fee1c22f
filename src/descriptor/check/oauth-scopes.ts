import { member, members, text } from '../located.js';
import type { Rule } from './rule.js';

/** A scope-token of RFC 6749 3.3: visible ASCII without quotation marks and backslashes. */
const SCOPE = /^[\x21\x23-\x5b\x5d-\x7e]{1,256}$/;

/** Refuses scopes that no token can have, and one scope with two meanings in a capability. */
export const oauthScopes: Rule = (views, report) => {
  for (const { root } of views) {
    const scopes = member(root, 'oauthScopes');
    for (const { node } of members(scopes)) {
      const scope = text(node);
      if (scope === undefined || SCOPE.test(scope)) continue;
      report(
        'bad-scope',
        node.at,
        `${JSON.stringify(scope)} can't be a scope: it has 1 to 256 visible ASCII characters, ` +
          'and no space, quotation mark or backslash (RFC 6749 3.3).',
      );
    }
    const [full, read] = [member(scopes, 'full'), member(scopes, 'read')];
    if (full === undefined || read === undefined || text(full) !== text(read)) continue;
    report(
      'bad-scope',
      read.at,
      `"${text(read)}" opens all of the capability already: give "read" a scope of its own, or ` +
        'drop it.',
      { related: [full.at] },
    );
  }
};
