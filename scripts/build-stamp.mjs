import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * What the build reads, as places relative to the root: a folder with the files that count in it,
 * or a file. Tools that are plain JavaScript run as they are and are no input.
 */
const INPUTS = [
  { at: 'src', counts: /\.ts$/ },
  { at: 'generated', counts: /\.(?:ts|js|json)$/ },
  { at: 'capabilities', counts: /^capabilities\/[^/]+[.]hooks[.]ts$/ },
  { at: 'scripts', counts: /\.ts$/ },
  { at: 'prisma', counts: /^prisma\/[^/]+\/schema\.prisma$/ },
  { at: 'tsconfig.json' },
  { at: 'tsconfig.build.json' },
  { at: 'package-lock.json' },
];

/** Every input file of the build, relative to `root`, with `/`, in order of code points. */
export function inputFiles(root) {
  const files = [];
  for (const { at, counts } of INPUTS) {
    if (counts === undefined) {
      if (existsSync(join(root, at))) files.push(at);
    } else collect(root, at, counts, files);
  }
  return files.sort();
}

function collect(root, folder, counts, files) {
  if (!existsSync(join(root, folder))) return;
  for (const entry of readdirSync(join(root, folder), { withFileTypes: true })) {
    const path = `${folder}/${entry.name}`;
    if (entry.isDirectory()) collect(root, path, counts, files);
    else if (counts.test(path)) files.push(path);
  }
}

/**
 * SHA-256 (hex) over the names and contents of `files`: times mean nothing, a fresh clone has the
 * same.
 */
export function stampOf(root, files) {
  const hash = createHash('sha256');
  for (const file of files) {
    const content = readFileSync(join(root, file));
    hash.update(`${file}\0${content.length}\0`).update(content);
  }
  return hash.digest('hex');
}

/** The stamp of the build that `root`'s inputs ask for. */
export function wantedStamp(root) {
  return stampOf(root, inputFiles(root));
}

/** The stamp in `file`, or undefined where there is none. */
export function readStamp(file) {
  return existsSync(file) ? readFileSync(file, 'utf8').trim() : undefined;
}

/** Writes a stamp so that a reader finds it whole or not at all. */
export function writeStamp(file, stamp) {
  const draft = `${file}.${process.pid}`;
  writeFileSync(draft, `${stamp}\n`);
  renameSync(draft, file);
}

/** Where the stamp of what is in dist/ stands. */
export function stampFile(root) {
  return join(root, 'dist', '.stamp');
}

/** Whether dist/ is what the inputs ask for. */
export function isCurrent(root) {
  const built = readStamp(stampFile(root));
  return built !== undefined && built === wantedStamp(root);
}
