import { compilePattern, PatternError } from '../../text/index.js';
import { BOUNDS } from '../bounds.js';
import type { ProblemCode } from '../codes/index.js';
import { member, text } from '../located.js';
import type { Rule } from './rule.js';
import { schemasOf } from './schemas.js';

/** A reason against a pattern, and the code under which it is reported. */
interface Refusal {
  readonly code: ProblemCode;
  readonly why: string;
}

/** Returns why nothing may match by the pattern, or undefined where all is well. */
export function whyNoPattern(source: string): Refusal | undefined {
  if (source.length > BOUNDS.patternLength)
    return {
      code: 'out-of-range',
      why: `a pattern has at most ${BOUNDS.patternLength} characters: say the rest in a hook.`,
    };
  try {
    compilePattern(source);
    return undefined;
  } catch (error) {
    if (!(error instanceof PatternError)) throw error;
    const why = error.message;
    return error.kind === 'invalid'
      ? { code: 'bad-pattern', why }
      : { code: 'unsafe-pattern', why };
  }
}

/**
 * Refuses a pattern that is no regular expression with the flag u, as in JSON Schema, and one
 * that can't be matched in one pass over any text.
 */
export const patterns: Rule = (views, report) => {
  for (const { node } of views.flatMap(schemasOf)) {
    const pattern = member(node, 'pattern');
    const source = text(pattern);
    if (pattern === undefined || source === undefined) continue;
    const wrong = whyNoPattern(source);
    if (wrong !== undefined) report(wrong.code, pattern.at, wrong.why);
  }
};
