import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/** Returns the path of a program of this machine: that of a variable, or in `PATH`; null: none. */
export function findProgram(variable: string, names: readonly string[]): string | null {
  const { [variable]: chosen, PATH = '' } = process.env;
  if (chosen !== undefined) return chosen;
  const paths = PATH.split(delimiter).flatMap((folder) => names.map((name) => join(folder, name)));
  return paths.find((path) => existsSync(path)) ?? null;
}
