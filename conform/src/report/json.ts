import { countOf, countRefused, type Results } from '../outcome.js';

/**
 * The whole run as data. The two sides of a comparison are shown as far as they are JSON.
 */
export function jsonReport({ outcomes, ...head }: Results): string {
  const report = {
    ...head,
    counts: countOf(outcomes),
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
  return `${JSON.stringify(report, plainly, 2).replaceAll(OBEYED, escaped)}\n`;
}

/** Signs that a terminal obeys and that JSON.stringify leaves as they are. */
const OBEYED = /[^\n\P{C}]/gu;

/** Returns a sign as escapes of JSON. */
const escaped = (sign: string): string =>
  sign
    .split('')
    .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
    .join('');

/** Patterns are told by their words. */
export function plainly(_name: string, value: unknown): unknown {
  const pattern = value as { asymmetricMatch?: unknown; toString(): string } | null;
  return typeof pattern?.asymmetricMatch === 'function' ? `<${pattern.toString()}>` : value;
}
