import { copyFileSync, existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { clientsToGenerate, generateClients } from './build-clients.mjs';
import { withBuildLock } from './build-lock.mjs';
import {
  inputFiles,
  isCurrent,
  readStamp,
  stampFile,
  wantedStamp,
  writeStamp,
} from './build-stamp.mjs';
import { BuildError, runTool, say } from './build-tools.mjs';
import { withChildren } from './children.mjs';

/**
 * Makes dist/ what the sources say; does nothing where it already is. Processes that start at once
 * take turns, and those that waited find the work done.
 */
export async function build(root) {
  if (isCurrent(root)) return;
  await alone(root, async () => {
    const stamp = wantedStamp(root);
    const file = stampFile(root);
    if (readStamp(file) === stamp) return;
    await generateClients(root);
    // From here on dist is neither the old build nor the new one.
    rmSync(file, { force: true });
    await compile(root);
    copyGenerated(root);
    removeOrphans(root);
    // The stamp of what was there at first: a source edited meanwhile asks for another build.
    writeStamp(file, stamp);
  });
}

/** Makes build/prisma/ what the Prisma schemas say; does nothing where it already is. */
export async function buildClients(root) {
  if (clientsToGenerate(root).length === 0) return;
  await alone(root, () => generateClients(root));
}

/** Builds while no other process does; what it has started ends before this process does. */
function alone(root, work) {
  const wait = () => say('waiting for another process that builds');
  return withChildren(() => withBuildLock(root, wait, work));
}

async function compile(root) {
  say('TypeScript');
  const project = ['-p', 'tsconfig.build.json', '--noEmitOnError', '--pretty', 'false'];
  const { code, output } = await runTool(root, 'typescript/bin/tsc', project);
  if (code !== 0) throw new BuildError(`the TypeScript compiler found errors:\n${output}`, 1);
}

/** Validators are emitted as JavaScript, which the compiler passes over. */
function copyGenerated(root) {
  for (const file of inputFiles(root))
    if (/^generated\/.*\.(?:js|json)$/.test(file)) {
      const target = join(root, 'dist', file);
      mkdirSync(dirname(target), { recursive: true });
      copyFileSync(join(root, file), target);
    }
}

/** Removes from dist/ what has no source any more: a stale module must not be found. */
function removeOrphans(root) {
  const dist = join(root, 'dist');
  for (const entry of readdirSync(dist, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile() || entry.name.startsWith('.stamp')) continue;
    const path = join(entry.parentPath ?? entry.path, entry.name);
    const source = join(root, relative(dist, path)).replace(/(?:\.d\.ts|\.js\.map)$/, '.js');
    const typescript = source.replace(/\.js$/, '.ts');
    if (!existsSync(source) && !existsSync(typescript)) rmSync(path);
  }
}
