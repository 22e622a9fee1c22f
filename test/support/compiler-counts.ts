import type ts from 'typescript';

/** The cost of a program to the compiler: numbers that are the same on each machine. */
export interface CompilerCounts {
  readonly types: number;
  readonly instantiations: number;
}

/** Returns the counts of a program that was checked. They are those of `--extendedDiagnostics`. */
export function readCounts(program: ts.Program): CompilerCounts {
  const { getTypeCount, getInstantiationCount } = program as unknown as {
    readonly getTypeCount: () => number;
    readonly getInstantiationCount: () => number;
  };
  return { types: getTypeCount(), instantiations: getInstantiationCount() };
}
