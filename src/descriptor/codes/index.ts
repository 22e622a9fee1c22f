import type { CodeTable } from './code-row.js';
import { MEANING } from './meaning-codes.js';
import { MIGRATIONS } from './migration-codes.js';
import { CHECK, HOOKS, NAMES } from './project-codes.js';
import { STRUCTURE } from './structure-codes.js';
import { WARNINGS } from './warning-codes.js';

/**
 * Every code of the generator. A code keeps its meaning; the words of a message may change. A new
 * one is a row in one of these tables: docs/reference/errors.md is made from them.
 */
export const CODES = Object.freeze({
  ...STRUCTURE,
  ...MEANING,
  ...NAMES,
  ...HOOKS,
  ...MIGRATIONS,
  ...CHECK,
  ...WARNINGS,
});

/** A code of any section; an unknown one doesn't compile. */
export type ProblemCode = keyof typeof CODES;

/** Codes that belong together, under a heading of the page. */
export interface CodeSection {
  readonly title: string;
  readonly codes: CodeTable;
}

/** The sections of docs/reference/errors.md, in order, with the codes of each. */
export const CODE_SECTIONS: readonly CodeSection[] = Object.freeze([
  { title: 'Structure of a descriptor', codes: STRUCTURE },
  { title: 'Meaning of a descriptor', codes: MEANING },
  { title: 'Names', codes: NAMES },
  { title: 'Hook files', codes: HOOKS },
  { title: 'Migrations', codes: MIGRATIONS },
  { title: 'Findings of --check', codes: CHECK },
  { title: 'Warnings', codes: WARNINGS },
]);
