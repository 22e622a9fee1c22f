import { countRefused, countStatuses, type Results } from '../outcome.js';

/** Writes the whole run as data, the two sides of a comparison as far as they are JSON. */
export function writeJsonReport({ outcomes, ...head }: Results): string {
  const report = {
    ...head,
    counts: countStatuses(outcomes),
    refused: countRefused(outcomes),
    outcomes: outcomes.map(({ check, ...rest }) => ({
      id: check.id,
      specification: check.specification,
      section: check.section,
      level: check.level,
      rule: check.rule,
      ...(check.restsOn === undefined ? {} : { restsOn: check.restsOn }),
      ...rest,
    })),
  };
  return `${JSON.stringify(report, replaceMatcher, 2).replaceAll(OBEYED, escapeSign)}\n`;
}

/** Signs that a terminal obeys and that JSON.stringify leaves as they are. */
const OBEYED = /[^\n\P{C}]/gu;

/** Returns a sign as escapes of JSON. */
const escapeSign = (sign: string): string =>
  sign
    .split('')
    .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
    .join('');

/** Returns a pattern's words in its place, for `JSON.stringify`. */
export function replaceMatcher(_name: string, value: unknown): unknown {
  const pattern = value as { asymmetricMatch?: unknown; toString(): string } | null;
  return typeof pattern?.asymmetricMatch === 'function' ? `<${pattern.toString()}>` : value;
}
