import { totalmem } from 'node:os';
import { getHeapStatistics } from 'node:v8';

/**
 * Returns how many octets of memory this process may take: the least of V8's heap, where the texts
 * of answers lie (`--max-old-space-size`), of its container's limit, and of the machine's memory.
 */
export function memoryGiven(): number {
  // 0 or undefined where nothing is known, a huge number where there is no limit.
  const constrained = process.constrainedMemory() || Number.POSITIVE_INFINITY;
  return Math.min(getHeapStatistics().heap_size_limit, constrained, totalmem());
}
