import type { Outcome } from '../outcome.js';

/** Groups outcomes by specification and section, in the order of the sections' numbers. */
export function groupBySection(
  outcomes: readonly Outcome[],
): ReadonlyMap<string, readonly Outcome[]> {
  const sections = new Map<string, Outcome[]>();
  for (const outcome of outcomes) {
    const { specification, section } = outcome.check;
    const name = `${specification} ${section}`;
    const list = sections.get(name) ?? [];
    list.push(outcome);
    sections.set(name, list);
  }
  const names = [...sections.keys()].sort((a, b) =>
    a.localeCompare(b, 'en', { numeric: true, sensitivity: 'base' }),
  );
  return new Map(names.map((name) => [name, sections.get(name) ?? []]));
}
