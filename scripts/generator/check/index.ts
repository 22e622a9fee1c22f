import type { CapabilityView } from '../descriptor/view.js';
import type { Problem } from '../model.js';
import type { Rule } from './rule.js';
import { structure } from './structure.js';

/** Every rule of the descriptor language: each reports, none throws, all are run. */
export const RULES: readonly Rule[] = Object.freeze([structure]);

/** What is wrong with the descriptors, all of it. */
export function checkDescriptors(views: readonly CapabilityView[]): readonly Problem[] {
  const problems: Problem[] = [];
  for (const rule of RULES) {
    rule(views, (code, at, message) => {
      problems.push({ code, at, message });
    });
  }
  return problems;
}
