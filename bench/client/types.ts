import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { makeProject } from '../generate-project.js';
import { type Job, type Measurement, measure, printMeasured } from '../processes.js';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const TSC = join(ROOT, 'node_modules/typescript/bin/tsc');
const FIGURES = /^(?:Types|Instantiations|Check time):.*$/gm;

/**
 * Measures what the compiler takes to check calls of so many types, a batch of each: beside a
 * project that has nothing, which is what TypeScript and its libraries take.
 */
export async function measureTypes(size: number, rounds: number): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'jmapsmith-types-'));
  try {
    const jobs = [await makeEmpty(folder), await makeBatches(folder, size)];
    const measured = new Map(jobs.map((job) => [job, [] as Measurement[]]));
    for (let round = 1; round <= rounds; round += 1)
      for (const job of jobs) {
        process.stderr.write(`round ${round} of ${rounds}: ${job.name}\n`);
        measured.get(job)?.push(await measure(job));
      }
    printMeasured(measured, rounds);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** As a bundler's project has it: a browser's library, and none of Node. */
export const COMPILER_OPTIONS = {
  target: 'ES2022',
  module: 'ESNext',
  moduleResolution: 'Bundler',
  lib: ['ES2022', 'DOM', 'DOM.Iterable'],
  types: [],
  strict: true,
  noUncheckedIndexedAccess: true,
  exactOptionalPropertyTypes: true,
  skipLibCheck: true,
  noEmit: true,
};

async function makeEmpty(folder: string): Promise<Job> {
  const root = join(folder, 'empty');
  await mkdir(root);
  await writeFile(join(root, 'use.ts'), 'export const nothing = 0;\n');
  return compileJob('an empty project', root);
}

async function makeBatches(folder: string, size: number): Promise<Job> {
  const root = join(folder, 'batches');
  await makeProject(root, size);
  await mkdir(join(root, 'node_modules/@jmapsmith'));
  await symlink(join(ROOT, 'client'), join(root, 'node_modules/@jmapsmith/client'), 'junction');
  await measure({
    name: 'generate',
    argv: [
      join(ROOT, 'dist/scripts/generate.js'),
      '--root',
      root,
      '--client',
      join(root, 'client'),
    ],
    cwd: root,
    fresh: [],
  });
  await writeFile(join(root, 'use.ts'), useText(size, './client/index.js'));
  return compileJob(`${size} types, a batch of each`, root);
}

async function compileJob(name: string, root: string): Promise<Job> {
  const config = { compilerOptions: COMPILER_OPTIONS, files: ['use.ts'] };
  await writeFile(join(root, 'tsconfig.json'), JSON.stringify(config));
  const argv = [TSC, '-p', root, '--extendedDiagnostics'];
  return { name: `tsc over ${name}`, argv, cwd: root, fresh: [], tell: FIGURES };
}

/** Returns a program with a batch of each of so many types, and a `/set`. */
export function useText(size: number, client: string): string {
  const head = [
    "import type { Account } from '@jmapsmith/client';",
    `import type { Project } from '${client}';`,
    'type Me = Account<Project>;',
  ].join('\n');
  return head + Array.from({ length: size }, (_, number) => batchText(number)).join('');
}

/** References, narrowed properties, filters and sorts, a create and a patch. */
function batchText(number: number): string {
  return `
export async function use${number}(me: Me): Promise<string> {
  const { list, more } = await me.batch((b) => {
    const found = b.Thing${number}.query({ filter: { done: false }, sort: ['-created'], limit: 5 });
    const list = b.Thing${number}.get({ ids: found.ids, properties: ['title', 'parentId'] });
    const more = b.Thing${number}.get({ ids: list.list.map((thing) => thing.id) });
    return { list, more };
  });
  const id = more.list[0]?.id ?? '';
  const answer = await me.Thing${number}.set({
    create: { k: { title: 'x', rank: 1 } },
    update: { [id]: { done: true, 'tags/red': true } },
  });
  return list.list[0]?.title ?? answer.created?.k?.id ?? '';
}
`;
}
