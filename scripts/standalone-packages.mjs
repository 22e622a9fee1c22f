import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { basename, dirname, join, sep } from 'node:path';
import { PACKAGE } from './build-layout.mjs';
import { packageFolder } from './build-team.mjs';

/**
 * The packages of a standalone server: which of those that are installed it needs, where each lies
 * in its node_modules, and which files of each. A package that one of our modules reaches is taken
 * whole, since it may read files of its own by path.
 */

/**
 * Returns the place of each package, as a map of places such as `node_modules/a/node_modules/b` to
 * installed folders. `reached` is the set of those folders that modules reach, `from` is the folder
 * of the project's modules. Each name resolves from each place as it did where it was installed.
 */
export function placePackages(from, reached) {
  const placed = new Map();
  const names = [...new Set([...reached].map(nameOf))].sort();
  const direct = names.map((name) => [name, packageFolder(from, name)]);
  const waiting = place(
    placed,
    '',
    direct.filter(([, folder]) => reached.has(folder)),
  );
  // A package is asked for its needs once all needs of the one before have a place: a package that
  // is placed later can not come between.
  for (const at of waiting) waiting.push(...place(placed, at, needsOf(placed.get(at), reached)));
  return placed;
}

/** Gives each need that is not yet found from `parent` a place; returns the new places. */
function place(placed, parent, needs) {
  const added = [];
  for (const [name, folder] of needs) {
    const found = placeSeenFrom(placed, parent, name);
    if (found !== undefined && placed.get(found) === folder) continue;
    const at = join(found === undefined ? '' : parent, 'node_modules', name);
    placed.set(at, folder);
    added.push(at);
  }
  return added;
}

/** Returns the place that Node would find first, or undefined. */
function placeSeenFrom(placed, parent, name) {
  for (let at = parent; ; at = dirname(at)) {
    const found = join(at, 'node_modules', name);
    if (basename(at) !== 'node_modules' && placed.has(found)) return found;
    if (at === '' || at === '.') return undefined;
  }
}

/**
 * Returns the dependencies of a package, as names with folders. Packages that another one loads by
 * a computed name are not reached, though it may need them: the optional ones, which hold a
 * platform's binaries, and what these need. This package has no other names than those that the
 * tracer is told.
 */
function needsOf(folder, reached) {
  const manifest = readManifest(folder);
  const { dependencies = {}, optionalDependencies = {}, peerDependencies = {} } = manifest;
  const optional = Object.keys(optionalDependencies);
  const declared = [...Object.keys(dependencies), ...Object.keys(peerDependencies)];
  const wasReached = reached.has(folder);
  return [...new Set([...declared, ...optional])]
    .map((name) => [name, packageFolder(folder, name)])
    .filter(([name, found]) => {
      if (found === undefined) return false;
      if (reached.has(found)) return true;
      if (folder === PACKAGE) return false;
      return optional.includes(name) || (!wasReached && name in dependencies);
    });
}

/** Returns the folder of the package that a module belongs to; undefined for one of the project. */
export function packageOf(file, project) {
  for (const folder of foldersAbove(file)) if (installedAs(folder) !== undefined) return folder;
  // A package of a monorepo lies elsewhere: npm links it into node_modules.
  for (const folder of foldersAbove(file)) {
    if (folder === project) return undefined;
    if (existsSync(join(folder, 'package.json')) && readManifest(folder).name !== undefined)
      return folder;
  }
  return undefined;
}

function* foldersAbove(file) {
  for (let folder = dirname(file); dirname(folder) !== folder; folder = dirname(folder))
    yield folder;
}

function nameOf(folder) {
  return installedAs(folder) ?? readManifest(folder).name;
}

/** Returns the name by which a folder of node_modules is found; undefined for other folders. */
function installedAs(folder) {
  const [name, parent, grandparent] = folder.split(sep).reverse();
  if (parent === 'node_modules') return name.startsWith('@') ? undefined : name;
  const isScoped = parent?.startsWith('@') && grandparent === 'node_modules';
  return isScoped ? `${parent}/${name}` : undefined;
}

export function readManifest(folder) {
  return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
}

/** Types, source maps, and sources of C with what a compiler makes of them. */
const UNUSED = /\.(?:[cm]?ts|map|c|cc|cpp|cxx|h|hh|hpp|o|a|gyp|gypi)$/;

/** Prisma has a compiler of queries for each database, some of 4 MB. */
const COMPILER = /^query_compiler_.*\.(?:m?js|wasm)$/;

/**
 * Returns the files of a package that a running server may use, relative to its folder. `reached`
 * is the set of all modules that our modules reach.
 */
export function usedFiles(folder, reached) {
  const isNative = existsSync(join(folder, 'binding.gyp'));
  const isLinked = installedAs(folder) === undefined;
  return filesBelow(folder, '').filter((file) => {
    if (UNUSED.test(file) || (isLinked && isHidden(file))) return false;
    if (file.startsWith(`prebuilds${sep}`)) return isForThisMachine(file);
    if (isNative && file.startsWith(`build${sep}`))
      return file.endsWith('.node') && !file.includes('obj.target');
    return !COMPILER.test(basename(file)) || reached.has(join(folder, file));
  });
}

/**
 * Returns whether a name of the path begins with a dot. The folder of a package that npm links, as
 * in a monorepo, is where people work: such files hold secrets, caches or the history of git.
 */
function isHidden(file) {
  return file.split(sep).some((name) => name.startsWith('.'));
}

/** Names such as `prebuilds/linux-x64/node.node` and `prebuilds/linuxmusl-x64.node`. */
function isForThisMachine(file) {
  const name = file.split(sep)[1];
  return name.includes(process.platform) && name.includes(process.arch);
}

function filesBelow(root, folder) {
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return entry.name === 'node_modules' ? [] : filesBelow(root, path);
    return statSync(join(root, path)).isFile() ? [path] : [];
  });
}
