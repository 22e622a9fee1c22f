import { member, text } from '../load/located.js';
import { whyUnsafe } from './pattern-safety.js';
import type { Rule } from './rule.js';
import { schemasOf } from './schemas.js';

/** V8 ends the process for some patterns that nest further than this can. */
const MAX_LENGTH = 1000;

interface Refusal {
  readonly code: string;
  readonly why: string;
}

/** Why nothing may match by the pattern, or undefined where all is well. */
export function whyNoPattern(source: string): Refusal | undefined {
  if (source.length > MAX_LENGTH)
    return {
      code: 'out-of-range',
      why: `a pattern has at most ${MAX_LENGTH} characters: say the rest in a hook.`,
    };
  try {
    new RegExp(source, 'u');
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return { code: 'bad-pattern', why: `not a regular expression (flag u): ${why}.` };
  }
  const why = whyUnsafe(source);
  if (why === undefined) return undefined;
  return {
    code: 'unsafe-pattern',
    why:
      `a client could choose a text that this pattern takes too long for: ${why}. Write it ` +
      'so that each text matches in one way, for instance (a+b)+ for (a+b?)+.',
  };
}

/** A pattern is a regular expression with the flag u, as JSON Schema has it. */
export const patterns: Rule = (views, report) => {
  for (const { node } of views.flatMap(schemasOf)) {
    const pattern = member(node, 'pattern');
    const source = text(pattern);
    if (pattern === undefined || source === undefined) continue;
    const wrong = whyNoPattern(source);
    if (wrong !== undefined) report(wrong.code, pattern.at, wrong.why);
  }
};
