import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { clientsToGenerate, generateClients } from './build-clients.mjs';
import { REPOSITORY, TEAM } from './build-layout.mjs';
import { withBuildLock } from './build-lock.mjs';
import { computeStamp, isCurrent, readStamp, stampFile, writeStamp } from './build-stamp.mjs';
import { builtFiles, finishTeam } from './build-team.mjs';
import { BuildError, runTool, say } from './build-tools.mjs';
import { withChildren } from './children.mjs';

/**
 * Makes dist/ what the sources say; does nothing where it already is. Processes that start at once
 * take turns, and those that waited find the work done. `prepare` runs in front of a build that is
 * needed.
 */
export async function build(root, layout = REPOSITORY, prepare = async () => undefined) {
  if (isCurrent(root, layout)) return;
  await alone(root, async () => {
    const stamp = computeStamp(root, layout);
    const file = stampFile(root, layout);
    if (readStamp(file) === stamp) return;
    if (!existsSync(join(root, layout.out))) say('the first build takes about a minute');
    await prepare();
    await generateClients(root, layout);
    // From here on the folder is neither the old build nor the new one.
    rmSync(file, { force: true });
    await compile(root, layout);
    removeOrphans(root, layout);
    // The stamp of what was there at first: a source edited meanwhile asks for another build.
    writeStamp(file, layout === TEAM ? finishTeam(root, layout, stamp) : stamp);
  });
}

/** Makes build/prisma/ what the Prisma schemas say; does nothing where it already is. */
export async function buildClients(root, layout = REPOSITORY) {
  if (clientsToGenerate(root, layout).length === 0) return;
  await alone(root, () => generateClients(root, layout));
}

/** Builds while no other process does; what it has started ends before this process does. */
function alone(root, work) {
  const wait = () => say('waiting for another process that builds');
  return withChildren(() => withBuildLock(root, wait, work));
}

async function compile(root, layout) {
  say('TypeScript');
  const project = ['-p', layout.config, '--noEmitOnError', '--pretty', 'false'];
  const { code, output } = await runTool(root, 'typescript/bin/tsc', project);
  if (code !== 0) throw new BuildError(`the TypeScript compiler found errors:\n${output}`, 1);
}

/** Removes what has no source any more: a stale module must not be found. */
function removeOrphans(root, { out }) {
  for (const path of builtFiles(join(root, out))) {
    const source = join(root, path).replace(/(?:\.d\.ts|\.js\.map)$/, '.js');
    const typescript = source.replace(/\.js$/, '.ts');
    if (!existsSync(source) && !existsSync(typescript)) rmSync(join(root, out, path));
  }
}
