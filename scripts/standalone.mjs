import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { parseArgs } from 'node:util';
import { PACKAGE, TEAM } from './build-layout.mjs';
import { BuildError, say } from './build-tools.mjs';
import { packageOf, placePackages, readManifest, usedFiles } from './standalone-packages.mjs';

/**
 * `jmapsmith build --standalone DIR`: a folder with all that a server needs, and nothing else: the
 * compiled project, its migrations, this package's engine and the packages that these import.
 */

/** The file that marks a folder as written by an earlier run. */
const MARKER = 'standalone.json';
const WRITER = 'npx jmapsmith build --standalone';

/**
 * The files that a run writes into the folder and takes away before: `data/` or whatever else
 * stays.
 */
const OWN = ['server.mjs', 'package.json', 'node_modules', 'build', 'prisma'];

const ENTRY = './node_modules/jmapsmith/scripts/serve-standalone.mjs';

const SERVER = `// Written by "${WRITER}"; node server.mjs --help tells more.
import '${ENTRY}';
`;

/** Returns the options of `build`; throws BuildError for one that it does not have. */
export function parseBuildOptions(args) {
  const options = { standalone: { type: 'string' }, with: { type: 'string', multiple: true } };
  const { values } = parse(args, options);
  if (values.standalone === '') throw new BuildError('--standalone takes a folder.', 2);
  if (values.with !== undefined && values.standalone === undefined)
    throw new BuildError('--with goes with --standalone DIR.', 2);
  const unknown = values.with?.find((name) => name !== 's3');
  if (unknown !== undefined) throw new BuildError(`--with takes s3, not ${unknown}.`, 2);
  const isNamed = process.env.BLOB_STORE?.startsWith('s3:') === true;
  return { folder: values.standalone, withS3: isNamed || values.with !== undefined };
}

function parse(args, options) {
  try {
    return parseArgs({ args, options, strict: true });
  } catch (error) {
    if (!String(error.code).startsWith('ERR_PARSE_ARGS')) throw error;
    throw new BuildError(`${error.message} (--help shows what there is.)`, 2);
  }
}

/** Refuses a folder in which something would be lost. */
export function requireFree(root, folder) {
  const target = resolve(root, folder);
  const refuse = (why) => {
    throw new BuildError(`--standalone ${folder}: ${why}`, 2);
  };
  if (`${target}${sep}`.startsWith(join(root, TEAM.out, sep)))
    refuse(`the build itself writes ${TEAM.out}. Name another folder.`);
  if (!existsSync(target)) return target;
  if (!statSync(target).isDirectory()) refuse('this is a file. Name a folder.');
  const [first] = readdirSync(target);
  if (first !== undefined && !isOwnOutput(target))
    refuse(`the folder has ${first} in it, and no earlier run wrote it. Name an empty folder.`);
  return target;
}

function isOwnOutput(target) {
  const marker = join(target, MARKER);
  if (!existsSync(marker)) return false;
  try {
    return JSON.parse(readFileSync(marker, 'utf8')).writtenBy === WRITER;
  } catch (error) {
    if (error instanceof SyntaxError) return false;
    throw error;
  }
}

/** Writes the folder from a project that is built; returns what it holds. */
export async function writeStandalone(root, target, withS3) {
  say(`standalone server${withS3 ? ', with S3' : ''}`);
  // Loaded late: the tracer brings packages that no other tool needs.
  const { loadDriver, traceServer } = await import('./standalone-trace.mjs');
  const { driverBinary } = await loadDriver();
  const reached = await traceServer(root, withS3);
  const project = realpathSync(root);
  const packages = new Set([...reached].map((file) => packageOf(file, project)));
  packages.delete(undefined);
  const placed = placePackages(join(project, TEAM.out), packages);
  for (const name of OWN) rmSync(join(target, name), { recursive: true, force: true });
  mkdirSync(target, { recursive: true });
  writeJson(join(target, MARKER), marker(driverBinary(process.versions)));
  copyProject(project, target, reached);
  for (const [at, folder] of placed)
    if (folder === PACKAGE) copyEngine(join(target, at), { project, reached, placed });
    else copyFiles(folder, usedFiles(folder, reached), join(target, at));
  // The last: without it a folder that is not whole can't be started.
  writeFileSync(join(target, 'server.mjs'), SERVER);
  return { packages: placed.size, octets: octetsBelow(target) };
}

function marker(driver) {
  const { version } = readManifest(PACKAGE);
  const builtFor = `${process.platform}-${process.arch}`;
  return { writtenBy: WRITER, version, builtFor, node: process.versions.node, driver };
}

/** The modules of the project that are reached, and its migrations. */
function copyProject(project, target, reached) {
  const built = join(project, TEAM.out);
  const modules = [...reached].filter((file) => isBelow(file, built));
  const maps = modules.map((file) => `${file}.map`).filter((file) => existsSync(file));
  const names = namesBelow(project, [...modules, ...maps]);
  copyFiles(project, [...names, join(TEAM.out, 'package.json')], target);
  writeJson(join(target, 'package.json'), { private: true, type: 'module' });
  for (const database of ['sqlite', 'postgresql']) {
    const migrations = join('prisma', database, 'migrations');
    const files = readdirSync(join(project, migrations), { recursive: true });
    const isFile = (file) => statSync(join(project, file)).isFile();
    copyFiles(project, files.map((file) => join(migrations, file)).filter(isFile), target);
  }
}

/** The modules of this package that are reached: not the generator. */
function copyEngine(target, { project, reached, placed }) {
  const modules = [...reached].filter((file) => packageOf(file, project) === PACKAGE);
  copyFiles(PACKAGE, [...namesBelow(PACKAGE, modules), 'LICENSE'], target);
  const { name, version, license, type, engines, exports, dependencies } = readManifest(PACKAGE);
  const folders = new Set(placed.keys());
  const needed = Object.entries(dependencies).filter(([key]) =>
    folders.has(join('node_modules', key)),
  );
  const manifest = { name, version, license, type, engines, exports };
  writeJson(join(target, 'package.json'), {
    ...manifest,
    dependencies: Object.fromEntries(needed),
  });
}

function isBelow(file, folder) {
  return file.startsWith(folder + sep);
}

function namesBelow(folder, files) {
  return files.map((file) => relative(folder, file)).filter((file) => file !== 'package.json');
}

function copyFiles(from, files, to) {
  for (const file of files) {
    const target = join(to, file);
    mkdirSync(dirname(target), { recursive: true });
    copyFileSync(join(from, file), target);
  }
}

function writeJson(file, value) {
  writeFileSync(file, `${JSON.stringify(value, null, 2)}\n`);
}

function octetsBelow(folder) {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce(
      (sum, entry) => sum + statSync(join(entry.parentPath ?? entry.path, entry.name)).size,
      0,
    );
}
