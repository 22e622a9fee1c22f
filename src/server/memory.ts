import { totalmem } from 'node:os';
import { getHeapStatistics, setFlagsFromString } from 'node:v8';

/**
 * Flags for V8, set before the server starts: its defaults suit programs that have the machine for
 * themselves. docs/performance.md, "Memory", has what each is worth.
 *
 * A full collection comes once the old generation is two and a half times what the last one left in
 * it, not four times. A server has few live objects, and would keep for long what large requests
 * leave behind.
 *
 * WebAssembly (Prisma's query compiler) stays as its first compiler made it until it has run for
 * long. The second one takes tens of megabytes, which the allocator keeps, and Prisma remembers the
 * plans of queries anyway.
 */
const FLAGS: readonly string[] = Object.freeze([
  '--heap-growing-percent=150',
  '--wasm-tiering-budget=100000000',
]);

/** For a process that is a server: they hold for all of it, its threads too. */
export function useLessMemory(): void {
  for (const flag of FLAGS) setFlagsFromString(flag);
}

/**
 * Returns how many octets of memory this process may take. It is the least of V8's heap, where the
 * texts of answers lie (`--max-old-space-size`), of its container's limit, and of the machine's
 * memory.
 */
export function memoryGiven(): number {
  // 0 or undefined where nothing is known, a huge number where there is no limit.
  const constrained = process.constrainedMemory() || Number.POSITIVE_INFINITY;
  return Math.min(getHeapStatistics().heap_size_limit, constrained, totalmem());
}
