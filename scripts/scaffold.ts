import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { inTeamProject } from './invocation.js';

/** The files of a new team's project; one that is there is never written again. */
const FILES: ReadonlyMap<string, string> = new Map([
  [
    'tsconfig.json',
    `${JSON.stringify(
      {
        extends: 'jmapsmith/tsconfig.json',
        include: ['capabilities', 'generated', 'build/prisma'],
      },
      null,
      2,
    )}\n`,
  ],
  ['.gitignore', 'node_modules/\nbuild/\ndata/\n'],
]);

/** Writes what editors and git need of a team's project; gives the names of what was missing. */
export async function scaffold(root: string): Promise<readonly string[]> {
  if (!inTeamProject(root)) return [];
  const written: string[] = [];
  for (const [name, text] of FILES) {
    try {
      await writeFile(join(root, name), text, { flag: 'wx' });
      written.push(name);
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
    }
  }
  return written;
}
