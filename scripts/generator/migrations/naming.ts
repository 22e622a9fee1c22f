import type { Difference } from './compare.js';

const MAX_LENGTH = 48;

/** No other name has two underscores in a row. */
const CONTRACT = '_contract';

/**
 * Returns the name of a migration, `0002_country`: the number in order, and what first comes to
 * mind about the change.
 */
export function migrationName(
  number: number,
  difference: Difference,
  others: readonly string[] = [],
): string {
  const words = number === 1 ? 'init' : summary(difference, others);
  return `${String(number).padStart(4, '0')}_${words}`;
}

/** Returns the name of a migration that only takes away what another left for its predecessor. */
export function contractName(number: number): string {
  return `${String(number).padStart(4, '0')}_${CONTRACT}`;
}

export function isContract(name: string): boolean {
  return name.endsWith(`_${CONTRACT}`);
}

/** Returns words for a change: its first part, and how many more there are. */
function summary({ added, changed, removed }: Difference, others: readonly string[]): string {
  const parts = [
    ...added.map((table) => table.name),
    ...changed.map(({ after, added: columns }) =>
      // The property, rather than what is computed from it: it comes first.
      columns[0] === undefined ? after.name : `${after.name}_${columns[0].name}`,
    ),
    ...removed.map((table) => table.name),
    ...others,
  ].map(snakeCase);
  const [first = 'change', ...rest] = parts;
  return rest.length === 0 ? first : `${first}_and_${rest.length}_more`;
}

function snakeCase(name: string): string {
  return name
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '_')
    .slice(0, MAX_LENGTH);
}
