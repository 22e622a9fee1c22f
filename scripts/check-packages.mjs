import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runChild, withChildren } from './children.mjs';

/**
 * `node scripts/check-packages.mjs`: packs every workspace once, as `npm publish` does, and holds
 * each tarball against publint (the fields of package.json) and Are The Types Wrong? (what
 * TypeScript finds behind `exports`). It reads nothing from the network. Exits with 1 where a tool
 * complains.
 */

const root = dirname(dirname(fileURLToPath(import.meta.url)));

/** How each tool is called; the tarball's path follows. */
const TOOLS = [
  ['publint', 'run', '--strict'],
  // The packages are ES modules: what `require` finds is not judged.
  ['attw', '--profile', 'esm-only', '--no-definitely-typed', '--no-emoji', '--format', 'ascii'],
];

/** Runs a program of the project; returns whether it succeeded, and prints its output if not. */
async function succeeds(program, args) {
  const path = [join(root, 'node_modules', '.bin'), process.env.PATH ?? ''].join(delimiter);
  const env = { ...process.env, PATH: path, NO_COLOR: '1' };
  const { code, output } = await runChild(program, args, { cwd: root, env });
  if (code === 0) return true;
  process.stderr.write(`$ ${program} ${args.join(' ')}\n${output}\n`);
  return false;
}

async function checkPackages(folder) {
  const everything = ['--workspaces', '--include-workspace-root'];
  if (!(await succeeds('npm', ['pack', ...everything, '--pack-destination', folder]))) return 1;
  let failures = 0;
  for (const name of (await readdir(folder)).sort())
    for (const [tool, ...args] of TOOLS)
      if (!(await succeeds(tool, [...args, join(folder, name)]))) failures += 1;
  return failures === 0 ? 0 : 1;
}

async function main() {
  const folder = await mkdtemp(join(tmpdir(), 'jmapsmith-packages-'));
  try {
    return await checkPackages(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

process.exitCode = await withChildren(main);
