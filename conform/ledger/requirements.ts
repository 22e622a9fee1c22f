import { readFileSync } from 'node:fs';
import { parse } from 'yaml';

/** The file that the ledger is kept in. */
export const FILE = new URL('requirements.yaml', import.meta.url);

const SPECIFICATIONS = ['RFC 8620', 'RFC 8887', 'RFC 9404', 'RFC 9425', 'RFC 9670'] as const;
const LEVELS = ['must', 'should', 'may'] as const;
const BOUND = ['server', 'client', 'specification'] as const;

export type Specification = (typeof SPECIFICATIONS)[number];

/** One rule of a specification, with what shows it or why nothing can. */
export interface Requirement {
  /** The specification, the section and the rule's name: `RFC 8620 5.2 max-changes-refused`. */
  readonly id: string;
  readonly name: string;
  readonly level: (typeof LEVELS)[number];
  /** The party that it binds: the server where the file doesn't say. */
  readonly binds: (typeof BOUND)[number];
  /** How many of the section's key words (RFC 2119) it covers. */
  readonly keywords: number;
  /** The rule in our own words. */
  readonly rule: string;
  /** Ids of the checks that show it. */
  readonly checks: readonly string[];
  /** Files of tests of this repository that show it where no check of its level does. */
  readonly tests: readonly string[];
  /** Why it doesn't apply or can't be shown; beside tests, what they don't say. */
  readonly reason?: string;
}

/** A section with the rules that it states. */
export interface Section {
  readonly specification: Specification;
  /** As `3.6.1`. */
  readonly number: string;
  /** How often its text has a key word in capitals; absent where nobody has counted. */
  readonly keywords?: number;
  readonly rules: readonly Requirement[];
}

type Entry = Readonly<Record<string, unknown>>;

/** Reads the ledger. Throws an error that names the rule and the key where something is wrong. */
export function readSections(text = readFileSync(FILE, 'utf8')): readonly Section[] {
  return (parse(text) as readonly Entry[]).map((entry, index) => {
    const where = String(entry['section'] ?? `section ${index + 1}`);
    requireKeys(entry, ['section', 'keywords', 'rules'], where);
    const [, specification = '', number = ''] = /^(RFC \d+) ([\d.]+)$/.exec(where) ?? [];
    const rules = Object.entries((entry['rules'] ?? {}) as Readonly<Record<string, Entry>>);
    return {
      specification: oneOf(SPECIFICATIONS, specification, where),
      number,
      ...(entry['keywords'] === undefined ? {} : { keywords: Number(entry['keywords']) }),
      rules: rules.map(([name, row]) => requirementOf(`${where} ${name}`, name, row)),
    };
  });
}

const KEYS = ['level', 'binds', 'keywords', 'rule', 'checks', 'tests', 'reason'];

function requirementOf(id: string, name: string, row: Entry): Requirement {
  requireKeys(row, KEYS, id);
  const { keywords = 0, rule, reason, checks = [], tests = [] } = row;
  if (typeof rule !== 'string') throw new Error(`${id}: rule must be a sentence.`);
  if (reason !== undefined && typeof reason !== 'string')
    throw new Error(`${id}: reason must be a sentence.`);
  return {
    id,
    name,
    level: oneOf(LEVELS, row['level'], id),
    binds: oneOf(BOUND, row['binds'] ?? 'server', id),
    keywords: Number(keywords),
    rule,
    checks: names(checks, `${id}: checks`),
    tests: names(tests, `${id}: tests`),
    ...(reason === undefined ? {} : { reason }),
  };
}

function requireKeys(entry: Entry, legal: readonly string[], where: string): void {
  const unknown = Object.keys(entry).find((key) => !legal.includes(key));
  if (unknown !== undefined)
    throw new Error(`${where}: unknown key ${unknown}. Legal: ${legal.join(', ')}.`);
}

function oneOf<T extends string>(legal: readonly T[], word: unknown, where: string): T {
  const found = legal.find((one) => one === word);
  if (found === undefined)
    throw new Error(`${where}: ${JSON.stringify(word)} is none of these: ${legal.join(', ')}.`);
  return found;
}

function names(value: unknown, where: string): readonly string[] {
  if (Array.isArray(value) && value.every((one) => typeof one === 'string')) return value;
  throw new Error(`${where} must be a list of names.`);
}
