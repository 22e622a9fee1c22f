import { vi } from 'vitest';
import { exitCodeOf } from '../../src/descriptor/command-line.js';
import { CONFORM } from '../src/program.js';

/** How a command ended, and what it printed. */
export interface Ended {
  readonly code: number | string | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs the command within this process: a process of its own takes seconds. */
export async function runHere(...args: readonly string[]): Promise<Ended> {
  const printed = { stdout: '', stderr: '' };
  const spies = (['stdout', 'stderr'] as const).map((name) =>
    vi.spyOn(process[name], 'write').mockImplementation((text) => {
      printed[name] += String(text);
      return true;
    }),
  );
  try {
    return { code: await exitCodeOf(CONFORM, args), ...printed };
  } finally {
    for (const spy of spies) spy.mockRestore();
  }
}
