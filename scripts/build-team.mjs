import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import { PACKAGE } from './build-layout.mjs';
import { computeStamp, inputFiles, sourcesFile, stampOf } from './build-stamp.mjs';
import { BuildError } from './build-tools.mjs';

/** Where quick-build.mjs notes, in the folder of a build, what it has compiled. */
export const RECORD = '.quick.json';

/** Whether the generator or Prisma made a module: nobody reads its lines in a stack trace. */
export function isMade(name) {
  return name.startsWith('generated/') || name.startsWith('build/');
}

/**
 * Packages that a project's modules, or their compiler, look for. They are dependencies of this
 * package, which need not lie where the project's modules look.
 */
const IMPORTED = ['@prisma/client', '@types/node', 'ajv', 'jmapsmith'];

/** Makes ready what the compiler and the compiled modules look for. */
export function prepareTeam(root) {
  refuseUninstalled(root);
  mkdirSync(join(root, 'build'), { recursive: true });
  writeFileSync(join(root, 'build', 'tsconfig.json'), `${JSON.stringify(config(root), null, 2)}\n`);
  for (const name of IMPORTED) linkWhereNeeded(root, name);
}

/** Compilers and editors would say that a file is not found, which tells nobody what to do. */
function refuseUninstalled(root) {
  const file = join(root, 'tsconfig.json');
  if (packageFolder(root, 'jmapsmith') !== undefined || !existsSync(file)) return;
  if (!readFileSync(file, 'utf8').includes('jmapsmith/tsconfig.json')) return;
  throw new BuildError(
    `jmapsmith is not installed in ${root}, whose tsconfig.json extends jmapsmith/tsconfig.json: ` +
      'npm install /path/to/jmapsmith-VERSION.tgz there.',
    2,
  );
}

/**
 * The compiler's options: the project's own, as its editor has them, but for what decides how the
 * server loads the result. `bundler` makes ES modules whatever the project's package.json says.
 */
function config(root) {
  const own = existsSync(join(root, 'tsconfig.json'));
  return {
    extends: own ? '../tsconfig.json' : join(PACKAGE, 'tsconfig.project.json'),
    compilerOptions: {
      target: 'ES2023',
      module: 'ESNext',
      moduleResolution: 'Bundler',
      rootDir: '..',
      outDir: 'server',
      noEmit: false,
      emitDeclarationOnly: false,
      declaration: false,
      declarationMap: false,
      // Stack traces name the lines of the hook files (src/server/project.ts).
      sourceMap: true,
      inlineSourceMap: false,
      inlineSources: false,
      sourceRoot: null,
      mapRoot: null,
      // Null takes back what the project's own says.
      declarationDir: null,
      outFile: null,
      tsBuildInfoFile: null,
      composite: false,
      incremental: false,
      allowJs: false,
      rewriteRelativeImportExtensions: true,
      skipLibCheck: true,
    },
    files: ['../generated/registry.ts'],
    include: [
      '../generated/**/*.ts',
      '../capabilities/*.hooks.ts',
      '../evolve/*.ts',
      'prisma/*/client.ts',
    ],
    // Applications compile it, with their options.
    exclude: ['../generated/client'],
  };
}

/** Links a package into build/node_modules where the project would find none, or another one. */
function linkWhereNeeded(root, name) {
  const folder = name === 'jmapsmith' ? PACKAGE : packageFolder(PACKAGE, name);
  const link = join(root, 'build', 'node_modules', ...name.split('/'));
  const needed = folder !== undefined && packageFolder(root, name) !== realpathSync(folder);
  if (needed && existsSync(link) && realpathSync(link) === realpathSync(folder)) return;
  rmSync(link, { recursive: true, force: true });
  if (!needed) return;
  mkdirSync(dirname(link), { recursive: true });
  symlinkSync(folder, link, 'junction');
}

/**
 * The real folder of the package that modules in `from` get. Node is not asked: it would remember
 * for as long as this process lives that there is none.
 */
export function packageFolder(from, name) {
  for (let folder = from; ; folder = dirname(folder)) {
    const found = join(folder, 'node_modules', ...name.split('/'));
    if (existsSync(join(found, 'package.json'))) return realpathSync(found);
    if (dirname(folder) === folder) return undefined;
  }
}

/**
 * The last of a build: what was built are ES modules, and helpers that hook files import count from
 * now on. Gives the stamp with those.
 */
export function finishTeam(root, layout, stamp) {
  const out = join(root, layout.out);
  rmSync(join(out, RECORD), { force: true });
  writeFileSync(join(out, 'package.json'), '{ "type": "module" }\n');
  const known = inputFiles(root, layout);
  const built = builtFiles(out);
  // A server reads the map of each module that it loads.
  for (const path of built)
    if (path.endsWith('.js.map') && isMade(path)) rmSync(join(out, path), { force: true });
  const found = built
    .filter((path) => path.endsWith('.js') && !path.startsWith('build/'))
    .map((path) => path.replace(/\.js$/, '.ts'))
    .filter((path) => existsSync(join(root, path)) && !isInput(path, layout));
  const list = sourcesFile(root, layout);
  writeFileSync(list, `${JSON.stringify(found.sort())}\n`);
  // A file edited meanwhile asks for another build, as ever.
  if (stampOf(root, known, layout.version()) !== stamp) return stamp;
  return computeStamp(root, layout);
}

function isInput(path, { inputs }) {
  return inputs.some(({ at, counts }) => path.startsWith(`${at}/`) && counts?.test(path) === true);
}

/**
 * Files below the folder of a build that were made from a source each, relative to it, with `/`.
 */
export function builtFiles(out) {
  return readdirSync(out, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.name.startsWith('.'))
    .map((entry) => relative(out, join(entry.parentPath ?? entry.path, entry.name)))
    .map((path) => path.split(sep).join('/'))
    .filter((path) => path !== 'package.json');
}
