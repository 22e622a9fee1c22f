import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { clientsToGenerate, generateClients } from './build-clients.mjs';
import { TEAM } from './build-layout.mjs';
import { withBuildLock } from './build-lock.mjs';
import { inputFiles, isCurrent, stampFile, writeStamp } from './build-stamp.mjs';
import { finishTeam, isMade, prepareTeam, RECORD } from './build-team.mjs';
import { BuildError, say } from './build-tools.mjs';
import { withChildren } from './children.mjs';

/**
 * Compiles a team's project file by file and looks at no types: milliseconds, where the whole
 * compiler takes seconds. `jmapsmith dev` and `jmapsmith/testing` load the result. A build makes
 * the same files, and checks their types.
 */

/** Files of the project that are no TypeScript; `problems` has the place of each error. */
export class QuickBuildError extends BuildError {
  constructor(problems) {
    super(problems.map(problemLine).join('\n'), 2);
    this.name = 'QuickBuildError';
    this.problems = problems;
  }
}

function problemLine({ file, line, column, message }) {
  return `${file}:${line}:${column}: ${message}`;
}

/**
 * Brings the Prisma client of the database and build/server up to date. Resolves to whether a
 * module changed.
 * Rejects with QuickBuildError, and has changed no module, where a file has a syntax error.
 */
export async function quickBuild(root) {
  const isStale = ({ database }) => database === usedDatabase();
  if (!clientsToGenerate(root, TEAM).some(isStale) && isCompiled(root)) return false;
  const wait = () => say('waiting for another process that builds');
  return withChildren(() => withBuildLock(root, wait, () => buildAlone(root)));
}

/**
 * Lets what is compiled count as a whole build, after its types were checked. `stamp` is that of
 * the sources before they were compiled: one that was edited meanwhile asks for another build.
 */
export function acceptBuild(root, stamp) {
  return withBuildLock(
    root,
    () => undefined,
    async () => {
      const record = readRecord(root);
      if (record === undefined) return;
      writeStamp(stampFile(root, TEAM), finishTeam(root, TEAM, stamp));
      writeRecord(root, record.files);
    },
  );
}

/** Returns the database that a server would use: it needs no other client. */
function usedDatabase() {
  return /^postgres/i.test(process.env.DATABASE_URL ?? '') ? 'postgresql' : 'sqlite';
}

/** Returns the files that hook files import, as the last build found them. */
export function helperSources(root) {
  const names = Object.keys(readRecord(root)?.files ?? {});
  const listed = inputFiles(root, TEAM).filter((name) => name.endsWith('.ts'));
  return [...new Set([...names, ...listed])].filter(
    (name) => !isMade(name) && !name.startsWith('capabilities/'),
  );
}

/** Whether every module is compiled from its source as it is. Loads no compiler. */
function isCompiled(root) {
  const record = readRecord(root);
  if (record === undefined) return isCurrent(root, TEAM) && noteBuild(root);
  if (record.options !== optionsHash(root)) return false;
  const isSame = (name) => record.files[name] === sourceHash(root, name);
  return (
    rootSources(root).every((name) => Object.hasOwn(record.files, name)) &&
    Object.keys(record.files).every(isSame)
  );
}

async function buildAlone(root) {
  prepareTeam(root);
  await generateClients(root, TEAM, usedDatabase());
  const known = knownFiles(root);
  const ts = (await import('typescript')).default;
  const compiler = createCompiler(ts, root);
  const files = {};
  const outputs = [];
  const queue = rootSources(root);
  for (let name = queue.pop(); name !== undefined; name = queue.pop()) {
    if (Object.hasOwn(files, name)) continue;
    const text = readFileSync(join(root, name), 'utf8');
    files[name] = hashOf(text);
    if (!isMade(name)) queue.push(...importedSources(ts, root, name, text));
    const target = join(root, TEAM.out, name.replace(/\.ts$/, '.js'));
    if (known[name] !== files[name] || !existsSync(target))
      outputs.push({ target, ...compiler.compile(name, text) });
  }
  const problems = [...compiler.problems, ...outputs.flatMap((output) => output.problems)];
  if (problems.length > 0) throw new QuickBuildError(problems);
  writeOutputs(root, outputs);
  for (const name of Object.keys(known))
    if (!Object.hasOwn(files, name))
      for (const end of ['.js', '.js.map'])
        rmSync(join(root, TEAM.out, name.replace(/\.ts$/, end)), { force: true });
  writeRecord(root, files);
  return outputs.length > 0;
}

/** Notes what a whole build has compiled: the next edit compiles one file. */
function noteBuild(root) {
  const sources = rootSources(root);
  writeRecord(root, Object.fromEntries(sources.map((name) => [name, sourceHash(root, name)])));
  return true;
}

/** Hashes of the sources that the modules in build/server were compiled from. */
function knownFiles(root) {
  const record = readRecord(root);
  return record?.options === optionsHash(root) ? record.files : {};
}

function writeOutputs(root, outputs) {
  const out = join(root, TEAM.out);
  mkdirSync(out, { recursive: true });
  // From here on the folder is not what the stamp of a whole build says.
  if (outputs.length > 0) rmSync(stampFile(root, TEAM), { force: true });
  for (const { target, code, map } of outputs) {
    mkdirSync(dirname(target), { recursive: true });
    writeFileSync(target, code);
    if (map !== undefined) writeFileSync(`${target}.map`, map);
  }
  writeFileSync(join(out, 'package.json'), '{ "type": "module" }\n');
}

/** The sources that are compiled whether something imports them or not. */
function rootSources(root) {
  const clients = ['sqlite', 'postgresql'].flatMap((database) =>
    filesBelow(root, `build/prisma/${database}`),
  );
  return [...inputFiles(root, TEAM), ...clients].filter(
    (name) => name.endsWith('.ts') && !name.endsWith('.d.ts'),
  );
}

function filesBelow(root, folder) {
  if (!existsSync(join(root, folder))) return [];
  return readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => nameOf(root, join(entry.parentPath ?? entry.path, entry.name)));
}

/** Sources of the project that a file imports: helpers of hook files, wherever they lie. */
function importedSources(ts, root, name, text) {
  return ts
    .preProcessFile(text, true, true)
    .importedFiles.map(({ fileName }) => fileName)
    .filter((path) => /^\.\.?\//.test(path))
    .map((path) => resolve(root, dirname(name), path))
    .flatMap((path) => [path.replace(/\.js$/, '.ts'), path, `${path}.ts`, join(path, 'index.ts')])
    .filter((path) => path.startsWith(root + sep) && /(?<!\.d)\.ts$/.test(path) && existsSync(path))
    .map((path) => nameOf(root, path))
    .filter((path) => !isMade(path));
}

function nameOf(root, path) {
  return relative(root, path).split(sep).join('/');
}

/** Compiles one file at a time by the project's options, as `jmapsmith build` has them. */
function createCompiler(ts, root) {
  const folder = join(root, 'build');
  const { config, error } = ts.readConfigFile(join(folder, 'tsconfig.json'), ts.sys.readFile);
  // The build lists its files itself: looking for them takes longer than compiling one.
  const listed = { ...config, include: undefined, files: ['../generated/registry.ts'] };
  const { options: all, errors } = ts.parseJsonConfigFileContent(listed, ts.sys, folder);
  // Of a file alone it can't be said where its folders are.
  const options = { ...all, rootDir: undefined, outDir: undefined, configFilePath: undefined };
  const wrong = error === undefined ? errors : [error];
  return {
    problems: wrong.map((one) => problemOf(ts, root, one, 'tsconfig.json')),
    compile(name, text) {
      const { outputText, sourceMapText, diagnostics } = ts.transpileModule(text, {
        compilerOptions: { ...options, sourceMap: !isMade(name) },
        fileName: name,
        reportDiagnostics: true,
      });
      const problems = diagnostics.map((one) => problemOf(ts, root, one, name));
      return { code: outputText, map: placed(sourceMapText, name), problems };
    },
  };
}

/** Says in a source map where the source lies, seen from its module. */
function placed(map, name) {
  if (map === undefined) return undefined;
  const up = '../'.repeat(TEAM.out.split('/').length + name.split('/').length - 1);
  return JSON.stringify({ ...JSON.parse(map), sources: [`${up}${name}`] });
}

function problemOf(ts, root, { file, start, messageText }, name) {
  const message = ts.flattenDiagnosticMessageText(messageText, '\n');
  if (file === undefined || start === undefined) return { file: name, line: 1, column: 1, message };
  const { line, character } = file.getLineAndCharacterOfPosition(start);
  const path = file.fileName.startsWith(root) ? nameOf(root, file.fileName) : file.fileName;
  return { file: path, line: line + 1, column: character + 1, message };
}

/** Returns a hash of all that decides a module besides its source. */
function optionsHash(root) {
  const own = join(root, 'tsconfig.json');
  return hashOf((existsSync(own) ? readFileSync(own, 'utf8') : '') + TEAM.version());
}

function sourceHash(root, name) {
  const file = join(root, name);
  return existsSync(file) ? hashOf(readFileSync(file, 'utf8')) : undefined;
}

function hashOf(text) {
  return createHash('sha256').update(text).digest('base64url');
}

function readRecord(root) {
  const file = join(root, TEAM.out, RECORD);
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : undefined;
}

function writeRecord(root, files) {
  const record = { options: optionsHash(root), files };
  writeFileSync(join(root, TEAM.out, RECORD), JSON.stringify(record));
}
