import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { PACKAGE, TEAM } from './build-layout.mjs';
import { build, buildClients } from './build-project.mjs';
import { isCurrent } from './build-stamp.mjs';
import { prepareTeam } from './build-team.mjs';
import { BuildError, reportFailure, runTool } from './build-tools.mjs';
import { runChild, withChildren } from './children.mjs';
import { parseBuildOptions, requireFree, writeStandalone } from './standalone.mjs';

/** Building and checking a team's project: what `jmapsmith build`, `start` and `check` do. */

export const HELP = {
  dev: `Usage: npx jmapsmith dev

Generates, compiles and serves, and does it again whenever a descriptor, a hook file or a file that
one imports changes, until Ctrl-C. The data stays: it is that of npx jmapsmith start. While a file
is wrong, its errors are shown and the last server goes on. The types of hook files are checked
while the server already serves. The environment variables are those of the server
(node_modules/jmapsmith/docs/reference/configuration.md); LOG_LEVEL is warn where it isn't set.

Exit codes: 0 stopped, 1 something that is no file of the project refuses the first start (a port, a
lock), 2 a variable is wrong, 70 a defect.`,
  build: `Usage: npx jmapsmith build [--standalone DIR [--with s3]]

Compiles what was generated and the hook files to build/, for a start without delay: in an image,
for instance. npx jmapsmith start does the same where it is needed. What is generated has to be
current.

  --standalone DIR  also writes all that a server needs to DIR, which is empty or an earlier output:
                    then node DIR/server.mjs serves with nothing else installed, on machines of the
                    same kind
  --with s3         takes the client of S3 along, as where BLOB_STORE names S3 during the build

Exit codes: 0 fine, 1 something is not current or the compiler found errors, 2 a descriptor is
wrong, 70 a defect.`,
  start: `Usage: npx jmapsmith start

Builds what is not current, migrates the database and serves, until SIGTERM or Ctrl-C. Prints a line
with its address. Environment variables say where and how:
node_modules/jmapsmith/docs/reference/configuration.md.

Exit codes: 0 stopped, 1 something refuses it (a port, a lock, a migration, the compiler), 2 a
variable or a descriptor is wrong, 70 a defect.`,
  check: `Usage: npx jmapsmith check

What a team's CI checks, each with a line and its seconds; what failed is shown in full:

  generated   generated/ and prisma/ are what the descriptors say, and no hook file is behind its
              descriptor
  clients     the Prisma clients, for the types that hook files import
  types       tsc, over what is generated and the hook files

Exit codes: 0 all is well, 1 something failed, 2 a descriptor is wrong, 70 a defect.`,
};

const COMMAND = join(PACKAGE, 'bin', 'jmapsmith.mjs');

/** `jmapsmith build`; prints what a standalone server has come to. */
export async function runBuild(root, args) {
  const { folder, withS3 } = parseBuildOptions(args);
  const target = folder === undefined ? undefined : requireFree(root, folder);
  if (!isCurrent(root, TEAM)) await buildTeam(root);
  if (target === undefined) return;
  const { packages, octets } = await writeStandalone(root, target, withS3);
  const size = `${(octets / 1e6).toFixed(0)} MB, ${packages} packages`;
  const server = join(folder, 'server.mjs');
  const isPlain = /^[\w./@:\\-]+$/.test(server);
  const shown = isPlain ? server : `'${server.replaceAll("'", "'\\''")}'`;
  process.stdout.write(`${folder}: ${size}. It serves by: node ${shown}\n`);
}

/**
 * Makes build/ what the project says. The generated files must be current: they are compiled as
 * they are.
 */
export function buildTeam(root) {
  return build(root, TEAM, async () => {
    const checked = await generatedIsCurrent(root, ['--format', 'json']);
    if (checked.code !== 0) refuseStale(checked);
    prepareTeam(root);
  });
}

function generatedIsCurrent(root, args = []) {
  return runChild(process.execPath, [COMMAND, 'generate', '--check', ...args], {
    cwd: root,
    env: { ...process.env, NO_COLOR: '1' },
  });
}

/** A hook file that may be behind stops no build: only its author can tell. */
function refuseStale({ code, output, stdout }) {
  const problems = problemsIn(stdout);
  if (problems === undefined) throw new BuildError(output, code);
  const wrong = problems.filter(({ severity }) => severity === 'error');
  const isFile = ({ code }) => code.startsWith('file-');
  const files = wrong.filter(isFile).map(({ file }) => file);
  if (wrong.length === 0) return;
  const first = wrong.find((problem) => !isFile(problem));
  if (first !== undefined)
    throw new BuildError(
      `${first.file}:${first.line}:${first.column}: ${first.message}\n` +
        'npx jmapsmith generate tells all that is wrong.',
      2,
    );
  const more = files.length > 3 ? ` and ${files.length - 3} more` : '';
  throw new BuildError(
    `${files.slice(0, 3).join(', ')}${more}: not what the descriptors and this version of ` +
      'jmapsmith make. Run npx jmapsmith generate.',
    1,
  );
}

function problemsIn(stdout) {
  try {
    return JSON.parse(stdout);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** `jmapsmith check`; gives the exit code. */
export async function checkTeam(root) {
  try {
    return await withChildren(async () => {
      let worst = 0;
      for (const [name, run] of CHECKS) {
        const began = performance.now();
        const { code, output } = await run(root);
        const seconds = ((performance.now() - began) / 1000).toFixed(1);
        const word = code === 0 ? 'ok    ' : 'FAILED';
        process.stdout.write(`${word}  ${name.padEnd(9)} ${seconds.padStart(6)} s\n`);
        if (code === 0) continue;
        process.stderr.write(`\n${output}\n\n`);
        worst = Math.max(worst, code === 70 ? 70 : Math.min(code, 2));
        // Of descriptors that are wrong, or new, nothing was made that could be compiled.
        if (code !== 1 || !existsSync(join(root, 'generated', 'registry.ts'))) break;
      }
      return worst;
    });
  } catch (error) {
    return reportFailure(error);
  }
}

const CHECKS = [
  ['generated', (root) => generatedIsCurrent(root)],
  [
    'clients',
    async (root) => {
      prepareTeam(root);
      await buildClients(root, TEAM);
      return { code: 0, output: '' };
    },
  ],
  [
    'types',
    async (root) => {
      const args = ['-p', TEAM.config, '--noEmit', '--pretty', 'false'];
      const { code, output } = await runTool(root, 'typescript/bin/tsc', args);
      return { code: code === 0 ? 0 : 1, output };
    },
  ],
];
