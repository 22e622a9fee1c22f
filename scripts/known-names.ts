import { didYouMean } from '../src/descriptor/check/did-you-mean.js';
import { UsageError } from './cli.js';

/** Throws UsageError for names that the project doesn't have: with the nearest, and all of them. */
export function requireKnown(
  what: 'capability' | 'type',
  names: readonly string[],
  known: readonly string[],
): void {
  const [first, ...more] = names.filter((name) => !known.includes(name));
  if (first === undefined) return;
  const unknown = [first, ...more].join(', ');
  throw new UsageError(
    `No ${what} ${unknown} is registered.${didYouMean(first, known)} There are:\n  ` +
      known.join('\n  '),
  );
}
