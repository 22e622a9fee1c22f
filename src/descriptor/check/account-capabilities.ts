import { flag, member, text } from '../located.js';
import { didYouMean } from './did-you-mean.js';
import { listed, type Rule } from './rule.js';

/** Refuses an `accountCapability` that names no capability that accounts have. */
export const accountCapabilities: Rule = (views, report) => {
  const known = views.flatMap(({ urn, root }) =>
    urn !== undefined && flag(member(root, 'accountLevel'), true) ? [urn] : [],
  );
  for (const { node } of views.flatMap((view) => view.methods)) {
    const named = member(node, 'accountCapability');
    const urn = text(named);
    if (named === undefined || urn === undefined || known.includes(urn)) continue;
    report(
      'unknown-capability',
      named.at,
      `no account has the capability ${JSON.stringify(urn)}.${didYouMean(urn, known)} ` +
        `Declared: ${listed(known)}.`,
    );
  }
};
