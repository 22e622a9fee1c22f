import { member, text } from '../load/located.js';
import { whyUnsafe } from './pattern-safety.js';
import type { Rule } from './rule.js';
import { schemasOf } from './schemas.js';

/** A pattern is a regular expression with the flag u, as JSON Schema has it. */
export const patterns: Rule = (views, report) => {
  for (const { node } of views.flatMap(schemasOf)) {
    const pattern = member(node, 'pattern');
    const source = text(pattern);
    if (pattern === undefined || source === undefined) continue;
    try {
      new RegExp(source, 'u');
      const why = whyUnsafe(source);
      if (why !== undefined)
        report(
          'unsafe-pattern',
          pattern.at,
          `a client could choose a text that this pattern takes too long for: ${why}. Write it ` +
            'so that each text matches in one way, for instance (a+b)+ for (a+b?)+.',
        );
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      report('bad-pattern', pattern.at, `not a regular expression (flag u): ${why}.`);
    }
  }
};
