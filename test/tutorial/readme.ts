import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ROOT } from '../support/server.js';

/** README.md's tutorial: what it has a newcomer write, and the commands that follow. */
export interface Tutorial {
  /** The file that the descriptor goes to, from the project's root. */
  readonly file: string;
  readonly descriptor: string;
  readonly commands: readonly string[];
}

/** Reads the tutorial from README.md itself, so that what is tested is what is said. */
export async function readTutorial(): Promise<Tutorial> {
  const readme = await readFile(join(ROOT, 'README.md'), 'utf8');
  const section = /^## A type of your own\n(.*?)^## /ms.exec(readme)?.[1] ?? '';
  const file = /Write `(capabilities\/[a-z-]+\.yaml)`/.exec(section)?.[1];
  const descriptors = blocks(section, 'yaml');
  const [descriptor] = descriptors;
  if (file === undefined || descriptor === undefined || descriptors.length !== 1) {
    throw new Error('The tutorial in README.md names one file and shows what goes into it.');
  }
  return { file, descriptor, commands: blocks(section, 'sh').map((block) => block.trim()) };
}

function blocks(markdown: string, language: string): string[] {
  const fence = new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\`$`, 'gms');
  return Array.from(markdown.matchAll(fence), ([, content = '']) => content);
}
