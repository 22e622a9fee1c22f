#!/usr/bin/env node
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { layoutOf, PACKAGE, REPOSITORY } from '../scripts/build-layout.mjs';
import { isCurrent } from '../scripts/build-stamp.mjs';
import { endWithLauncher } from '../scripts/launcher.mjs';
import { listTools, SERVER_TOOLS } from '../scripts/server-tools.mjs';

/**
 * `jmapsmith TOOL [ARGUMENT...]`: the tools in a team's own project, where this package is a
 * dependency. A tool runs in this very process, so that signals reach it and its exit code is ours.
 * It works on the current folder.
 */

/**
 * The tools: where each begins, below dist/, and what it needs of the project. `descriptors`: a
 * folder capabilities/; `build`: the hook files and what was generated, compiled; `modules`: the
 * same, whether their types are right or not.
 */
const TOOLS = {
  new: { entry: 'scripts/new', words: 'writes a commented descriptor of a new type' },
  generate: { entry: 'scripts/generate', words: 'makes generated/ and prisma/ from capabilities/' },
  check: {
    run: 'check',
    needs: 'descriptors',
    words: 'says whether all that is generated is current and the hook files fit it',
  },
  describe: { entry: 'scripts/describe', words: 'what a type offers' },
  breaking: {
    entry: 'scripts/breaking',
    words: 'what a change of descriptors breaks, against a commit',
  },
  build: {
    run: 'build',
    needs: 'descriptors',
    words: 'compiles the project, for a start without delay',
  },
  start: {
    entry: 'src/server/main',
    needs: 'build',
    words: 'builds what is not current, and serves',
  },
  dev: {
    run: 'dev',
    needs: 'descriptors',
    words: 'generates, builds and serves, again whenever a file changes',
  },
  seed: {
    entry: 'scripts/seed',
    needs: 'modules',
    words: 'creates the accounts and objects of a YAML or JSON file, or updates them',
  },
  ...SERVER_TOOLS,
  conform: {
    run: 'conform',
    words: 'checks any JMAP server against RFC 8620 (the package @jmapsmith/conform)',
  },
};

const HELP = `Usage: npx jmapsmith TOOL [ARGUMENT...]

Serves the data types that capabilities/ of the current folder describes. The tools:

${listTools(TOOLS)}

npx jmapsmith TOOL --help describes each; --version prints the version of jmapsmith.
How to begin: ${join(PACKAGE, 'README.md')}, "In your own project".
Exit codes: 0 fine, 1 a check found something, 2 the input is wrong, 70 a defect of ours.`;

const EXIT = { fine: 0, input: 2 };

const [name, ...args] = process.argv.slice(2);
const asksForHelp = args.includes('--help') || args.includes('-h');
process.exitCode = (await main()) ?? process.exitCode;

async function main() {
  const root = process.cwd();
  if (name === undefined) return complain(HELP);
  if (name === '--help' || name === '-h' || name === 'help') return print(HELP);
  if (name === '--version' || name === '-v') return print(version());
  const tool = Object.hasOwn(TOOLS, name) ? TOOLS[name] : undefined;
  // A checkout of the engine itself (npm link) may have been edited since it was built.
  if (existsSync(join(PACKAGE, 'src')) && !isCurrent(PACKAGE)) {
    const code = await attempt(({ build }) => build(PACKAGE));
    if (code !== EXIT.fine) return code;
  }
  if (tool === undefined) return complain(await unknownTool());
  if (tool.needs !== undefined && !asksForHelp && !existsSync(join(root, 'capabilities')))
    return complain(
      `jmapsmith: there is no folder capabilities/ in ${root}. ` +
        'Run this in the folder of your project; npx jmapsmith new TYPE begins one.',
    );
  if (tool.run === 'conform') return runConform(root);
  const { calledAsPackage } = await load('dist/scripts/invocation.js');
  calledAsPackage();
  if (tool.run !== undefined) return runOwn(tool.run, root);
  if (name === 'start' && args.length > 0) return noArguments(name);
  if (name === 'start') endWithLauncher();
  if (tool.needs === 'build' && !asksForHelp) {
    const code = await attempt(() => buildCurrent(root));
    if (code !== EXIT.fine) return code;
  }
  if (tool.needs === 'modules' && !asksForHelp && layoutOf(root) !== REPOSITORY) {
    const { quickBuild } = await import('../scripts/quick-build.mjs');
    const code = await attempt(() => quickBuild(root));
    if (code !== EXIT.fine) return code;
  }
  const file = join(PACKAGE, 'dist', `${tool.entry}.js`);
  process.argv = [process.argv[0], file, ...args];
  await import(pathToFileURL(file).href);
  return undefined;
}

async function buildCurrent(root) {
  const layout = layoutOf(root);
  if (layout === REPOSITORY || isCurrent(root, layout)) return;
  const { buildTeam } = await import('../scripts/team.mjs');
  await buildTeam(root);
}

/** Runs the conformance runner, a package of its own, where the project has it. */
async function runConform(root) {
  if (layoutOf(root) === REPOSITORY)
    return complain('jmapsmith: in its own repository this is npm run conform.');
  const manifest = conformManifest(root);
  if (manifest === undefined)
    return complain(
      'jmapsmith: the conformance runner is the package @jmapsmith/conform, which is not ' +
        'installed here, and in no registry yet. In the repository of jmapsmith make it with: ' +
        'npm pack --workspace conform. Install that file here with: npm install --save-dev FILE',
    );
  const { bin } = JSON.parse(readFileSync(manifest, 'utf8'));
  const file = join(dirname(manifest), bin['jmapsmith-conform']);
  process.argv = [process.argv[0], file, ...args];
  await import(pathToFileURL(file).href);
  return undefined;
}

/** Where the runner's package.json is; undefined where the project doesn't have the package. */
function conformManifest(root) {
  try {
    return createRequire(join(root, 'package.json')).resolve('@jmapsmith/conform/package.json');
  } catch (error) {
    if (error.code !== 'MODULE_NOT_FOUND') throw error;
    return undefined;
  }
}

/** The tools that are not modules of dist/: they need what only the build has. */
async function runOwn(tool, root) {
  const code = tool === 'build' && !asksForHelp ? undefined : await noArguments(tool);
  if (code !== undefined) return code;
  const team = await import('../scripts/team.mjs');
  if (layoutOf(root) === REPOSITORY)
    return complain(
      tool === 'dev'
        ? 'jmapsmith: dev is for a project on the package. Here: npm run generate -- --watch.'
        : `jmapsmith: in its own repository this is npm run ${tool}.`,
    );
  if (tool === 'check') return team.checkTeam(root);
  if (tool === 'dev') return (await import('../scripts/dev.mjs')).develop(root);
  return attempt(() => team.runBuild(root, args));
}

/** Of a tool that takes none: answers --help and refuses others; undefined where there is none. */
async function noArguments(tool) {
  const { HELP: pages } = await import('../scripts/team.mjs');
  if (asksForHelp) return print(pages[tool]);
  if (args.length === 0) return undefined;
  const elsewhere = tool === 'start' ? 'the port and the rest are environment variables; ' : '';
  return complain(`${tool}: takes no argument such as ${args[0]} (${elsewhere}--help tells more).`);
}

/** Runs work of the build; gives the exit code, and tells what went wrong. */
async function attempt(work) {
  try {
    await work(await import('../scripts/build-project.mjs'));
    return EXIT.fine;
  } catch (error) {
    const { reportFailure } = await import('../scripts/build-tools.mjs');
    return reportFailure(error);
  }
}

async function unknownTool() {
  const { didYouMean } = await load('dist/src/descriptor/check/did-you-mean.js');
  const names = Object.keys(TOOLS);
  const meant = didYouMean(name, names);
  const there = `There are: ${names.join(', ')}.`;
  return `jmapsmith: there is no tool ${JSON.stringify(name)}.${meant} ${there}`;
}

function load(module) {
  return import(pathToFileURL(join(PACKAGE, module)).href);
}

function version() {
  return JSON.parse(readFileSync(join(PACKAGE, 'package.json'), 'utf8')).version;
}

function print(text) {
  process.stdout.write(`${text}\n`);
  return EXIT.fine;
}

function complain(text) {
  process.stderr.write(`${text}\n`);
  return EXIT.input;
}
